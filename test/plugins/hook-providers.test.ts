import { describe, expect, it } from 'vitest'
import { type HookRequest, silentLog, systemClock } from '../../config/library.ts'
import { storable } from '../../core/feedback/report.ts'
import type { FeedbackReport } from '../../core/ports/feedback-report.ts'
import { mailgunHook } from '../../plugins/hook-mailgun/index.ts'
import { postmarkHook } from '../../plugins/hook-postmark/index.ts'
import { sendgridHook } from '../../plugins/hook-sendgrid/index.ts'
import { type HookEvent, httpHookContract } from '../contracts/http-hook.ts'
import {
  MAILGUN,
  mailgunEvent,
  mailgunSignature,
  POSTMARK,
  PROVIDERS,
  type Provider,
  postmarkEvent,
  SENDGRID,
  SENDGRID_KEY,
  sendgridEvent,
} from '../support/provider-hooks.ts'

const KIT = { log: silentLog, clock: systemClock }
const NOW = new Date('2026-03-14T15:09:26Z')
const EVENT: HookEvent = {
  ...{ kind: 'bounced', id: '1', recipient: 'ada@example.org', at: NOW, link: 'https://example.com/' },
  mail: { emailId: 'the-id', messageId: '<the-id@example.com>', providerId: 'the-provider-id' },
  diagnostic: '550 5.1.1 User unknown',
}

for (const provider of PROVIDERS) {
  describe(`the hook for ${provider.name}`, () => {
    const { webhooks } = provider
    httpHookContract(async () => ({
      ...provider,
      hook: (await provider.plugin().open({ ...KIT, ...(webhooks && { webhooks }) })).hook,
      close: async () => {},
    }))
  })
}

/** The report of this event, changed so: the kind, and of a bounce its class. */
async function said({ plugin, prove }: Provider, event: object, change: object): Promise<string | undefined> {
  const { hook } = await plugin().open(KIT)
  const whole = { ...event, ...change }
  const proven = prove(Buffer.from(JSON.stringify(prove === SENDGRID.prove ? [whole] : whole)), NOW)
  const body = Buffer.from(JSON.stringify({ signature: mailgunSignature(NOW), 'event-data': whole }))
  const answer = await hook.receive(proven ?? ({ ...unsigned, body } as HookRequest), new AbortController().signal)
  expect(answer.outcome).toBe('taken')
  const report: FeedbackReport | undefined = answer.outcome === 'taken' ? answer.reports[0] : undefined
  const kind = report?.hasLeft ? `${report.kind}, has left` : report?.kind
  return report?.kind === 'bounced' ? storable(report).bounce?.class : kind
}
const unsigned = { method: 'POST', headers: {}, query: new URLSearchParams(), receivedAt: NOW }

