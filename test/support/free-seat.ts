import type { Seat } from '../../src/service/seat.ts';

/** Of a job that shares its worker with no other. */
export const freeSeat: Seat = { lend: () => undefined, takeBack: () => true };
