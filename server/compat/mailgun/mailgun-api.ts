import { definePlugin } from '../../../core/plugin/plugin.ts'
import type { ForeignApi } from '../../../core/ports/foreign-api.ts'
import { basicPassword } from '../kit/basic.ts'
import { absent } from './absent.ts'
import { domains } from './domains.ts'
import { events } from './events.ts'
import { refusal } from './refusal.ts'
import { sending } from './sending.ts'
import { suppressions } from './suppressions.ts'
import { templates } from './templates.ts'
import { webhookEvents } from './webhook-events.ts'
import { webhooks } from './webhooks.ts'

/** Mailgun's API (https://documentation.mailgun.com), as its package 14.0 calls it. */
export const mailgun: ForeignApi = {
  service: 'Mailgun',
  endpoints: [...sending, ...suppressions, ...templates, ...events, ...domains, ...webhooks],
  absent,
  events: webhookEvents,
  keyOf: basicPassword,
  refusal,
}

/**
 * The API of Mailgun: `mailgun.client({ username: 'api', key: 'sk_…', url: 'https://mail.example.com/compat/mailgun' })`
 * sends here. It takes no options.
 */
export const mailgunApi = definePlugin({ name: 'mailgun', provides: ['compat'], open: () => ({ compat: mailgun }) })