describe('a bounce of Postmark', () => {
  const spam = 'smtp;550 5.7.1 Message rejected as spam'
  it.each([
    ['HardBounce', 'smtp;550 5.1.1 User unknown', 'permanent'],
    ['HardBounce', 'unable to deliver', 'permanent'],
    // what Postmark calls hard, and the server's words are of something else
    ['HardBounce', spam, 'policy'],
    ['HardBounce', 'smtp;552 5.2.2 Mailbox full', 'transient'],
    ['BadEmailAddress', 'the address is not valid', 'permanent'],
    ['SoftBounce', 'smtp;452 4.2.2 over quota', 'transient'],
    // what Postmark calls soft is never made more
    ['SoftBounce', 'smtp;550 5.1.1 User unknown', 'transient'],
    ['DnsError', '', 'transient'],
    ['Transient', 'smtp;451 4.4.1 timeout', 'delayed'],
    ['Blocked', 'smtp;554 refused', 'policy'],
    ['SpamNotification', spam, 'policy'],
    ['DMARCPolicy', '', 'policy'],
    ['VirusNotification', '', 'policy'],
    ['Unknown', 'smtp;550 5.1.1 User unknown', 'permanent'],
    ['Unknown', '', 'unknown'],
    ['SpamComplaint', '', 'complained'],
    ['ManuallyDeactivated', '', 'rejected'],
    ['SMTPApiError', '', 'rejected'],
    ['AutoResponder', 'I am on holiday', undefined],
    ['Unsubscribe', '', 'unsubscribed'],
    ['AddressChange', '', undefined],
    ['constructor', '', undefined],
  ])('%s, "%s": %s', async (Type, Details, what) => {
    expect(await said(POSTMARK, postmarkEvent(EVENT), { Type, Details })).toBe(what)
  })

  it.each([
    [{ SuppressSending: true, SuppressionReason: 'ManualSuppression', Origin: 'Recipient' }, 'unsubscribed'],
    [{ SuppressSending: true, SuppressionReason: 'ManualSuppression', Origin: 'Customer' }, undefined],
    [{ SuppressSending: true, SuppressionReason: 'HardBounce', Origin: 'Recipient' }, undefined],
    [{ SuppressSending: false, SuppressionReason: null, Origin: 'Recipient' }, undefined],
  ])('a change of its list, %j: %s', async (change, what) => {
    const RecordType = 'SubscriptionChange'
    expect(await said(POSTMARK, postmarkEvent(EVENT), { RecordType, ...change })).toBe(what)
  })

  it('names our mail by its metadata, and else by the id Postmark gave it', async () => {
    const { hook } = await POSTMARK.plugin().open(KIT)
    const [named, plain] = [postmarkEvent(EVENT), { ...postmarkEvent(EVENT), Metadata: {} }]
    for (const [event, mail] of [
      [named, { emailId: 'the-id' }],
      [plain, { providerId: 'the-provider-id' }],
    ]) {
      const request = POSTMARK.prove(Buffer.from(JSON.stringify(event)), NOW) as HookRequest
      expect(await hook.receive(request, new AbortController().signal)).toMatchObject({ reports: [{ mail }] })
    }
  })

  it('may be proven by a header field', async () => {
    const secret = 'a long secret of the header'
    const { hook } = await postmarkHook({ header: 'X-Hook-Secret', secret }).open(KIT)
    const request = POSTMARK.tell([EVENT], NOW) as HookRequest
    const ask = (headers: HookRequest['headers']) => hook.receive({ ...request, headers }, new AbortController().signal)
    expect(await ask({ 'x-hook-secret': secret })).toMatchObject({ outcome: 'taken' })
    expect(await ask({ 'x-hook-secret': `${secret} ` })).toMatchObject({ status: 401 })
    expect(await ask(request.headers)).toMatchObject({ status: 401 })
  })

  it.each([
    ['nothing', {}],
    ['half', { user: 'u' }],
    ['both', { user: 'u', password: 'p'.repeat(16), header: 'x', secret: 's'.repeat(16) }],
    ['a mixture', { user: 'u', secret: 's'.repeat(16) }],
    ['a short password', { user: 'u', password: 'p'.repeat(15) }],
  ])('is not set up with %s', (_what, options) => {
    expect(postmarkHook(options).problems()).not.toEqual([])
  })
})

