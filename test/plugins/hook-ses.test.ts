import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { HttpHook, Log, WebhookSender } from '../../config/library.ts'
import { silentLog, systemClock } from '../../config/library.ts'
import { storable } from '../../core/feedback/report.ts'
import type { FeedbackReport } from '../../core/ports/feedback-report.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { sesHook } from '../../plugins/hook-ses/index.ts'
import { isCertificateUrl } from '../../plugins/hook-ses/sns-url.ts'
import { webhooksHttp } from '../../plugins/webhooks-http/index.ts'
import type { HookEvent } from '../contracts/http-hook.ts'
import {
  amazonCertificate,
  CERTIFICATE_URL,
  sesEvent,
  snsMessage,
  snsRequest,
  TOPIC,
} from '../support/provider-hooks.ts'

const KIT = { log: silentLog, clock: systemClock }
const CERTIFICATE = amazonCertificate()
const NOW = new Date()
const NEVER = new AbortController().signal
const HOST = 'https://sns.eu-central-1.amazonaws.com'
const CONFIRM = `${HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=2336412f37fb687f5d51e6e241d59b68`
const SUBSCRIPTION = { Type: 'SubscriptionConfirmation', Message: 'You have chosen', Token: 't', SubscribeURL: CONFIRM }
const EVENT: HookEvent = {
  ...{ kind: 'bounced', id: '1', recipient: 'ada@example.org', at: NOW, link: 'https://example.com/' },
  mail: { emailId: 'the-id', messageId: '<the-id@example.com>', providerId: '0100018f-0000' },
  diagnostic: '550 5.1.1 User unknown',
}
type Json = Readonly<Record<string, unknown>>

const pem = (name: string) => readFileSync(new URL(`../support/localhost-${name}.pem`, import.meta.url))
/** The server's own way out, which trusts the server of the test. */
let real: Promise<WebhookSender> | undefined
async function wayOut(): Promise<WebhookSender> {
  const { dns } = await nodeDns().open(KIT)
  const egress = { dns, allow: ['127.0.0.0/8', '::1'] }
  return (await webhooksHttp({ ca: pem('cert').toString() }).open({ ...KIT, egress })).webhooks
}

