import { definePlugin } from '../../../core/plugin/plugin.ts'
import type { ForeignApi } from '../../../core/ports/foreign-api.ts'
import { absent } from './absent.ts'
import { bounces } from './bounces.ts'
import { messages } from './messages.ts'
import { refusal } from './refusal.ts'
import { sending } from './sending.ts'
import { suppressions } from './suppressions.ts'
import { templates } from './templates.ts'
import { webhookEvents } from './webhook-events.ts'
import { webhooks } from './webhooks.ts'

/** Postmark's API (https://postmarkapp.com/developer), as its package 5.1 calls it. */
export const postmark: ForeignApi = {
  service: 'Postmark',
  endpoints: [...sending, ...messages, ...suppressions, ...bounces, ...templates, ...webhooks],
  absent,
  events: webhookEvents,
  keyOf: (headers) => headers['x-postmark-server-token'],
  refusal,
}

/**
 * The API of Postmark: `new ServerClient('sk_…', { requestHost: 'mail.example.com/compat/postmark' })` sends here. It
 * takes no options.
 */
export const postmarkApi = definePlugin({ name: 'postmark', provides: ['compat'], open: () => ({ compat: postmark }) })
