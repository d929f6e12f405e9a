import { createHash } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { causeOf, hopTrouble, sentence } from '../../core/bounces/refusal.ts'
import { refusalMeaning } from '../../core/bounces/refusal-meaning.ts'
import { silentLog } from '../../core/ports/log.ts'
import { textOf } from '../../core/values/advice.ts'
import { ses } from '../../plugins/mail-ses/index.ts'
import type { SesOptions } from '../../plugins/mail-ses/options.ts'
import { mailTransportContract } from '../contracts/mail-transport.ts'
import { outgoingMail } from '../contracts/outgoing-mail.ts'
import { type FakeSes, SES_KEY, SES_REGION, type SesError, type SesFate, startFakeSes } from '../support/fake-ses.ts'
import { signatureProblem } from '../support/sigv4.ts'
import { until } from '../support/until.ts'

const never = new AbortController().signal
const kit = { log: silentLog, clock: { now: () => new Date() } }

async function open(
  fake: Pick<FakeSes, 'endpoint'>,
  options: Partial<Parameters<typeof ses>[0]> = {},
  log = silentLog,
) {
  const given = { region: SES_REGION, endpoint: fake.endpoint, credentials: SES_KEY, ...options }
  return (await ses(given).open({ ...kit, log })).transport
}

/** Amazon's names for an answer of this status. */
const NAMES: Readonly<Record<number, string>> = {
  403: 'AccessDeniedException',
  429: 'TooManyRequestsException',
  500: 'InternalServiceErrorException',
}

describe('mail-ses', () => {
  mailTransportContract(async () => {
    const fake = await startFakeSes()
    return {
      transport: await open(fake),
      received: async () => fake.mails.map(({ raw, to, messageId: id }) => ({ raw, to, id })),
      // Amazon takes every address and tells of it later
      refuses: undefined,
      postpones: undefined,
      unplug: () => fake.close(),
      stall: () => fake.next('take and hang'),
      fails: (status) =>
        fake.always('POST /v2/email/outbound-emails', { status, name: NAMES[status] ?? 'X', message: 'no' }),
      garbles: (answer) => fake.garble(answer),
      close: () => fake.close(),
    }
  })
})

