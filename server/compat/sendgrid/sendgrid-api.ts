import { definePlugin } from '../../../core/plugin/plugin.ts'
import type { ForeignApi } from '../../../core/ports/foreign-api.ts'
import { bearer } from '../kit/bearer.ts'
import { absent } from './absent.ts'
import { groups } from './groups.ts'
import { refusal } from './refusal.ts'
import { sending } from './sending.ts'
import { suppressions } from './suppressions.ts'
import { templates } from './templates.ts'
import { webhookEvents } from './webhook-events.ts'
import { webhooks } from './webhooks.ts'

/** SendGrid's API (https://www.twilio.com/docs/sendgrid/api-reference), as its packages 8.1 call it. */
export const sendgrid: ForeignApi = {
  service: 'SendGrid',
  endpoints: [...sending, ...suppressions, ...groups, ...templates, ...webhooks],
  absent,
  events: webhookEvents,
  keyOf: bearer,
  refusal,
}

/**
 * The API of SendGrid: `client.setDefaultRequest('baseUrl', 'https://mail.example.com/compat/sendgrid')` sends here. It
 * takes no options.
 */
export const sendgridApi = definePlugin({ name: 'sendgrid', provides: ['compat'], open: () => ({ compat: sendgrid }) })
