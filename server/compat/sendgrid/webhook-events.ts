import { createECDH, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto'
import type { ForeignEvent, ForeignEvents } from '../../../core/ports/foreign-api.ts'
import type { JsonObject } from '../../../core/values/json.ts'
import { happened } from '../kit/happened.ts'
import { labelsAmong, withoutLabels } from '../kit/labels.ts'

type Happened = ReturnType<typeof happened>

/** How an event of ours is written: its name there, and the fields that only it has. Undefined: there is none. */
const EVENTS = new Map<string, (it: Happened, event: ForeignEvent) => JsonObject | undefined>(
  Object.entries({
    'email.sent': () => ({ event: 'processed' }),
    'email.delivery': ({ said }) => ({ event: 'delivered', response: said || '250 OK' }),
    'email.bounce': ({ isPermanent, said, status }, { mail }) =>
      isPermanent
        ? { event: 'bounce', type: 'bounce', reason: said, status }
        : { event: 'deferred', response: said, attempt: String(mail?.attempts ?? 1) },
    'email.open': (_, { data }) => ({ event: 'open', sg_machine_open: data.machine != null }),
    'email.click': ({ link }) => ({ event: 'click', url: link }),
    'email.complaint': () => ({ event: 'spamreport' }),
    'contact.unsubscribed': ({ reason, isOfTopic }) => {
      // these are other events there
      if (reason === 'bounce' || reason === 'complaint') return undefined
      return { event: isOfTopic ? 'group_unsubscribe' : 'unsubscribe' }
    },
    'contact.subscribed': ({ isOfTopic }) => (isOfTopic ? { event: 'group_resubscribe' } : undefined),
  }),
)

/** Events as SendGrid's webhook writes them: a list, of one here, signed by ECDSA over the time and the body. */
export const webhookEvents: ForeignEvents = {
  names: [...EVENTS.keys()],
  write(event) {
    const it = happened(event)
    const own = EVENTS.get(event.name)?.(it, event)
    return own && [{ ...withoutLabels('category', it.tags), ...commonOf(it, event), ...own }]
  },
  sign({ endpointId, body, at, secrets: [secret] }) {
    const timestamp = String(Math.floor(at.getTime() / 1000))
    const signature = sign('sha256', Buffer.from(timestamp + body), privateKey(secret, endpointId))
    return {
      headers: {
        'x-twilio-email-event-webhook-signature': signature.toString('base64'),
        'x-twilio-email-event-webhook-timestamp': timestamp,
      },
    }
  },
}

function commonOf(it: Happened, { id }: ForeignEvent): JsonObject {
  const category = labelsAmong('category', it.tags)
  return {
    email: it.recipient,
    timestamp: it.seconds,
    sg_event_id: id,
    ...(it.emailId === '' ? {} : { sg_message_id: it.emailId }),
    ...(it.messageId === '' ? {} : { 'smtp-id': `<${it.messageId}>` }),
    ...(category.length === 0 ? {} : { category: [...category] }),
  }
}

/** The order of the group of P-256 (FIPS 186-4, D.1.2.3). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/**
 * The private key of an endpoint, derived from the project's secret (FIPS 186-4, B.4.1), so that each endpoint has one
 * without a table of keys, and a new secret makes new ones.
 */
function privateKey(secret: string, endpointId: string): KeyObject {
  const bytes = Buffer.from(hkdfSync('sha256', secret, endpointId, 'sendgrid event webhook', 40))
  const scalar = (BigInt(`0x${bytes.toString('hex')}`) % (ORDER - 1n)) + 1n
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex')
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(d)
  const point = pair.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString('base64url'))
  const key = { kty: 'EC', crv: 'P-256', d: d.toString('base64url'), ...(x && y ? { x, y } : {}) }
  return createPrivateKey({ key, format: 'jwk' })
}

/** The key by which receivers check the signatures of an endpoint, as SendGrid shows it. */
export function publicKey(secret: string, endpointId: string): string {
  const key = createPublicKey(privateKey(secret, endpointId))
  return key.export({ format: 'der', type: 'spki' }).toString('base64')
}
