import { Webhook } from 'standardwebhooks'
import type { ForeignEvent, ForeignEvents } from '../../../core/ports/foreign-api.ts'
import type { JsonObject } from '../../../core/values/json.ts'
import { lineOf } from '../kit/addresses.ts'

/** Resend's names of our events. */
export const THEIR_NAMES: Readonly<Record<string, string>> = {
  'email.sent': 'email.sent',
  'email.delivery': 'email.delivered',
  'email.bounce': 'email.bounced',
  'email.complaint': 'email.complained',
  'email.open': 'email.opened',
  'email.click': 'email.clicked',
  'email.received': 'email.received',
  'contact.created': 'contact.created',
}

/** Resend's name of an event; undefined where it has none. */
export function theirNameOf(event: string): string | undefined {
  return Object.hasOwn(THEIR_NAMES, event) ? THEIR_NAMES[event] : undefined
}

/** Events as Resend's webhooks write them: `{ type, created_at, data }`. */
export const webhookEvents: ForeignEvents = {
  names: Object.keys(THEIR_NAMES),
  write(event) {
    const type = theirNameOf(event.name)
    // a mail that is tried again has not bounced
    if (type === undefined || (event.name === 'email.bounce' && event.data.bounceType === 'Transient')) return undefined
    return { type, created_at: event.at.toISOString(), data: dataOf(event) }
  },
  // as Standard Webhooks, under the names that its fields had before
  sign({ id, body, at, secrets }) {
    const signature = secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' ')
    const timestamp = String(Math.floor(at.getTime() / 1000))
    return { headers: { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signature } }
  },
}

function dataOf(event: ForeignEvent): JsonObject {
  if (event.name === 'contact.created') return contactOf(event)
  const { at, emailId, data, contact } = event
  const tags = event.mail?.tags ?? {}
  const mail = {
    email_id: emailId ?? data.emailId ?? '',
    created_at: at.toISOString(),
    from: sender(data),
    to: contact === undefined ? [] : [contact.email],
    subject: data.subject ?? '',
    message_id: data.messageId ?? '',
    ...(data.templateId == null ? {} : { template_id: data.templateId }),
    ...(data.campaignId == null ? {} : { broadcast_id: data.campaignId }),
    ...(Object.keys(tags).length === 0 ? {} : { tags: { ...tags } }),
  }
  if (event.name === 'email.received') {
    const to = data.to ?? []
    return { ...mail, to, received_for: to, cc: [], bcc: [], attachments: attachmentsOf(event) }
  }
  return { ...mail, ...detailsOf(event) }
}

function detailsOf({ name, at, data }: ForeignEvent): JsonObject {
  if (name === 'email.click') {
    return { click: { link: data.link ?? '', timestamp: at.toISOString(), ipAddress: '', userAgent: '' } }
  }
  if (name !== 'email.bounce') return {}
  const said = data.diagnostic ?? ''
  const bounce = { type: 'Permanent', subType: 'General', message: said, diagnosticCode: said === '' ? [] : [said] }
  return { bounce }
}

function contactOf({ data, contact, at }: ForeignEvent): JsonObject {
  const { id = '', email = '', subscribed = data.subscribed === true, createdAt = at, updatedAt = at } = contact ?? {}
  return {
    id,
    audience_id: '',
    segment_ids: [],
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    email,
    first_name: contact?.data.firstName ?? null,
    last_name: contact?.data.lastName ?? null,
    unsubscribed: !subscribed,
  }
}

/** The files of a received mail, with the ids that `emails.receiving.attachments` has. */
function attachmentsOf({ emailId, data }: ForeignEvent): JsonObject[] {
  const files = Array.isArray(data.attachments) ? data.attachments : []
  return files.map((file, place) => {
    const {
      filename = null,
      contentType = '',
      contentId = null,
    } = file !== null && typeof file === 'object' && !Array.isArray(file) ? file : {}
    const id = `${emailId ?? data.emailId}-${place}`
    return { id, filename, content_type: contentType, content_disposition: 'attachment', content_id: contentId }
  })
}

function sender({ from, fromName }: JsonObject): string {
  return lineOf(typeof from === 'string' ? from : null, typeof fromName === 'string' ? fromName : undefined)
}
