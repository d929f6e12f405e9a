import { absentBy } from '../kit/absent-by.ts'

/** The endpoints of SendGrid that are not here, by the reason. */
export const absent = absentBy([
  [
    'scheduled mail is cancelled by its id (`POST /emails/{id}/cancel`), not by a batch',
    ['POST', '/v3/mail/batch'],
    ['GET', '/v3/mail/batch/:id'],
    ['POST', '/v3/user/scheduled_sends'],
    ['GET', '/v3/user/scheduled_sends'],
    ['DELETE', '/v3/user/scheduled_sends/:id'],
  ],
  [
    'a refusal that is no bounce suppresses nobody here, so that there is no such list',
    ['GET', '/v3/suppression/blocks'],
    ['GET', '/v3/suppression/blocks/:email'],
    ['DELETE', '/v3/suppression/blocks'],
    ['GET', '/v3/suppression/invalid_emails'],
    ['GET', '/v3/suppression/invalid_emails/:email'],
    ['DELETE', '/v3/suppression/invalid_emails'],
  ],
  [
    'the contacts who left a topic are listed by `GET /v3/asm/groups/:id/suppressions`',
    ['GET', '/v3/asm/suppressions'],
  ],
  [
    'a test is sent by `POST /webhooks/{id}/test`, in [the form of this server](webhooks.md)',
    ['POST', '/v3/user/webhooks/event/test'],
  ],
  [
    'a mail is found by `GET /emails?search=`, and shown by `GET /emails/{id}`; `X-Message-Id` is its id',
    ['GET', '/v3/messages'],
    ['GET', '/v3/messages/:id'],
  ],
  [
    'contacts, lists and campaigns have [other forms](campaigns.md) here: `POST /contacts/import` takes the file that SendGrid exports',
    ['PUT', '/v3/marketing/contacts'],
    ['GET', '/v3/marketing/contacts'],
    ['POST', '/v3/marketing/contacts/search'],
    ['GET', '/v3/marketing/lists'],
    ['POST', '/v3/marketing/lists'],
    ['POST', '/v3/marketing/singlesends'],
    ['GET', '/v3/marketing/singlesends'],
  ],
  [
    'figures are in the dashboard and in `GET /activity/stats`',
    ['GET', '/v3/stats'],
    ['GET', '/v3/categories'],
    ['GET', '/v3/categories/stats'],
  ],
  [
    'keys are made in the dashboard or by `POST /projects/{id}/keys` ([keys.md](keys.md))',
    ['GET', '/v3/api_keys'],
    ['POST', '/v3/api_keys'],
    ['GET', '/v3/scopes'],
  ],
  [
    'domains are added and verified in the dashboard or by `POST /domains` ([domains.md](domains.md))',
    ['GET', '/v3/whitelabel/domains'],
    ['POST', '/v3/whitelabel/domains'],
    ['POST', '/v3/whitelabel/domains/:id/validate'],
    ['GET', '/v3/verified_senders'],
    ['POST', '/v3/verified_senders'],
  ],
  ['an address is checked by `POST /v1/verify`', ['POST', '/v3/validations/email']],
])
