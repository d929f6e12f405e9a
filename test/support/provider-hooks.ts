import { createHmac, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto'
import type { HookRequest, Plugin, WebhookSender } from '../../config/library.ts'
import { mailgunHook } from '../../plugins/hook-mailgun/index.ts'
import { postmarkHook } from '../../plugins/hook-postmark/index.ts'
import { sendgridHook } from '../../plugins/hook-sendgrid/index.ts'
import { sesHook } from '../../plugins/hook-ses/index.ts'
import type { HookEvent, HttpHookSubject } from '../contracts/http-hook.ts'
import { type CertificateFacts, certificate } from './certificate.ts'

/** A provider's requests about mail, made from its documentation, for the contract of hooks. */
export interface Provider extends Omit<HttpHookSubject, 'hook' | 'close'> {
  readonly name: string
  plugin(): Plugin<'hook'>
  /** How it makes its own requests. */
  readonly webhooks?: WebhookSender
}

type Json = Readonly<Record<string, unknown>>

function request(body: string | Uint8Array, receivedAt: Date, headers: HookRequest['headers'] = {}): HookRequest {
  return { method: 'POST', headers, query: new URLSearchParams(), body: Buffer.from(body), receivedAt }
}

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})
const PASSWORD = 'a long Postmark password'

const POSTMARK_TYPES = { permanent: 'HardBounce', policy: 'Blocked', transient: 'SoftBounce' } as const

/** The provider's own class for a bounce with this text. */
function sortOf(diagnostic: string): 'permanent' | 'policy' | 'transient' {
  if (/5\.7\.|spam|blocked/i.test(diagnostic)) return 'policy'
  return /full|quota|4\.\d/i.test(diagnostic) ? 'transient' : 'permanent'
}