describe('a bounce of SendGrid', () => {
  it.each([
    [{ type: 'bounce', reason: '550 5.1.1 User unknown' }, 'permanent'],
    [{ type: 'bounce', reason: 'no reason' }, 'permanent'],
    [{ type: 'bounce', reason: '550 5.7.1 blocked as spam' }, 'policy'],
    [{ type: 'bounce', reason: '552 5.2.2 Mailbox full', status: '5.2.2' }, 'transient'],
    [{ type: 'bounce', reason: 'x', bounce_classification: 'Reputation' }, 'policy'],
    [{ type: 'bounce', reason: 'x', bounce_classification: 'Technical Failure' }, 'transient'],
    [{ type: 'bounce', reason: '550 5.1.1 unknown user', bounce_classification: 'Mailbox Unavailable' }, 'permanent'],
    [{ type: 'blocked', reason: '554 no' }, 'policy'],
    [{ type: 'blocked', reason: '550 5.1.1 User unknown', bounce_classification: 'Invalid Address' }, 'policy'],
    [{ type: 'blocked', reason: 'x', bounce_classification: 'Technical Failure' }, 'transient'],
    [{ type: 'expired', reason: 'unable to get mx info' }, 'transient'],
    [{ event: 'deferred', response: '450 later' }, 'delayed'],
    [{ event: 'dropped', reason: 'Bounced Address' }, 'permanent'],
    [{ event: 'dropped', reason: 'Spam Reporting Address' }, 'rejected'],
    [{ event: 'dropped', reason: 'Unsubscribed Address' }, 'rejected, has left'],
    [{ event: 'dropped', reason: 'Invalid SMTPAPI header' }, 'rejected'],
    [{ event: 'unsubscribe' }, 'unsubscribed'],
    [{ event: 'group_unsubscribe', asm_group_id: 1 }, 'unsubscribed'],
    [{ event: 'group_resubscribe', asm_group_id: 1 }, undefined],
    [{ event: 'processed' }, undefined],
    [{ event: 'account_status_change' }, undefined],
  ])('%j: %s', async (change, what) => {
    const { bounce_classification: _, status: __, ...event } = sendgridEvent(EVENT) as Record<string, unknown>
    expect(await said(SENDGRID, event, change)).toBe(what)
  })

  it('names our mail by the unique argument where there is one, and knows who opens for everybody', async () => {
    const { hook } = await SENDGRID.plugin().open(KIT)
    const events = [
      sendgridEvent({ ...EVENT, kind: 'opened' }),
      { ...sendgridEvent({ ...EVENT, kind: 'opened' }), mailwright: 'the-id', sg_machine_open: true },
    ]
    const request = SENDGRID.prove(Buffer.from(JSON.stringify(events)), NOW) as HookRequest
    const answer = await hook.receive(request, new AbortController().signal)
    expect(answer).toMatchObject({
      reports: [{ mail: { messageId: '<the-id@example.com>' } }, { mail: { emailId: 'the-id' }, machine: true }],
    })
    expect(answer.outcome === 'taken' && answer.reports[0]).not.toHaveProperty('machine')
  })

  it('is proven by the key as the console shows it, and as PEM; by no other', () => {
    const pem = `-----BEGIN PUBLIC KEY-----\n${SENDGRID_KEY}\n-----END PUBLIC KEY-----`
    expect(sendgridHook({ publicKey: pem }).problems()).toEqual([])
    for (const publicKey of ['', 'MFkwEwYHKoZIzj0CAQYIKoZIzj0D', pem.replace('MFkw', 'MFkx'), RSA]) {
      expect(sendgridHook({ publicKey }).problems()).toMatchObject([{ field: 'publicKey' }])
    }
  })
})

/** A key of another kind. */
const RSA =
  'MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit+CqvjWYzvQwECAwEAAQ=='

describe('a failure of Mailgun', () => {
  const status = (code: number, message: string) => ({ 'delivery-status': { code, message } })
  it.each([
    [status(550, '5.1.1 The email account that you tried to reach does not exist'), 'permanent'],
    [status(550, '5.7.1 Our system has detected that this message is likely spam'), 'policy'],
    [status(552, '5.2.2 The mailbox is over quota'), 'transient'],
    [{ reason: 'suppress-bounce', ...status(605, '') }, 'permanent'],
    [{ reason: 'suppress-complaint', ...status(607, '') }, 'rejected'],
    [{ reason: 'suppress-unsubscribe' }, 'rejected, has left'],
    [
      { reason: 'suppress-unsubscribe', ...status(606, 'Not delivering to unsubscribed address') },
      'rejected, has left',
    ],
    [{ reason: 'old', ...status(602, 'Too old') }, 'transient'],
    [{ reason: 'old', severity: 'temporary', ...status(498, 'No MX') }, 'transient'],
    [{ reason: 'generic', severity: 'temporary', ...status(451, '4.7.1 Greylisted') }, 'delayed'],
    [{ event: 'rejected', reject: { reason: 'Sandbox subdomains' } }, 'rejected'],
    [{ event: 'unsubscribed' }, 'unsubscribed'],
    [{ event: 'accepted' }, undefined],
    [{ event: 'stored' }, undefined],
  ])('%j: %s', async (change, what) => {
    expect(await said(MAILGUN, mailgunEvent(EVENT), change)).toBe(what)
  })

  it('is proven by the account above as well, and counts its token once', async () => {
    const { hook } = await MAILGUN.plugin().open(KIT)
    const right = mailgunSignature(NOW)
    const signature = { ...right, signature: 'that of the subaccount', 'parent-signature': right.signature }
    const body = Buffer.from(JSON.stringify({ signature, 'event-data': mailgunEvent(EVENT) }))
    const answer = await hook.receive({ ...unsigned, body }, new AbortController().signal)
    expect(answer).toMatchObject({ outcome: 'taken', once: right.token })
  })

  it('needs a key, and knows no other options', () => {
    expect(mailgunHook({ signingKey: 'short' }).problems()).toMatchObject([{ field: 'signingKey' }])
    expect(Reflect.apply(mailgunHook, undefined, [{ signingKey: 'k'.repeat(32), apiKey: '' }]).problems()).toHaveLength(
      1,
    )
  })
})
