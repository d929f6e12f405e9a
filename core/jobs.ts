/** The work the queue carries: what a job's ids are, by task. */
export const TASKS = {
  /** Ids of e-mail records to hand to a transport. */
  deliver: 'email.deliver',
  /** Ids of contact jobs: imports and bulk changes. */
  contactJob: 'contacts.job',
  /** Ids of tracked segments to compute. */
  computeSegment: 'segments.compute',
} as const