/** Amazon's own host, on this machine: requests to it go by the real way out, over TLS, to a server of the test. */
async function amazon(handle: RequestListener) {
  const server = createServer({ cert: pem('cert'), key: pem('key') }, handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  real ??= wayOut()
  const sender = await real
  const asked: string[] = []
  const here = `https://localhost:${(server.address() as AddressInfo).port}`
  const webhooks: WebhookSender = {
    send(request, signal) {
      asked.push(request.url)
      return sender.send({ ...request, url: request.url.replace(new URL(request.url).origin, here) }, signal)
    },
  }
  return { webhooks, asked }
}

/** Who only gives the certificate, and notes who asked for what. */
function archive() {
  const asked: string[] = []
  const webhooks: WebhookSender = {
    async send({ url }) {
      asked.push(url)
      return { outcome: 'answered', status: 200, headers: {}, body: CERTIFICATE }
    },
  }
  return { webhooks, asked }
}

async function open(webhooks: WebhookSender, log: Log = silentLog): Promise<HttpHook> {
  return (await sesHook({ topics: [TOPIC] }).open({ log, clock: systemClock, webhooks })).hook
}

const ask = async (hook: HttpHook, message: Json, at = NOW) => hook.receive(snsRequest(message, at), NEVER)
const notice = (change: Json = {}, at = NOW) => snsMessage({ Message: JSON.stringify(sesEvent(EVENT)), ...change }, at)

describe('the host of Amazon SNS', () => {
  it.each([
    CERTIFICATE_URL,
    'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-01d088a6f77103d0fe307c0069e40ed6.pem',
    'https://sns.us-gov-west-1.amazonaws.com/a.pem',
    'https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-a.pem',
  ])('is this: %s', (url) => {
    expect(isCertificateUrl(url)).toBe(true)
  })

  const PATH = 'SimpleNotificationService-a.pem'
  it.each([
    ['of another scheme', 'http://sns.us-east-1.amazonaws.com'],
    ['with a name behind it', 'https://sns.us-east-1.amazonaws.com.evil.example'],
    ['with a name before it', 'https://evil-sns.us-east-1.amazonaws.com'],
    ['with a name between', 'https://sns.us-east-1.evil.amazonaws.com'],
    ['of a bucket', 'https://sns.us-east-1.s3.amazonaws.com'],
    ['of a bucket with such a name', 'https://sns-us-east-1.amazonaws.com'],
    ['without a region', 'https://sns.amazonaws.com'],
    ['of a region that is none', 'https://sns.evil.amazonaws.com'],
    ['with a final dot', 'https://sns.us-east-1.amazonaws.com.'],
    ['with a final dot and no region', 'https://sns.evil.amazonaws.com.'],
    ['with a user', 'https://sns.us-east-1.amazonaws.com@evil.example'],
    ['with a user and a password', 'https://a:b@sns.us-east-1.amazonaws.com'],
    ['with a port', 'https://sns.us-east-1.amazonaws.com:8443'],
    ['with the usual port', 'https://sns.us-east-1.amazonaws.com:443'],
    ['with a backslash', 'https://sns.us-east-1.amazonaws.com\\@evil.example'],
    ['with an encoded slash', 'https://sns.us-east-1.amazonaws.com%2f@evil.example'],
    ['in capitals', 'https://SNS.us-east-1.amazonaws.com'],
    ['of letters that look alike', 'https://sns.us-east-1.amаzonaws.com'],
    ['with a full-width dot', 'https://sns.us-east-1.amazonaws．com'],
    ['with a space before', ' https://sns.us-east-1.amazonaws.com'],
    ['with a tab inside', 'https://sns.us-east-1.amazon\taws.com'],
    ['of another top domain', 'https://sns.us-east-1.amazonaws.com.uk'],
    ['of an address', 'https://127.0.0.1'],
    ['of a file', 'file:///etc'],
    ['of nothing', ''],
    ['of many hyphens', `https://sns.${'a-'.repeat(5000)}1.amazonaws.com`],
  ])('is none %s, and nobody is asked there', async (_what, origin) => {
    const { webhooks, asked } = archive()
    const hook = await open(webhooks)
    const given = notice({ SigningCertURL: `${origin}/${PATH}` })
    expect(await ask(hook, given)).toMatchObject({ outcome: 'refused', status: 401 })
    expect(asked).toEqual([])
    const wish = { ...SUBSCRIPTION, SubscribeURL: CONFIRM.replace(HOST, origin) }
    expect(await ask(hook, snsMessage(wish, NOW))).toMatchObject({ outcome: 'refused', status: 403 })
    expect(asked).toEqual([CERTIFICATE_URL])
  })

  it.each([
    ['in a path', `/../${PATH}`],
    ['with a query', `/${PATH}?a=b`],
    ['in a query', `/?Action=GetTopic&a=${PATH}`],
    ['in a fragment', `/#${PATH}`],
    ['with a line end', `/${PATH}\n`],
    ['with another end', '/a.pem.html'],
    ['with no end', `/${'a'.repeat(200)}.pem`],
    ['in a folder', `/a/${PATH}`],
  ])('has no certificate %s', async (_what, path) => {
    const { webhooks, asked } = archive()
    const given = notice({ SigningCertURL: `${HOST}${path}` })
    expect(await ask(await open(webhooks), given)).toMatchObject({ outcome: 'refused', status: 401 })
    expect(asked).toEqual([])
  })

  it.each([
    ['that confirms another topic', CONFIRM.replace('mailwright', 'other')],
    ['that does another thing', CONFIRM.replace('ConfirmSubscription', 'Unsubscribe')],
  ])('is not asked for an address %s', async (_what, url) => {
    const { webhooks, asked } = archive()
    const message = snsMessage({ ...SUBSCRIPTION, SubscribeURL: url }, NOW)
    expect(await ask(await open(webhooks), message)).toMatchObject({ outcome: 'refused', status: 403 })
    expect(asked).toEqual([CERTIFICATE_URL])
  })
})

describe('a message of Amazon SNS', () => {
  it('is believed with either version of the signature, and its certificate asked for once', async () => {
    const { webhooks, asked } = archive()
    const hook = await open(webhooks)
    const all = [
      { SignatureVersion: '1' },
      { SignatureVersion: '2' },
      { Subject: 'Amazon SES Email Event Notification' },
    ]
    const answers = await Promise.all([...all, ...all].map((change) => ask(hook, notice(change))))
    for (const answer of answers) expect(answer).toMatchObject({ outcome: 'taken', reports: [{ kind: 'bounced' }] })
    expect(asked).toEqual([CERTIFICATE_URL])
  })

  it.each<[string, Json, number]>([
    ['of another topic', { TopicArn: `${TOPIC}-2` }, 403],
    ['of another account', { TopicArn: TOPIC.replace('123456789012', '999999999999') }, 403],
    ['of a version to come', { SignatureVersion: '3' }, 401],
    ['of a version that is a name of all objects', { SignatureVersion: 'constructor' }, 401],
    ['of no version', { SignatureVersion: undefined }, 401],
    ['of another type', { Type: 'Other' }, 401],
    ['without a time', { Timestamp: undefined }, 401],
  ])('%s is refused before anybody is asked', async (_what, change, status) => {
    const { webhooks, asked } = archive()
    expect(await ask(await open(webhooks), notice(change))).toMatchObject({ outcome: 'refused', status })
    expect(asked).toEqual([])
  })

  it('is refused where delivery is raw, which nobody signs, with the way to mend it', async () => {
    const { webhooks } = archive()
    const request = snsRequest(sesEvent(EVENT), NOW)
    const raw = { ...request, headers: { 'x-amz-sns-rawdelivery': 'true' } }
    const answer = await (await open(webhooks)).receive(raw, NEVER)
    expect(answer).toMatchObject({ status: 401, message: expect.stringContaining('turn it off') })
  })

  it.each<[string, RequestListener, number, number]>([
    ['leads elsewhere', (_, response) => void response.writeHead(302, { location: '/b.pem' }).end(), 401, 1],
    ['is not there', (_, response) => void response.writeHead(404).end(), 401, 1],
    ['cannot be had', (_, response) => void response.writeHead(503).end(), 503, 1],
    ['breaks off', (request) => void request.socket.destroy(), 503, 1],
    ['is none', (_, response) => void response.end('-----BEGIN CERTIFICATE-----\nAAAA\n'), 401, 1],
    ['is too long', (_, response) => void response.end(CERTIFICATE + ' '.repeat(20_000)), 401, 1],
    ['never ends', (_, response) => void response.end('a'.repeat(10 * 1024 * 1024)), 401, 1],
  ])('whose certificate %s is refused, and not followed', async (_what, handle, status, times) => {
    const { webhooks, asked } = await amazon(handle)
    expect(await ask(await open(webhooks), notice())).toMatchObject({ outcome: 'refused', status })
    expect(asked).toHaveLength(times)
  })

  it('whose certificate is not valid now, or of a weak or another kind of key, is refused', async () => {
    const day = 86_400_000
    const [weak, curve] = [
      generateKeyPairSync('rsa', { modulusLength: 1024 }),
      generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
    ]
    let pem = ''
    const { webhooks } = await amazon((_request, response) => void response.end(pem))
    const hook = await open(webhooks)
    for (const facts of [
      { from: new Date(NOW.getTime() - 2 * day), to: new Date(NOW.getTime() - day) },
      { from: new Date(NOW.getTime() + day), to: new Date(NOW.getTime() + 2 * day) },
      { publicKey: weak.publicKey },
      { publicKey: curve.publicKey },
    ]) {
      pem = amazonCertificate(facts)
      expect(await ask(hook, notice())).toMatchObject({ outcome: 'refused', status: 401 })
    }
    // none of them is kept
    pem = amazonCertificate()
    expect(await ask(hook, notice())).toMatchObject({ outcome: 'taken' })
  })

  it('has a certificate that ends asked for again', async () => {
    const to = new Date(Math.floor(NOW.getTime() / 1000) * 1000 + 60_000)
    const { webhooks, asked } = await amazon((_request, response) => void response.end(amazonCertificate({ to })))
    const hook = await open(webhooks)
    expect(await ask(hook, notice())).toMatchObject({ outcome: 'taken' })
    const later = new Date(to.getTime() + 1000)
    expect(await ask(hook, notice({}, later), later)).toMatchObject({ outcome: 'refused', status: 401 })
    expect(asked).toHaveLength(2)
  })

  it('with names of certificates that are made up has few of them asked for, and known ones still count', async () => {
    const { webhooks, asked } = await amazon((request, response) =>
      request.url?.includes('made-up') ? void response.writeHead(404).end() : void response.end(CERTIFICATE),
    )
    const hook = await open(webhooks)
    expect(await ask(hook, notice())).toMatchObject({ outcome: 'taken' })
    const made = Array.from({ length: 30 }, (_, i) => notice({ SigningCertURL: `${HOST}/made-up-${i}.pem` }))
    const statuses = (await Promise.all(made.map((message) => ask(hook, message)))).map((answer) =>
      answer.outcome === 'refused' ? answer.status : 0,
    )
    expect(statuses.filter((status) => status === 401)).toHaveLength(9)
    expect(statuses.filter((status) => status === 503)).toHaveLength(21)
    expect(asked).toHaveLength(10)
    expect(await ask(hook, notice())).toMatchObject({ outcome: 'taken' })
  })

  it('that wants a subscription confirmed has it confirmed, once it is proven, and comes again when that fails', async () => {
    let status = 200
    const { webhooks, asked } = await amazon((request, response) =>
      request.url?.endsWith('.pem')
        ? void response.end(CERTIFICATE)
        : void response.writeHead(status, { location: '/elsewhere' }).end('<ConfirmSubscriptionResponse/>'),
    )
    const hook = await open(webhooks)
    const message = snsMessage(SUBSCRIPTION, NOW)
    const forged = { ...message, Signature: 'AAAA' }
    expect(await ask(hook, forged)).toMatchObject({ outcome: 'refused', status: 401 })
    expect(asked).toEqual([CERTIFICATE_URL])
    expect(await ask(hook, message)).toEqual({ outcome: 'taken', reports: [] })
    expect(asked).toEqual([CERTIFICATE_URL, CONFIRM])
    for (status of [302, 400, 500]) expect(await ask(hook, message)).toMatchObject({ outcome: 'refused', status: 503 })
    expect(asked).toHaveLength(5)
  })

  it('that ends a subscription is told in the log, and nobody is asked to end it or to begin it again', async () => {
    const lines: unknown[] = []
    const log: Log = { ...silentLog, warn: (message, fields) => void lines.push([message, fields]) }
    const { webhooks, asked } = archive()
    const end = snsMessage({ ...SUBSCRIPTION, Type: 'UnsubscribeConfirmation' }, NOW)
    const answer = await ask(await open(webhooks, log), end)
    expect(answer).toEqual({ outcome: 'taken', reports: [] })
    expect(asked).toEqual([CERTIFICATE_URL])
    expect(lines).toEqual([['Amazon SNS ended the subscription to a topic', { topic: TOPIC }]])
  })
})

describe('what Amazon SES tells', () => {
  const RECIPIENT = { emailAddress: 'ada@example.org' }
  const DSN = { ...RECIPIENT, action: 'failed', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 User unknown' }
  const bounce = (bounceType: string, bounceSubType: string, ...bouncedRecipients: readonly object[]) => ({
    notificationType: 'Bounce',
    bounce: { bounceType, bounceSubType, bouncedRecipients, timestamp: NOW.toISOString(), feedbackId: 'f' },
  })
  const complaint = (change: object) => ({
    notificationType: 'Complaint',
    complaint: { complainedRecipients: [RECIPIENT], timestamp: NOW.toISOString(), feedbackId: 'f', ...change },
  })

  async function told(event: object, mail: object = {}) {
    const { webhooks } = archive()
    const { mail: usual } = sesEvent(EVENT)
    const Message = JSON.stringify({ ...event, mail: { ...(usual as object), ...mail } })
    const answer = await ask(await open(webhooks), snsMessage({ Message }, NOW))
    expect(answer.outcome).toBe('taken')
    return answer.outcome === 'taken' ? answer.reports : []
  }

  it.each<[object, (string | undefined)[]]>([
    [bounce('Permanent', 'General', DSN), ['permanent']],
    [bounce('Permanent', 'General', RECIPIENT), ['permanent']],
    [bounce('Permanent', 'NoEmail', RECIPIENT), ['unknown']],
    [bounce('Permanent', 'Suppressed', RECIPIENT), ['permanent']],
    [bounce('Permanent', 'OnAccountSuppressionList', RECIPIENT), ['permanent']],
    [bounce('Permanent', 'UnsubscribedRecipient', RECIPIENT), ['has left']],
    [bounce('Permanent', 'General', { ...DSN, status: '5.7.1', diagnosticCode: 'smtp; 550 5.7.1 spam' }), ['policy']],
    [bounce('Transient', 'MailboxFull', { ...RECIPIENT, action: 'failed', status: '5.2.2' }), ['transient']],
    [bounce('Transient', 'MessageTooLarge', RECIPIENT), ['policy']],
    [bounce('Transient', 'ContentRejected', RECIPIENT), ['policy']],
    [bounce('Transient', 'AttachmentRejected', RECIPIENT), ['policy']],
    [bounce('Transient', 'CustomTimeoutExceeded', RECIPIENT), ['transient']],
    [bounce('Transient', 'General', { ...DSN, status: '4.4.7' }), ['transient']],
    // an answer of a person who is away
    [bounce('Transient', 'General', RECIPIENT), ['delayed']],
    [bounce('Undetermined', 'Undetermined', RECIPIENT), ['unknown']],
    [bounce('Undetermined', 'Undetermined', DSN), ['permanent']],
    [bounce('Permanent', 'General', DSN, { ...DSN, emailAddress: 'bob@example.org' }), ['permanent', 'permanent']],
    [bounce('Permanent', 'General'), []],
    [complaint({}), ['complained']],
    [complaint({ complaintFeedbackType: 'abuse' }), ['complained']],
    [complaint({ complaintFeedbackType: 'not-spam' }), []],
    [complaint({ complaintFeedbackType: 'auth-failure' }), []],
    // this mail was never sent; the address complained of another
    [complaint({ complaintSubType: 'OnAccountSuppressionList' }), ['permanent']],
    [
      { notificationType: 'Delivery', delivery: { recipients: ['a@example.org', 'b@example.org'] } },
      ['delivered', 'delivered'],
    ],
    [{ eventType: 'Reject', reject: { reason: 'Bad content' } }, ['rejected']],
    [{ eventType: 'Rendering Failure', failure: { errorMessage: 'no name', templateName: 't' } }, ['rejected']],
    [
      { eventType: 'DeliveryDelay', deliveryDelay: { delayType: 'MailboxFull', delayedRecipients: [DSN] } },
      ['delayed'],
    ],
    [{ eventType: 'Send', send: {} }, []],
    [{ eventType: 'constructor' }, []],
  ])('%j: %s', async (event, what) => {
    const reports = await told(event)
    const kindOf = ({ hasLeft, kind }: FeedbackReport) => (hasLeft ? 'has left' : kind)
    expect(
      reports.map((report) => (report.kind === 'bounced' ? storable(report).bounce?.class : kindOf(report))),
    ).toEqual(what)
    for (const { recipient } of reports.filter(({ kind }) => kind === 'complained'))
      expect(recipient).toBe('ada@example.org')
  })

  it('names our mail by the tag it was sent with, by our Message-ID, and by the id Amazon gave it', async () => {
    const id = '01900000-0000-7000-8000-000000000001'
    const header = (value: string) => ({ headers: [{ name: 'message-id', value }] })
    const event = bounce('Permanent', 'General', DSN)
    const mailOf = async (mail: object) => (await told(event, mail))[0]?.mail
    expect(await mailOf({ tags: { 'mailwright-email': [id] }, ...header(`<${id}@example.com>`) })).toEqual({
      emailId: id,
    })
    expect(await mailOf(header(`<${id}@example.com>`))).toEqual({ messageId: `<${id}@example.com>` })
    for (const mail of [header('<0100018f-0000@email.amazonses.com>'), { headers: undefined }]) {
      expect(await mailOf(mail)).toEqual({ providerId: '0100018f-0000' })
    }
  })

  it('of an opening names the recipient only where there is one', async () => {
    const open = { eventType: 'Open', open: { timestamp: NOW.toISOString(), userAgent: 'x' } }
    expect(await told(open)).toMatchObject([{ kind: 'opened', recipient: 'ada@example.org', userAgent: 'x', at: NOW }])
    const [report] = await told(open, { destination: ['ada@example.org', 'copy@example.org'] })
    expect(report).not.toHaveProperty('recipient')
  })

  it('in plain words when a topic is set up changes nothing', async () => {
    const { webhooks } = archive()
    const Message = 'Successfully validated SNS topic for Amazon SES event publishing.'
    expect(await ask(await open(webhooks), snsMessage({ Message }, NOW))).toEqual({ outcome: 'taken', reports: [] })
  })
})

it.each([
  ['no topic', {}],
  ['no topics', { topics: [] }],
  ['a topic that is none', { topics: 'mailwright' }],
  ['a topic of anybody', { topics: 'arn:aws:sns:*:123456789012:*' }],
  ['an unknown option', { topics: TOPIC, region: 'eu-central-1' }],
])('is not set up with %s', (_what, options) => {
  expect(Reflect.apply(sesHook, undefined, [options]).problems()).not.toEqual([])
})
