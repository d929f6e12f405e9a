import { absentBy } from '../kit/absent-by.ts'

/** The endpoints of Resend that are not here, by the reason. */
export const absent = absentBy([
  [
    'the package forwards by an address of the raw message that needs no key, and there is none',
    ['GET', '/emails/receiving/:id', 'emails.receiving.forward'],
  ],
  [
    'fields of contacts need no declaration; each key of `properties` is taken, and `contactProperties.list` lists them',
    ['POST', '/contact-properties', 'contactProperties.create'],
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
    ['PATCH', '/events/:id', 'events.update'],
    ['DELETE', '/events/:id', 'events.remove'],
  ],
  [
    'there is no log of requests to read; changes are in the audit log (`GET /audit`)',
    ['GET', '/logs', 'logs.list'],
    ['GET', '/logs/:id', 'logs.get'],
  ],
  [
    'members let programs in themselves: the dashboard lists and ends what they gave, and so does `GET /projects/{id}/grants` for a member who is logged in',
    ['GET', '/oauth/grants', 'oauthGrants.list'],
    ['DELETE', '/oauth/grants/:id', 'oauthGrants.revoke'],
  ],
  [
    'there is no plan to use up; `GET /projects/{id}/limits` has the quotas that the operator set',
    ['GET', '/usage', 'usage.get'],
  ],
  [
    'there is no agent that answers mail by itself; [keys for agents](inboxes.md#keys-for-agents) let one of yours work in an inbox',
    ['GET', '/inboxes/:id/agent', 'inboxes.agent.get'],
    ['PATCH', '/inboxes/:id/agent', 'inboxes.agent.update'],
  ],
])
