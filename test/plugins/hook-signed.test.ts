import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { EngineError, silentLog, systemClock } from '../../config/library.ts'
import type { HookRequest, HttpHook } from '../../core/ports/http-hook.ts'
import { signedHook } from '../../plugins/hook-signed/index.ts'
import { type HookEvent, httpHookContract } from '../contracts/http-hook.ts'

const KIT = { log: silentLog, clock: systemClock }
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const NOW = new Date('2026-03-14T15:09:26Z')

/** Signed by the published library, so that ours is measured by it. */
function signed(body: string | Uint8Array, moment = NOW, secret = SECRET, id = 'msg_1'): HookRequest {
  const signature = new Webhook(secret).sign(id, moment, Buffer.from(body).toString())
  const at = String(Math.floor(moment.getTime() / 1000))
  return {
    method: 'POST',
    headers: { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature },
    query: new URLSearchParams(),
    body: Buffer.from(body),
    receivedAt: moment,
  }
}

const reportOf = ({ kind, id, mail: { messageId }, recipient, at, diagnostic, link }: HookEvent) => ({
  ...{ kind, key: id, mail: { messageId }, recipient, at },
  ...(kind === 'bounced' ? { bounce: { diagnostic } } : {}),
  ...(kind === 'clicked' ? { link } : {}),
})

async function open(options: Parameters<typeof signedHook>[0] = { secret: SECRET }): Promise<HttpHook> {
  return (await signedHook(options).open(KIT)).hook
}
const ask = async (request: HookRequest, hook?: HttpHook) =>
  (hook ?? (await open())).receive(request, new AbortController().signal)

describe('the hook for signed reports', () => {
  httpHookContract(async () => ({
    hook: await open(),
    tell: (events, moment) =>
      signed(JSON.stringify(events.length === 1 ? reportOf(events[0] as HookEvent) : events.map(reportOf)), moment),
    forge: (request) => [
      signed(request.body, request.receivedAt, OTHER),
      { ...request, headers: {} },
      { ...request, headers: { ...request.headers, 'webhook-id': 'msg_2' } },
      { ...request, headers: { ...request.headers, 'webhook-signature': 'v1,' } },
      {
        ...request,
        headers: {
          ...request.headers,
          'webhook-signature': request.headers['webhook-signature']?.replace('v1', 'v2') ?? '',
        },
      },
    ],
    prove: (body, moment) =>
      Buffer.from(Buffer.from(body).toString()).equals(Buffer.from(body)) ? signed(body, moment) : undefined,
    provesBody: true,
    refusesOtherKinds: true,
    tolerance: 300,
    close: async () => {},
  }))

  it('takes either secret while it is changed, and either signature', async () => {
    const hook = await open({ secret: [OTHER, SECRET] })
    expect(await ask(signed('[]'), hook)).toEqual({ outcome: 'taken', reports: [] })
    const one = signed('[]')
    const both = { ...one.headers, 'webhook-signature': `v1,AAAA ${one.headers['webhook-signature']}` }
    expect(await ask({ ...one, headers: both })).toEqual({ outcome: 'taken', reports: [] })
  })

  it('fills in the key, the time and the class that are left out, the same ones when the request comes again', async () => {
    const report = { kind: 'bounced', mail: { emailId: 'x' }, bounce: { status: '5.1.1' } }
    const answer = await ask(signed(JSON.stringify([report, report])))
    expect(answer).toEqual({
      outcome: 'taken',
      reports: [
        { ...report, at: NOW, key: 'msg_1 0' },
        { ...report, at: NOW, key: 'msg_1 1' },
      ],
    })
  })

  it.each<[string, unknown, string]>([
    ['no mail', { kind: 'bounced' }, 'mail'],
    ['a mail without a name', { kind: 'bounced', mail: {} }, 'mail'],
    ['a mail with two names', { kind: 'opened', mail: { emailId: 'a', messageId: 'b' } }, 'mail'],
    ['a name that is none', { kind: 'opened', mail: { emailId: 1 } }, 'mail.emailId'],
    ['a long name', { kind: 'opened', mail: { messageId: 'm'.repeat(1001) } }, 'mail.messageId'],
    ['a date that is none', { kind: 'opened', mail: { emailId: 'a' }, at: 'soon' }, 'at'],
    ['a class that is none', { kind: 'bounced', mail: { emailId: 'a' }, bounce: { class: 'hard' } }, 'bounce.class'],
    ['a kind that is none', { kind: 'bounce', mail: { emailId: 'a' } }, 'kind'],
    ['no kind', { mail: { emailId: 'a' } }, 'kind'],
  ])('names the field and its place: %s', async (_what, report, field) => {
    const error = await ask(signed(JSON.stringify(report))).catch((thrown: unknown) => thrown)
    expect(EngineError.is(error) && error.fields.map((problem) => problem.field)).toEqual([field])
    const fine = { kind: 'opened', mail: { emailId: 'a' } }
    const inList = await ask(signed(JSON.stringify([fine, report]))).catch((thrown: unknown) => thrown)
    expect(EngineError.is(inList) && inList.fields.map((problem) => problem.field)).toEqual([`1.${field}`])
  })

  it.each<[string, unknown]>([
    ['no secret', {}],
    ['a secret of another form', { secret: 'a secret of another form' }],
    ['a short one', { secret: 'whsec_AAAA' }],
    ['none in the list', { secret: [] }],
    ['an unknown option', { secret: SECRET, secrets: [] }],
  ])('is not set up with %s', (_what, options) => {
    expect(Reflect.apply(signedHook, undefined, [options]).problems()).not.toEqual([])
  })
})