/** https://postmarkapp.com/developer/webhooks/webhooks-overview */
export function postmarkEvent({ kind, id, mail, recipient, at, diagnostic, link }: HookEvent): Json {
  const time = at.toISOString().replace('Z', '0000Z')
  const about = {
    MessageID: mail.providerId,
    Metadata: { mailwright: mail.emailId },
    ServerID: 23,
    MessageStream: 'outbound',
  }
  const seen = { Recipient: recipient, ReceivedAt: time, UserAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' }
  switch (kind) {
    case 'delivered':
      return { RecordType: 'Delivery', ...about, Recipient: recipient, DeliveredAt: time, Details: 'Test delivery' }
    case 'bounced': {
      const Type = POSTMARK_TYPES[sortOf(diagnostic)]
      return {
        RecordType: 'Bounce',
        ...about,
        ID: id,
        Type,
        Email: recipient,
        BouncedAt: time,
        Details: `smtp;${diagnostic}`,
      }
    }
    case 'complained':
      return { RecordType: 'SpamComplaint', ...about, ID: id, Type: 'SpamComplaint', Email: recipient, BouncedAt: time }
    case 'opened':
      return { RecordType: 'Open', ...about, FirstOpen: true, ...seen }
    case 'clicked':
      return { RecordType: 'Click', ...about, ClickLocation: 'HTML', OriginalLink: link, ...seen }
    default:
      return {
        RecordType: 'SubscriptionChange',
        ...about,
        Recipient: recipient,
        ChangedAt: time,
        SuppressSending: true,
      }
  }
}

export const POSTMARK: Provider = {
  name: 'postmark',
  plugin: () => postmarkHook({ user: 'postmark', password: PASSWORD }),
  tell: ([event, ...more], moment) =>
    event === undefined || more.length > 0
      ? undefined
      : request(JSON.stringify(postmarkEvent(event)), moment, basic('postmark', PASSWORD)),
  forge: (asked) => [
    { ...asked, headers: {} },
    { ...asked, headers: basic('postmark', 'another password') },
    { ...asked, headers: basic('another', PASSWORD) },
    { ...asked, headers: { authorization: asked.headers.authorization?.replace('Basic', 'Bearer') ?? '' } },
  ],
  prove: (body, moment) => request(body, moment, basic('postmark', PASSWORD)),
  provesBody: false,
  tolerance: undefined,
}

const KEYS = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const OTHER_KEYS = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
export const SENDGRID_KEY = KEYS.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

function sendgridHeaders(body: Uint8Array, moment: Date, key = KEYS.privateKey) {
  const at = String(Math.floor(moment.getTime() / 1000))
  const signature = sign('sha256', Buffer.concat([Buffer.from(at), body]), key).toString('base64')
  return {
    'x-twilio-email-event-webhook-signature': signature,
    'x-twilio-email-event-webhook-timestamp': at,
  }
}

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event */
export function sendgridEvent({ kind, id, mail, recipient, at, diagnostic, link }: HookEvent): Json {
  const about = {
    ...{ email: recipient, timestamp: Math.floor(at.getTime() / 1000), 'smtp-id': mail.messageId, category: ['a'] },
    ...{ sg_event_id: id, sg_message_id: `${mail.providerId}.filter0001.16648.5515E0B88.0` },
  }
  const seen = { useragent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', ip: '192.0.2.1' }
  switch (kind) {
    case 'delivered':
      return { ...about, event: 'delivered', response: '250 OK' }
    case 'bounced': {
      const type = sortOf(diagnostic) === 'policy' ? 'blocked' : 'bounce'
      const status = /\b[45]\.\d\.\d\b/.exec(diagnostic)?.[0] ?? '5.0.0'
      return { ...about, event: 'bounce', type, reason: diagnostic, status, bounce_classification: 'Unclassified' }
    }
    case 'complained':
      return { ...about, event: 'spamreport' }
    case 'opened':
      return { ...about, event: 'open', ...seen }
    case 'clicked':
      return { ...about, event: 'click', url: link, ...seen }
    default:
      return { ...about, event: 'group_resubscribe', asm_group_id: 10 }
  }
}

export const SENDGRID: Provider = {
  name: 'sendgrid',
  plugin: () => sendgridHook({ publicKey: SENDGRID_KEY }),
  tell(events, moment) {
    // real bodies look like this, and are signed as they are, including the line end
    const body = Buffer.from(`[${events.map((event) => JSON.stringify(sendgridEvent(event))).join(',\r\n')}]\r\n`)
    return request(body, moment, sendgridHeaders(body, moment))
  },
  forge: (asked) => [
    { ...asked, headers: {} },
    { ...asked, headers: sendgridHeaders(asked.body, asked.receivedAt, OTHER_KEYS.privateKey) },
    { ...asked, headers: { ...asked.headers, 'x-twilio-email-event-webhook-signature': 'MEUCIQ==' } },
    { ...asked, headers: { ...asked.headers, 'x-twilio-email-event-webhook-signature': '%%' } },
    {
      ...asked,
      headers: {
        ...asked.headers,
        'x-twilio-email-event-webhook-timestamp': String(Math.floor(asked.receivedAt.getTime() / 1000) + 1),
      },
    },
  ],
  prove: (body, moment) => request(body, moment, sendgridHeaders(body, moment)),
  provesBody: true,
  tolerance: 90_000,
}

const SIGNING_KEY = 'a mailgun webhook signing key'

/** https://documentation.mailgun.com/docs/mailgun/user-manual/events/event-structure */
export function mailgunEvent({ kind, id, mail, recipient, at, diagnostic, link }: HookEvent): Json {
  const headers = { to: recipient, 'message-id': mail.messageId.replace(/^<(.*)>$/, '$1'), from: 'hello@example.com' }
  const about = { id, timestamp: at.getTime() / 1000, recipient, message: { headers, size: 512 }, 'log-level': 'info' }
  const seen = { 'client-info': { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' }, ip: '192.0.2.1' }
  switch (kind) {
    case 'delivered':
      return { event: 'delivered', ...about, 'delivery-status': { code: 250, message: 'OK' } }
    case 'bounced': {
      const [, code, message] = /^(\d{3}) (.*)$/.exec(diagnostic) ?? []
      const status = { code: Number(code), message, description: '', 'attempt-no': 1 }
      return { event: 'failed', severity: 'permanent', reason: 'bounce', ...about, 'delivery-status': status }
    }
    case 'complained':
      return { event: 'complained', ...about }
    case 'opened':
      return { event: 'opened', ...about, ...seen }
    case 'clicked':
      return { event: 'clicked', ...about, ...seen, url: link }
    default:
      return { event: 'stored', ...about, ...seen }
  }
}

export function mailgunSignature(moment: Date, key = SIGNING_KEY) {
  const [token, timestamp] = [randomBytes(25).toString('hex'), String(Math.floor(moment.getTime() / 1000))]
  return { token, timestamp, signature: createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex') }
}

export const MAILGUN: Provider = {
  name: 'mailgun',
  plugin: () => mailgunHook({ signingKey: SIGNING_KEY }),
  tell: ([event, ...more], moment) =>
    event === undefined || more.length > 0
      ? undefined
      : request(JSON.stringify({ signature: mailgunSignature(moment), 'event-data': mailgunEvent(event) }), moment),
  forge: (asked) => {
    const given = JSON.parse(Buffer.from(asked.body).toString())
    const { signature } = given
    return [
      { ...given, signature: {} },
      { ...given, signature: mailgunSignature(asked.receivedAt, 'a key of somebody else') },
      { ...given, signature: { ...signature, token: 'another' } },
      { ...given, signature: { ...signature, signature: '' } },
      { ...given, signature: { ...signature, timestamp: String(Number(signature.timestamp) + 1) } },
    ].map((body) => request(JSON.stringify(body), asked.receivedAt))
  },
  prove: () => undefined,
  provesBody: false,
  tolerance: 32_400,
}

export const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:mailwright'
export const CERTIFICATE_URL =
  'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem'
const AMAZON = generateKeyPairSync('rsa', { modulusLength: 2048 })
const OTHER_AMAZON = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** A certificate of the key that signs messages, unless another is given. */
export function amazonCertificate(change: Partial<CertificateFacts> = {}): string {
  const year = 365 * 86_400_000
  const around = { from: new Date(Date.now() - 2 * year), to: new Date(Date.now() + 2 * year) }
  return certificate({ publicKey: AMAZON.publicKey, privateKey: AMAZON.privateKey, ...around, ...change })
}

/** https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html */
export function sesEvent({ kind, id, mail, recipient, at, diagnostic, link }: HookEvent): Json {
  const timestamp = at.toISOString()
  const headers = [
    { name: 'From', value: 'hello@example.com' },
    { name: 'Message-ID', value: mail.messageId },
  ]
  const sent = { timestamp, source: 'hello@example.com', messageId: mail.providerId, destination: [recipient], headers }
  const about = { mail: { ...sent, headersTruncated: false, tags: { 'ses:configuration-set': ['mailwright'] } } }
  const seen = { ipAddress: '192.0.2.1', timestamp, userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' }
  switch (kind) {
    case 'delivered':
      return {
        eventType: 'Delivery',
        ...about,
        delivery: { timestamp, recipients: [recipient], smtpResponse: '250 ok' },
      }
    case 'bounced': {
      const sort = sortOf(diagnostic)
      const [bounceType, bounceSubType] = sort === 'transient' ? ['Transient', 'MailboxFull'] : ['Permanent', 'General']
      const status = /\b[45]\.\d\.\d\b/.exec(diagnostic)?.[0]
      const whom = { emailAddress: recipient, action: 'failed', status, diagnosticCode: `smtp; ${diagnostic}` }
      const bounce = { bounceType, bounceSubType, bouncedRecipients: [whom], timestamp, feedbackId: id }
      return { eventType: 'Bounce', ...about, bounce }
    }
    case 'complained': {
      const complainedRecipients = [{ emailAddress: recipient }]
      const complaint = { complainedRecipients, timestamp, feedbackId: id, complaintFeedbackType: 'abuse' }
      return { eventType: 'Complaint', ...about, complaint }
    }
    case 'opened':
      return { eventType: 'Open', ...about, open: seen }
    case 'clicked':
      return { eventType: 'Click', ...about, click: { ...seen, link, linkTags: null } }
    default:
      return { eventType: 'Subscription', ...about, subscription: { contactList: 'ContactListName' } }
  }
}

/** A message of Amazon SNS, signed by its `SignatureVersion` after all changes. */
export function snsMessage(change: Json, moment: Date, key = AMAZON.privateKey): Json {
  const message: Json = {
    ...{ Type: 'Notification', MessageId: randomUUID(), TopicArn: TOPIC, Timestamp: moment.toISOString() },
    ...{ SignatureVersion: '1', SigningCertURL: CERTIFICATE_URL, ...change },
  }
  const names =
    message.Type === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
  const text = names.flatMap((name) => (message[name] === undefined ? [] : [name, message[name]])).join('\n')
  const digest = message.SignatureVersion === '2' ? 'RSA-SHA256' : 'RSA-SHA1'
  return { ...message, Signature: sign(digest, Buffer.from(`${text}\n`), key).toString('base64') }
}

export const snsRequest = (message: Json, moment: Date) =>
  request(JSON.stringify(message), moment, { 'x-amz-sns-message-type': String(message.Type) })

const SES: Provider = {
  name: 'ses',
  plugin: () => sesHook({ topics: TOPIC }),
  tell: ([event, ...more], moment) =>
    event === undefined || more.length > 0
      ? undefined
      : snsRequest(snsMessage({ Message: JSON.stringify(sesEvent(event)) }, moment), moment),
  forge(asked) {
    const { receivedAt } = asked
    const given: Json = JSON.parse(Buffer.from(asked.body).toString())
    return [
      { ...given, Signature: '' },
      { ...given, SignatureVersion: '2' },
      { ...given, MessageId: randomUUID() },
      snsMessage({ Message: given.Message }, receivedAt, OTHER_AMAZON.privateKey),
      { ...given, SigningCertURL: 'https://sns.eu-central-1.amazonaws.com.evil.example/a.pem' },
    ].map((message) => snsRequest(message, receivedAt))
  },
  prove: () => undefined,
  provesBody: true,
  tolerance: 7200,
  webhooks: {
    send: async ({ url }) =>
      url === CERTIFICATE_URL
        ? { outcome: 'answered', status: 200, headers: {}, body: amazonCertificate() }
        : { outcome: 'answered', status: 403, headers: {}, body: '' },
  },
}

export const PROVIDERS: readonly Provider[] = [POSTMARK, SENDGRID, MAILGUN, SES]
