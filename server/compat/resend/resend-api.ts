import { definePlugin } from '../../../core/plugin/plugin.ts'
import type { ForeignApi } from '../../../core/ports/foreign-api.ts'
import { bearer } from '../kit/bearer.ts'
import { absent } from './absent.ts'
import { apiKeys } from './api-keys.ts'
import type { Fetcher } from './attachments.ts'
import { automations } from './automations.ts'
import { broadcasts } from './broadcasts.ts'
import { contactImports } from './contact-imports.ts'
import { contactProperties } from './contact-properties.ts'
import { contacts } from './contacts.ts'
import { domains } from './domains.ts'
import { emails } from './emails.ts'
import { events } from './events.ts'
import { inboxDrafts } from './inbox-drafts.ts'
import { inboxThreads } from './inbox-threads.ts'
import { inboxes } from './inboxes.ts'
import { metrics } from './metrics.ts'
import { receiving } from './receiving.ts'
import { refusal } from './refusal.ts'
import { segments } from './segments.ts'
import { suppressions } from './suppressions.ts'
import { templates } from './templates.ts'
import { topics } from './topics.ts'
import { webhookEvents } from './webhook-events.ts'
import { webhookLog } from './webhook-log.ts'
import { webhooks } from './webhooks.ts'

/**
 * Resend's API (https://resend.com/docs/api-reference), as its package 6.38 calls it. Files that a mail names by their
 * address are fetched by `fetcher`.
 */
export function resend(fetcher: Fetcher): ForeignApi {
  return {
    service: 'Resend',
    endpoints: [
      ...receiving,
      ...metrics,
      ...emails(fetcher),
      ...domains,
      ...apiKeys,
      ...contactImports,
      ...contacts,
      ...contactProperties,
      ...segments,
      ...topics,
      ...broadcasts,
      ...templates,
      ...suppressions,
      ...webhooks,
      ...webhookLog,
      ...events,
      ...automations,
      ...inboxes,
      ...inboxDrafts,
      ...inboxThreads,
    ],
    absent,
    events: webhookEvents,
    keyOf: bearer,
    refusal,
  }
}

/**
 * The API of Resend: `new Resend('sk_…')` sends here with `RESEND_BASE_URL=https://mail.example.com/compat/resend`. It
 * takes no options.
 */
export const resendApi = definePlugin({
  name: 'resend',
  provides: ['compat'],
  open: (_, { webhooks }) => ({ compat: resend(webhooks) }),
})
