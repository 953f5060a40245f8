/** Another worker holds the job now, or it was cancelled: the attempt stops and writes nothing more. */
export class ClaimLost extends Error {
  constructor() {
    super('The claim of this job is lost.');
    this.name = 'ClaimLost';
  }
}

/** The service stops: the attempt gives its job back. */
export class ServiceStopping extends Error {
  constructor() {
    super('The service is stopping.');
    this.name = 'ServiceStopping';
  }
}
