import { createHmac, randomBytes } from 'node:crypto'
import type { ForeignEvents } from '../../../core/ports/foreign-api.ts'
import type { JsonObject } from '../../../core/values/json.ts'
import { type Happening, happened } from '../kit/happened.ts'
import { labelsAmong, withoutLabels } from '../kit/labels.ts'
import { replyCodeIn } from '../kit/suppressed.ts'

type Happened = ReturnType<typeof happened>

/** How an event of ours is written: its name there, and the fields that only it has. Undefined: there is none. */
const EVENTS = new Map<string, (it: Happened) => JsonObject | undefined>(
  Object.entries({
    'email.delivery': (it) => ({ event: 'delivered', 'delivery-status': { ...statusOf(it), code: 250 } }),
    'email.bounce': (it) => ({
      event: 'failed',
      'log-level': it.isPermanent ? 'error' : 'warn',
      severity: it.isPermanent ? 'permanent' : 'temporary',
      reason: it.isPermanent ? 'bounce' : 'generic',
      'delivery-status': statusOf(it),
    }),
    'email.open': () => ({ event: 'opened', ...UNKNOWN_CLIENT }),
    'email.click': ({ link }) => ({ event: 'clicked', url: link, ...UNKNOWN_CLIENT }),
    'email.complaint': () => ({ event: 'complained', 'log-level': 'warn' }),
    'contact.unsubscribed': ({ reason, isOfTopic }) => {
      // these are other events there
      if (isOfTopic || reason === 'bounce' || reason === 'complaint') return undefined
      return { event: 'unsubscribed', 'log-level': 'warn', ...UNKNOWN_CLIENT }
    },
  }),
)

const UNKNOWN_CLIENT: JsonObject = { ip: '', geolocation: {}, 'client-info': {} }

/** An event as Mailgun writes it; undefined when it has no such event. */
export function eventData(event: Happening): JsonObject | undefined {
  const it = happened(event)
  const own = EVENTS.get(event.name)?.(it)
  if (own === undefined) return undefined
  const headers = { from: it.sender, to: it.recipient, subject: it.subject, 'message-id': it.messageId }
  return {
    id: event.id,
    timestamp: event.at.getTime() / 1000,
    'log-level': 'info',
    recipient: it.recipient,
    'recipient-domain': it.domain,
    tags: [...labelsAmong('tag', it.tags)],
    'user-variables': { ...withoutLabels('tag', it.tags) },
    flags: { 'is-test-mode': false },
    ...(it.emailId === '' ? {} : { message: { headers, attachments: [] } }),
    ...own,
  }
}

/** Events as Mailgun's webhooks write them, with a signature in the body: HMAC-SHA256 over the time and a token. */
export const webhookEvents: ForeignEvents = {
  names: [...EVENTS.keys()],
  write(event) {
    const data = eventData(event)
    return data && { 'event-data': data }
  },
  sign({ body, at, secrets: [secret] }) {
    const timestamp = String(Math.floor(at.getTime() / 1000))
    // another one for each try: receivers refuse those that they have seen
    const token = randomBytes(25).toString('hex')
    const signature = createHmac('sha256', secret)
      .update(timestamp + token)
      .digest('hex')
    return { body: `{"signature":${JSON.stringify({ timestamp, token, signature })},${body.slice(1)}` }
  },
}

function statusOf({ said, status }: Happened): JsonObject {
  const code = Number(replyCodeIn(said))
  return {
    code: Number.isInteger(code) ? code : 550,
    message: said,
    description: '',
    ...(status === '' ? {} : { 'enhanced-code': status }),
  }
}
