import type { AbsentEndpoint } from '../../../core/ports/foreign-api.ts'

type Listed = readonly [method: AbsentEndpoint['method'], path: string, ...methods: readonly string[]]

/** The endpoints of Resend that are not here, by the reason. */
const BY_REASON: readonly (readonly [reason: string, ...endpoints: readonly Listed[]])[] = [
  ['not yet', ['GET', '/emails/metrics', 'emails.metrics']],
  [
    'not yet; `GET /webhooks/deliveries` of Mailwright lists the requests, and replays them',
    ['GET', '/webhooks/:id/events', 'webhooks.events.list'],
    ['GET', '/webhooks/:id/events/:event', 'webhooks.events.get'],
    ['GET', '/webhooks/:id/events/:event/attempts', 'webhooks.events.attempts.list'],
    ['POST', '/webhooks/:id/events/:event/replay', 'webhooks.events.replay'],
  ],
  ['not yet; `suppressions.list` has all of them', ['GET', '/suppressions/:id', 'suppressions.get']],
  [
    'the files of a sent mail are in the message itself, `GET /emails/{id}/raw` of Mailwright',
    ['GET', '/emails/:id/attachments', 'emails.attachments.list'],
    ['GET', '/emails/:id/attachments/:attachment', 'emails.attachments.get'],
  ],
  [
    'the package forwards by an address of the raw message that needs no key, and there is none',
    ['GET', '/emails/receiving/:id', 'emails.receiving.forward'],
  ],
  ['a key stays what it is: make another one', ['PATCH', '/api-keys/:id', 'apiKeys.update']],
  [
    'fields of contacts need no declaration; each key of `properties` is taken, and `GET /contacts/fields` of Mailwright lists them',
    ['POST', '/contact-properties', 'contactProperties.create'],
    ['GET', '/contact-properties', 'contactProperties.list'],
    ['GET', '/contact-properties/:id', 'contactProperties.get'],
    ['PATCH', '/contact-properties/:id', 'contactProperties.update'],
    ['DELETE', '/contact-properties/:id', 'contactProperties.remove'],
  ],
  [
    'a mail is shown to people without an account by `{{ viewUrl }}`, which prints its address into the mail itself',
    ['POST', '/emails/:id/share', 'emails.share'],
  ],
  [
    'a domain belongs to the project that publishes its records; add it with `domains.create`',
    ['POST', '/domains/claim', 'domains.claims.create'],
    ['GET', '/domains/:id/claim', 'domains.claims.get'],
    ['POST', '/domains/:id/claim/verify', 'domains.claims.verify'],
  ],
  [
    'events have no schema here: `events.send` takes any name and any payload',
    ['POST', '/events', 'events.create'],
    ['GET', '/events', 'events.list'],
    ['GET', '/events/:id', 'events.get'],
    ['PATCH', '/events/:id', 'events.update'],
    ['DELETE', '/events/:id', 'events.remove'],
  ],
  [
    'workflows have other steps; make them in the dashboard or by `POST /workflows` ([workflows.md](workflows.md))',
    ['POST', '/automations', 'automations.create'],
    ['GET', '/automations', 'automations.list'],
    ['GET', '/automations/:id', 'automations.get'],
    ['PATCH', '/automations/:id', 'automations.update'],
    ['DELETE', '/automations/:id', 'automations.remove'],
    ['POST', '/automations/:id/duplicate', 'automations.duplicate'],
    ['POST', '/automations/:id/stop', 'automations.stop'],
    ['GET', '/automations/:id/runs', 'automations.runs.list'],
    ['GET', '/automations/:id/runs/:run', 'automations.runs.get'],
  ],
  [
    'there is no log of requests to read; changes are in the audit log (`GET /audit`)',
    ['GET', '/logs', 'logs.list'],
    ['GET', '/logs/:id', 'logs.get'],
  ],
  [
    'no other program is given access by OAuth; each has a key of its own',
    ['GET', '/oauth/grants', 'oauthGrants.list'],
    ['DELETE', '/oauth/grants/:id', 'oauthGrants.revoke'],
  ],
  [
    'there is no plan to use up; `GET /projects/{id}/limits` has the quotas that the operator set',
    ['GET', '/usage', 'usage.get'],
  ],
  [
    'mailboxes for people are the work of a mail program; received mail is read by `emails.receiving`',
    ['POST', '/inboxes', 'inboxes.create'],
    ['GET', '/inboxes', 'inboxes.list'],
    ['GET', '/inboxes/:id', 'inboxes.get'],
    ['PATCH', '/inboxes/:id', 'inboxes.update'],
    ['DELETE', '/inboxes/:id', 'inboxes.remove'],
    ['GET', '/inboxes/:id/agent', 'inboxes.agent.get'],
    ['PATCH', '/inboxes/:id/agent', 'inboxes.agent.update'],
    ['GET', '/inboxes/:id/drafts', 'inboxes.drafts.list'],
    ['POST', '/inboxes/:id/drafts', 'inboxes.drafts.create'],
    ['GET', '/inboxes/:id/drafts/:draft', 'inboxes.drafts.get'],
    ['PATCH', '/inboxes/:id/drafts/:draft', 'inboxes.drafts.update'],
    ['DELETE', '/inboxes/:id/drafts/:draft', 'inboxes.drafts.remove'],
    ['POST', '/inboxes/:id/drafts/:draft/send', 'inboxes.drafts.send'],
    ['GET', '/inboxes/:id/labels', 'inboxes.labels.list'],
    ['POST', '/inboxes/:id/labels', 'inboxes.labels.create'],
    ['PATCH', '/inboxes/:id/labels/:label', 'inboxes.labels.update'],
    ['DELETE', '/inboxes/:id/labels/:label', 'inboxes.labels.remove'],
    ['GET', '/inboxes/:id/threads', 'inboxes.threads.list'],
    ['GET', '/inboxes/:id/threads/search', 'inboxes.threads.search'],
    ['GET', '/inboxes/:id/threads/:thread', 'inboxes.threads.get'],
    ['PATCH', '/inboxes/:id/threads/:thread', 'inboxes.threads.update'],
    ['DELETE', '/inboxes/:id/threads/:thread', 'inboxes.threads.remove'],
    ['GET', '/inboxes/:id/threads/:thread/emails', 'inboxes.threads.emails.list'],
    ['GET', '/inboxes/:id/threads/:thread/emails/:email', 'inboxes.threads.emails.get'],
    ['POST', '/inboxes/:id/threads/:thread/emails/:email/reply', 'inboxes.threads.emails.reply'],
    ['POST', '/inboxes/:id/threads/:thread/emails/:email/forward', 'inboxes.threads.emails.forward'],
    ['POST', '/inboxes/:id/threads/:thread/labels', 'inboxes.threads.labels.add'],
    ['PUT', '/inboxes/:id/threads/:thread/labels', 'inboxes.threads.labels.set'],
    ['DELETE', '/inboxes/:id/threads/:thread/labels/:label', 'inboxes.threads.labels.remove'],
  ],
]

/** All of it. */
export const absent: readonly AbsentEndpoint[] = BY_REASON.flatMap(([reason, ...endpoints]) =>
  endpoints.map(([method, path, ...methods]) => ({ method, path, methods, reason })),
)