describe('the signature that the fake service asks for', () => {
  // Amazon's test suite for Signature Version 4: get-vanilla, post-vanilla-query and get-vanilla-query-order-key-case
  const scope = { ...SES_KEY, region: 'us-east-1', service: 'service' }
  const at = new Date('2015-08-30T12:36:00Z')
  const request = (method: string, target: string, signature: string) => ({
    ...{ method, target, body: new Uint8Array() },
    headers: [
      ['Host', 'example.amazonaws.com'],
      ['X-Amz-Date', '20150830T123600Z'],
      [
        'Authorization',
        `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
      ],
    ] as const,
  })

  it.each([
    ['GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['GET', '/?Param2=value2&Param1=value1', 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500'],
    ['POST', '/?Param1=value1', '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11'],
  ])('is that of Amazon’s own examples: %s %s', (method, target, signature) => {
    expect(signatureProblem(request(method, target, signature), scope, at)).toBeUndefined()
    const wrong = request(method, `${target}x`, signature)
    expect(signatureProblem(wrong, scope, at)).toBe('InvalidSignatureException')
    expect(signatureProblem(request(method, target, signature), scope, new Date())).toBe('RequestExpired')
  })
})

describe('mail-ses and Amazon', () => {
  let fake: FakeSes | undefined
  const start = async (options: Partial<Parameters<typeof ses>[0]> = {}) => {
    fake = await startFakeSes()
    return { fake, transport: await open(fake, options) }
  }
  afterEach(async () => {
    await fake?.close()
    fake = undefined
  })

  it('names the sender, the envelope, the configuration set, and the record in a tag; answers how the mail is called there', async () => {
    const { fake, transport } = await start({ configurationSet: 'events', feedbackForwarding: true })
    const envelope = { from: 'b+0123@bounces.test', to: ['ada@example.com', 'blind@bücher.example'] }
    const mail = outgoingMail({ envelope, from: { email: 'hello@müller.example', name: 'Müller' } })
    const answer = await transport.send(mail, never)
    expect(fake.mails).toMatchObject([
      {
        from: 'hello@xn--mller-kva.example',
        to: ['ada@example.com', 'blind@xn--bcher-kva.example'],
        ...{ configurationSet: 'events', feedback: 'b+0123@bounces.test', tags: { 'mailwright-email': mail.id } },
      },
    ])
    const id = fake.mails[0]?.messageId
    // the recipient sees another Message-ID than ours
    const messageId = `<${id}@eu-central-1.amazonses.com>`
    expect(answer).toEqual({ outcome: 'accepted', id, messageId, deliveryPending: true })
  })

  it('leaves the return path to Amazon unless it is told to name it', async () => {
    const { fake, transport } = await start()
    await transport.send(outgoingMail(), never)
    expect(fake.mails).toMatchObject([{ feedback: undefined, configurationSet: undefined }])
  })

  const answers: readonly (readonly [SesError, 'later' | 'sender', 'hop' | 'no hop'])[] = [
    [{ status: 400, name: 'MessageRejected', message: 'Email address is not verified.' }, 'sender', 'no hop'],
    [{ status: 400, name: 'MessageRejected', message: 'Message contains a virus: user unknown' }, 'sender', 'no hop'],
    [{ status: 400, name: 'MailFromDomainNotVerifiedException', message: 'Not verified' }, 'later', 'no hop'],
    [{ status: 400, name: 'BadRequestException', message: "Missing final '@domain'" }, 'sender', 'no hop'],
    [
      { status: 400, name: 'BadRequestException', message: 'Message length is more than 41943040 bytes long' },
      'sender',
      'no hop',
    ],
    [{ status: 413, name: 'RequestEntityTooLargeException', message: 'Request is too large' }, 'sender', 'no hop'],
    [{ status: 400, name: 'AccountSuspendedException', message: 'The account is suspended' }, 'later', 'hop'],
    [{ status: 400, name: 'SendingPausedException', message: 'Sending is paused' }, 'later', 'hop'],
    [{ status: 400, name: 'LimitExceededException', message: 'Too many' }, 'later', 'hop'],
    [{ status: 429, name: 'TooManyRequestsException', message: 'Maximum sending rate exceeded.' }, 'later', 'hop'],
    [{ status: 400, name: 'ThrottlingException', message: 'Daily message quota exceeded.' }, 'later', 'hop'],
    [{ status: 404, name: 'NotFoundException', message: 'Configuration set <x> does not exist.' }, 'later', 'hop'],
    [{ status: 403, name: 'UnrecognizedClientException', message: 'The security token is invalid.' }, 'later', 'hop'],
    [{ status: 400, name: 'ExpiredTokenException', message: 'The security token is expired' }, 'later', 'hop'],
    [{ status: 403, name: 'RequestExpired', message: 'Request has expired' }, 'later', 'hop'],
    [
      { status: 403, name: 'AccessDeniedException', message: 'not authorized to perform ses:SendEmail' },
      'later',
      'hop',
    ],
    [{ status: 503, name: 'ServiceUnavailable', message: 'Try again' }, 'later', 'hop'],
    [{ status: 418, name: 'SomethingNew', message: 'Who knows' }, 'sender', 'no hop'],
  ]

  it.each(answers)('judges $name: $message', async (error, cause, pauses) => {
    const { fake, transport } = await start()
    fake.next(error)
    const answer = await transport.send(outgoingMail(), never)
    if (answer.outcome !== 'refused') throw new Error(answer.outcome)
    // a wrong judgement would suppress recipients, lose mail, or try again for nothing
    expect(causeOf(answer)).toBe(cause)
    expect(hopTrouble(answer) === undefined ? 'no hop' : 'hop').toBe(pauses)
    expect(answer.reason).toContain(error.name)
    expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'accepted' })
    expect(fake.mails).toHaveLength(1)
  })

  it.each<[SesFate | SesError, number]>([
    ['cut', 0],
    ['take and cut', 1],
    ['take and hang', 1],
    ['bad gateway', 0],
    [{ status: 500, name: 'InternalFailure', message: 'Unknown' }, 0],
    [{ status: 504, name: 'EndpointTimeout', message: 'Unknown' }, 0],
  ])('says that nobody knows when the answer is lost (%j), and asks only once', async (fate, arrived) => {
    const { fake, transport } = await start({ timeouts: { request: 0.4 } })
    fake.next(fate)
    await expect(transport.send(outgoingMail(), never)).rejects.toThrow(/did not say whether it took the mail/)
    expect(fake.mails).toHaveLength(arrived)
    // a second request would be a second mail
    expect(fake.requests.filter((request) => request.startsWith('POST')).length).toBeLessThanOrEqual(1)
  })

  it('knows that nothing was sent without a connection, a name, or TLS', async () => {
    const plain = net.createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 400 No\r\n\r\n'))
    plain.listen(0, '127.0.0.1')
    await once(plain, 'listening')
    const { port } = plain.address() as net.AddressInfo
    for (const endpoint of ['http://127.0.0.1:1', `https://127.0.0.1:${port}`]) {
      const transport = await open({ endpoint })
      expect(await transport.send(outgoingMail(), never)).toMatchObject({
        ...{ outcome: 'refused', permanent: false, stage: 'connect' },
        reason: expect.stringMatching(/^Amazon SES cannot be reached: ./),
      })
      await expect(transport.check?.()).rejects.toThrow(/cannot be asked/)
    }
    plain.close()
  })

  it('is refused as long as its key is wrong, and says so', async () => {
    const credentials = { ...SES_KEY, secretAccessKey: 'wrong' }
    const { fake, transport } = await start({ credentials })
    const answer = await transport.send(outgoingMail(), never)
    expect(answer).toMatchObject({ outcome: 'refused', permanent: false, stage: 'connect' })
    expect(answer.outcome === 'refused' && hopTrouble(answer)).toBe('certain')
    // the mail's record says so, and not that the recipient does not exist
    const told = answer.outcome === 'refused' ? sentence(answer) : ''
    expect(told).toBe('The mail server refuses the login of this server.')
    expect(textOf(refusalMeaning(told))).toMatch(/password or keys of the transport are wrong/)
    await expect(transport.check?.()).rejects.toThrow(/refuses this server: .*InvalidSignature/)
    expect([fake.mails.length, fake.requests.length]).toEqual([0, 0])
    expect(fake.refused).toBeGreaterThan(0)
  })

  it('keeps names of accounts out of what customers read, and tells the log', async () => {
    const said: unknown[] = []
    const log = { ...silentLog, warn: (...line: unknown[]) => void said.push(line) }
    fake = await startFakeSes()
    const transport = await open(fake, {}, log)
    const message =
      "User `arn:aws:iam::123456789012:user/mailer' is not authorized to perform `ses:SendEmail' on resource `arn:aws:ses:eu-central-1:123456789012:identity/acme.example'"
    fake.next({ status: 403, name: 'AccessDeniedException', message })
    const answer = await transport.send(outgoingMail(), never)
    expect(answer.outcome === 'refused' && answer.reason).toMatch(/identity\/acme\.example/)
    expect(JSON.stringify(answer)).not.toMatch(/123456789012|mailer/)
    expect(JSON.stringify(said)).toContain('user/mailer')
  })

  it('sends many megabytes without keeping anybody waiting, and refuses more than 40 itself', async () => {
    const service = new Worker(new URL('../support/fake-ses-thread.ts', import.meta.url))
    const [endpoint] = await once(service, 'message')
    const transport = await open({ endpoint })
    const most = 40 * 1024 * 1024
    const size = 12 * 1024 * 1024
    const line = `${'x'.repeat(76)}\r\n`
    const message = Buffer.from(
      `${`Subject: large\r\n\r\n${line.repeat(Math.ceil(size / 78))}`.slice(0, size - 2)}\r\n`,
    )
    const arrived = once(service, 'message')
    // what this thread itself did between two turns, in milliseconds: a busy machine is no fault of it
    const worked = () => process.threadCpuUsage().user / 1000
    let [longest, last] = [0, worked()]
    const timer = setInterval(() => {
      longest = Math.max(longest, worked() - last)
      last = worked()
    }, 1)
    expect(await transport.send(outgoingMail({ message }), never)).toMatchObject({ outcome: 'accepted' })
    clearInterval(timer)
    // in one piece it is more than 200
    expect(longest).toBeLessThan(100)
    expect(await arrived).toEqual([createHash('sha256').update(message).digest('hex')])
    const larger = Buffer.alloc(most + 1, message)
    const refusal = await transport.send(outgoingMail({ message: larger }), never)
    expect(refusal).toMatchObject({ outcome: 'refused', permanent: true, enhancedCode: '5.3.4' })
    await service.terminate()
  })

  it('takes no orders from a message: a header field of Amazon’s own is refused', async () => {
    const { fake, transport } = await start()
    for (const field of ['X-SES-CONFIGURATION-SET: other', 'x-ses-message-tags: mailwright-email=1']) {
      const message = Buffer.from(`Subject: hi\r\n${field}\r\n\r\nbody\r\n`)
      const answer = await transport.send(outgoingMail({ message }), never)
      expect(answer.outcome === 'refused' && causeOf(answer)).toBe('sender')
    }
    const inBody = Buffer.from('Subject: hi\r\n\r\nX-SES-CONFIGURATION-SET: other\r\n')
    expect(await transport.send(outgoingMail({ message: inBody }), never)).toMatchObject({ outcome: 'accepted' })
    expect(fake.mails).toHaveLength(1)
  })

  describe('the account’s quota', () => {
    const quota = (MaxSendRate: number, more = {}) => ({
      ...{ SendQuota: { MaxSendRate, Max24HourSend: 1000, SentLast24Hours: 0, ...more }, SendingEnabled: true },
    })

    it('says how many mails are on their way at the same time', async () => {
      fake = await startFakeSes()
      for (const [rate, expected] of [
        [1, 5],
        [14, 14],
        [200, 50],
      ] as const) {
        fake.account = quota(rate)
        expect((await open(fake)).concurrency).toBe(expected)
      }
      fake.account = quota(200)
      expect((await open(fake, { maxConnections: 7 })).concurrency).toBe(7)
      await fake.close()
      // Amazon that is away at start keeps nothing from starting
      expect((await open(fake)).concurrency).toBe(50)
    })

    it('spaces recipients, not mails, and is read again when it was asked for', async () => {
      fake = await startFakeSes()
      fake.account = quota(20)
      const transport = await open(fake)
      const to = ['a@example.com', 'b@example.com']
      const send = () => transport.send(outgoingMail({ envelope: { from: '', to } }), never)
      const all = async () => {
        const began = performance.now()
        await Promise.all(Array.from({ length: 10 }, send))
        return performance.now() - began
      }
      const slow = await all()
      // the last pair begins behind 18 recipients, of which 2 may be caught up with
      expect(slow).toBeGreaterThan(780)
      fake.account = quota(5_000)
      await transport.check?.()
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(await all()).toBeLessThan(slow)
    })

    it('is read again although the operator looks at it now and then', async () => {
      const said: string[] = []
      const log = { ...silentLog, warn: (line: string) => void said.push(line) }
      fake = await startFakeSes()
      fake.account = quota(20)
      const transport = await open(fake, {}, log)
      const { now } = performance
      vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 11 * 60_000)
      onTestFinished(() => void vi.restoreAllMocks())
      fake.account = quota(20, { SentLast24Hours: 950 })
      expect(await transport.allowance?.()).toEqual({ perDay: 1000, perSecond: 20, sent: 950 })
      expect(said).toEqual([])
      await transport.send(outgoingMail(), never)
      await until('it is read', async () => said.some((line) => line.startsWith('of 1000 mails')))
    })

    it('is left before its turn by a mail that is given up', async () => {
      fake = await startFakeSes()
      fake.account = quota(1)
      const transport = await open(fake)
      await transport.send(outgoingMail(), never)
      const signal = AbortSignal.timeout(50)
      expect(await transport.send(outgoingMail(), signal)).toMatchObject({ outcome: 'refused', permanent: false })
      expect(fake.mails).toHaveLength(1)
    })

    it.each<[string, Record<string, unknown>, RegExp]>([
      ['is paused', { SendingEnabled: false }, /paused sending/],
      ['is shut down', { SendingEnabled: true, EnforcementStatus: 'SHUTDOWN' }, /paused sending/],
    ])('fails the check of an account that %s', async (_, account, message) => {
      fake = await startFakeSes()
      fake.account = account
      await expect((await open(fake)).check?.()).rejects.toThrow(message)
    })

    it('may be kept from us: mail goes out all the same, and the log says so once, as of a sandbox', async () => {
      const said: string[] = []
      const log = { ...silentLog, warn: (line: string) => void said.push(line) }
      fake = await startFakeSes()
      fake.always('GET /v2/email/account', { status: 403, name: 'AccessDeniedException', message: 'no' })
      const transport = await open(fake, {}, log)
      await transport.check?.()
      expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'accepted' })
      fake.always('GET /v2/email/account', undefined)
      fake.account = { ...quota(1, { SentLast24Hours: 950 }), ProductionAccessEnabled: false }
      await transport.check?.()
      await transport.check?.()
      expect(said).toEqual([
        expect.stringContaining('ses:GetAccount'),
        expect.stringContaining('sandbox'),
        expect.stringContaining('of 1000 mails'),
      ])
    })
  })

  it.each<[Record<string, unknown>, string]>([
    [{}, 'region'],
    [{ region: 'Frankfurt' }, 'region'],
    [{ region: SES_REGION, accessKey: 'x' }, 'accessKey'],
    [{ region: SES_REGION, endpoint: 'ftp://x' }, 'endpoint'],
    [{ region: SES_REGION, credentials: { accessKeyId: 'a' } }, 'credentials.secretAccessKey'],
    [{ region: SES_REGION, configurationSet: 'a b' }, 'configurationSet'],
    [{ region: SES_REGION, maxConnections: 0 }, 'maxConnections'],
  ])('refuses the options %j', (options, field) => {
    expect(ses(options as SesOptions).problems()).toMatchObject([{ field }])
  })
})
