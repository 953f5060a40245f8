/** One of the jobs that a worker runs at the same time. */
export interface Seat {
  /** The job only waits for the editor, which takes none of the machine: another one may begin meanwhile. */
  lend(): void;
  /**
   * The job goes on. False when others have begun in its place: then it is to be given back, and comes before all
   * that are younger. True for one that has lent nothing.
   */
  takeBack(): boolean;
}
