/** The tasks of queued jobs, each with the meaning of a job's ids. */
export const TASKS = {
  /** Ids of e-mail records to hand to a transport. */
  deliver: 'email.deliver',
  /** Ids of contact jobs: imports and bulk changes. */
  contactJob: 'contacts.job',
  /** Ids of tracked segments to compute. */
  computeSegment: 'segments.compute',
  /** Campaigns to fan out, as `<project>/<campaign>` like those below. */
  fanOut: 'campaigns.fan-out',
  /** Campaigns with due mails; each job sends some hundreds of them. */
  campaignMail: 'campaigns.deliver',
  /** Cancelled campaigns whose waiting mails are to be SKIPPED. */
  skipCampaign: 'campaigns.skip',
  /** There are events in the outbox; its id means nothing. */
  dispatchEvents: 'events.tell',
  /** Executions of workflows are due; its id means nothing. */
  runWorkflows: 'workflows.run',
  /** Requests to customers are due; its id means nothing. */
  deliverWebhooks: 'webhooks.deliver',
  /** Received mail is to be parsed; its id means nothing. */
  readInbound: 'inbound.read',
} as const
