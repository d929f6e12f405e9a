/** The work the queue carries: what a job's ids are, by task. */
export const TASKS = {
  /** Ids of e-mail records to hand to a transport. */
  deliver: 'email.deliver',
  /** Ids of contact jobs: imports and bulk changes. */
  contactJob: 'contacts.job',
  /** Ids of tracked segments to compute. */
  computeSegment: 'segments.compute',
  /** Campaigns whose audience is to be written into the ledger, as `<project>/<campaign>` like those below. */
  fanOut: 'campaigns.fan-out',
  /** Campaigns, each for some hundreds of their mails that are due. */
  campaignMail: 'campaigns.deliver',
  /** Cancelled campaigns whose waiting mails are to be SKIPPED. */
  skipCampaign: 'campaigns.skip',
  /** Events that somebody waits for are stored; its id means nothing. */
  dispatchEvents: 'events.tell',
  /** Executions of workflows are due; its id means nothing. */
  runWorkflows: 'workflows.run',
  /** Requests to customers are due; its id means nothing. */
  deliverWebhooks: 'webhooks.deliver',
  /** Received mail is to be read; its id means nothing. */
  readInbound: 'inbound.read',
} as const
