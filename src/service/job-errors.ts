/** Another worker holds the job now, or it was cancelled: the attempt stops and writes nothing more. */
export class ClaimLost extends Error {
  constructor() {
    super('The claim of this job is lost.');
    this.name = 'ClaimLost';
  }
}

/** Others have begun while the job waited for the editor: the attempt gives its job back. */
export class SeatTaken extends Error {
  constructor() {
    super('Every seat of the worker is taken.');
    this.name = 'SeatTaken';
  }
}

/** The service stops: the attempt gives its job back. */
export class ServiceStopping extends Error {
  constructor() {
    super('The service is stopping.');
    this.name = 'ServiceStopping';
  }
}
