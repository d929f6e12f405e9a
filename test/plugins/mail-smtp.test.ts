import net from 'node:net'
import type * as v from 'valibot'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import type { PluginFace } from '../../core/plugin/types.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { MailTransport } from '../../core/ports/mail-transport.ts'
import { type SmtpOptions, smtp } from '../../plugins/mail-smtp/index.ts'
import { GARBLED } from '../contracts/garbled-answers.ts'
import { mailTransportContract } from '../contracts/mail-transport.ts'
import { outgoingMail } from '../contracts/outgoing-mail.ts'
import { startFaultSmtp } from '../support/fault-smtp.ts'
import { type SmtpSink, type SmtpSinkOptions, sinkCertificate, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

type Options = v.InferInput<typeof SmtpOptions>

const never = new AbortController().signal
const kit = { log: silentLog, clock: { now: () => new Date() } }
const open = async (options: Options) => (await smtp(options).open(kit)).transport

const refuses = 'nobody@example.com'
const postpones = 'later@example.com'
const recipients = {
  [refuses]: { code: 550, message: '5.1.1 No such user' },
  [postpones]: { code: 450, message: '4.2.1 Try later' },
}

describe.each<[string, SmtpSinkOptions, Partial<Options>]>([
  ['over a pipeline', {}, {}],
  ['step by step, because the server does not pipeline', { server: { hidePIPELINING: true } }, {}],
  ['after STARTTLS', { tls: 'starttls' }, { requireTls: true, tls: { ca: sinkCertificate } }],
])('mail-smtp %s', (_how, sinkOptions, options) => {
  mailTransportContract(async () => {
    let code: number | undefined
    let isSilent = false
    const sink = await startSmtpSink({
      recipients,
      checked: false,
      judge: () => (code === undefined ? undefined : { code, message: 'no' }),
      ...sinkOptions,
      server: {
        ...sinkOptions.server,
        onMailFrom: (_address, _session, done) => (isSilent ? undefined : done()),
      },
    })
    return {
      transport: await open({ host: '127.0.0.1', port: sink.port, ...options }),
      received: async () => sink.messages,
      refuses,
      postpones,
      unplug: () => sink.close(),
      stall: () => {
        isSilent = true
      },
      fails: (status) => {
        code = status
      },
      statuses: 'smtp',
      close: () => sink.close(),
    }
  })
})

it.each(
  Object.entries(GARBLED.smtp),
)('mail-smtp has handed a mail over once, whatever the success says: %s', async (_what, { body, isCut }) => {
  const answer = (command: string) => {
    if (command !== 'END') return undefined
    return isCut ? ({ say: body, next: 'end' } as const) : body
  }
  const server = await startFaultSmtp({ answer })
  onTestFinished(() => server.close())
  const transport = await open({ host: '127.0.0.1', port: server.port })
  onTestFinished(async () => transport.close?.())
  expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'accepted' })
  expect(server.messages).toHaveLength(1)
})

it('mail-smtp does not know what became of a mail whose answer contradicts itself, or says nothing', async () => {
  for (const say of ['250-queued\r\n550 no\r\n', '25', '354-\r\n']) {
    const server = await startFaultSmtp({ answer: (command) => (command === 'END' ? { say, next: 'end' } : undefined) })
    const transport = await open({ host: '127.0.0.1', port: server.port })
    await expect(transport.send(outgoingMail(), never), say).rejects.toThrow('whether it was taken is not known')
    await transport.close?.()
    await server.close()
  }
})

describe('mail-smtp', () => {
  let sink: SmtpSink | undefined
  let transport: MailTransport | undefined
  const connect = async (sinkOptions: SmtpSinkOptions = {}, options: Partial<Options> = {}) => {
    sink = await startSmtpSink({ checked: false, ...sinkOptions })
    transport = await open({ host: '127.0.0.1', port: sink.port, ...options })
    return { sink, transport }
  }

  afterEach(async () => {
    await transport?.close?.()
    await until('no connection is open', () => !sink?.open)
    await sink?.close()
    sink = undefined
    transport = undefined
  })

  it.each<[string, SmtpSinkOptions, Partial<Options>]>([
    ['step by step, because it was told to', {}, { pipelining: false }],
    ['over TLS from the start', { tls: 'implicit' }, { secure: true, tls: { ca: sinkCertificate } }],
  ])('hands mails over %s', async (_how, sinkOptions, options) => {
    const { transport, sink } = await connect(sinkOptions, options)
    const mails = Array.from({ length: 3 }, () =>
      outgoingMail({ envelope: { from: 'a@a.test', to: ['b@b.test', 'c@c.test'] } }),
    )
    for (const mail of mails) expect(await transport.send(mail, never)).toMatchObject({ outcome: 'accepted' })
    expect(sink.connections).toBe(1)
    const raws = await Promise.all(mails.map((mail) => mail.raw()))
    expect(sink.messages.map(({ raw }) => raw.toString())).toEqual(raws.map((raw) => Buffer.from(raw).toString()))
  })

  describe('logging in', () => {
    const auth = { user: 'ada', pass: 'päss wörd' }

    it.each(['PLAIN', 'LOGIN', 'CRAM-MD5'])('works by AUTH %s', async (method) => {
      const { transport, sink } = await connect({ auth: { ...auth, methods: [method] } }, { auth })
      expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'accepted' })
      expect(sink.messages).toHaveLength(1)
    })

    it('is a refusal for now that names the server, the user and its answer when the password is wrong', async () => {
      const { transport, sink } = await connect({ auth }, { auth: { user: 'ada', pass: 'wrong' } })
      expect(await transport.send(outgoingMail(), never)).toMatchObject({
        outcome: 'refused',
        permanent: false,
        stage: 'connect',
        code: 535,
        reason: expect.stringMatching(
          `^127.0.0.1:${sink.port}: the server refused the login of "ada": 535 .*Wrong user or password`,
        ),
      })
      await expect(transport.check?.()).rejects.toThrow('refused the login of "ada"')
    })

    it('does not send without it where it was asked for and is not offered', async () => {
      const { transport, sink } = await connect({}, { auth })
      const reason = expect.stringContaining('offers no AUTH')
      expect(await transport.send(outgoingMail(), never)).toMatchObject({ stage: 'connect', permanent: false, reason })
      expect(sink.messages).toEqual([])
    })
  })

  describe('TLS', () => {
    it.each<[string, SmtpSinkOptions, Partial<Options>]>([
      ['STARTTLS', { tls: 'starttls' }, {}],
      ['TLS from the start', { tls: 'implicit' }, { secure: true }],
    ])('is not believed a certificate it does not trust, over %s', async (_how, sinkOptions, options) => {
      const { transport, sink } = await connect(sinkOptions, options)
      const reason = expect.stringMatching(/the TLS certificate is not trusted: .*self.signed.*tls\.ca/)
      const refused = { stage: 'connect', noTls: true, permanent: false, reason }
      expect(await transport.send(outgoingMail(), never)).toMatchObject(refused)
      expect(sink.messages).toEqual([])
    })

    it.each<[string, SmtpSinkOptions, Partial<Options>]>([
      ['STARTTLS', { tls: 'starttls' }, { tls: { ca: sinkCertificate, servername: 'other.test' } }],
      [
        'TLS from the start',
        { tls: 'implicit' },
        { secure: true, tls: { ca: sinkCertificate, servername: 'other.test' } },
      ],
    ])('is not believed a certificate for another name, over %s', async (_how, sinkOptions, options) => {
      const { transport, sink } = await connect(sinkOptions, options)
      const reason = expect.stringMatching(/the TLS certificate is not trusted: .*other\.test/)
      expect(await transport.send(outgoingMail(), never)).toMatchObject({ stage: 'connect', reason })
      expect(sink.messages).toEqual([])
    })

    it('takes any certificate when told to', async () => {
      const { transport } = await connect({ tls: 'starttls' }, { tls: { rejectUnauthorized: false } })
      expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'accepted' })
    })

    it('keeps a login out of the clear when it is required and not offered', async () => {
      const auth = { user: 'ada', pass: 'secret' }
      const { transport, sink } = await connect({ auth }, { auth, requireTls: true })
      expect(await transport.send(outgoingMail(), never)).toMatchObject({ stage: 'connect', permanent: false })
      expect(sink.messages).toEqual([])
    })

    it.each([
      ['454 4.7.0 TLS not available due to local problem', /cannot start TLS just now .*: 454/],
      ['502 5.5.1 not implemented', /offers no TLS \(STARTTLS\)/],
    ])('says what "%s" to STARTTLS means', async (answer, reason) => {
      const server = await startFaultSmtp({
        extensions: ['STARTTLS'],
        answer: (command) => (command === 'STARTTLS' ? `${answer}\r\n` : undefined),
      })
      transport = await open({ host: '127.0.0.1', port: server.port, requireTls: true })
      const result = await transport.send(outgoingMail(), never)
      const refused = { stage: 'connect', noTls: true, permanent: false, reason: expect.stringMatching(reason) }
      expect(result).toMatchObject(refused)
      await server.close()
    })

    it('says in words for people that a server speaks no TLS after it said it would', async () => {
      const server = net.createServer((socket) => {
        socket.on('error', () => {})
        socket.write('220 mx.test\r\n')
        socket.on('data', (data) => {
          const isEhlo = data.toString().startsWith('EHLO')
          const isStart = data.toString().startsWith('STARTTLS')
          socket.write(
            isEhlo ? '250-mx.test\r\n250 STARTTLS\r\n' : isStart ? '220 go on\r\n' : '500 what was that?\r\n',
          )
        })
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      transport = await open({ host: '127.0.0.1', port: (server.address() as net.AddressInfo).port, requireTls: true })
      const result = await transport.send(outgoingMail(), never)
      expect(result).toMatchObject({
        stage: 'connect',
        noTls: true,
        reason: expect.stringMatching(/said it would speak TLS and then/),
      })
      expect(JSON.stringify(result)).not.toMatch(/openssl|SSL routines|error:0/i)
      server.close()
    })

    it('says that the port speaks no TLS when it does not', async () => {
      const { transport } = await connect({}, { secure: true })
      const reason = expect.stringMatching(/does not speak TLS from the start on this port; set secure to false/)
      expect(await transport.send(outgoingMail(), never)).toMatchObject({ stage: 'connect', permanent: false, reason })
    })
  })

  describe('without a connection', () => {
    it('says that nothing listens there', async () => {
      const server = net.createServer().listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const { port } = server.address() as net.AddressInfo
      await new Promise((resolve) => server.close(resolve))
      transport = await open({ host: '127.0.0.1', port })
      expect(await transport.send(outgoingMail(), never)).toEqual({
        outcome: 'refused',
        permanent: false,
        stage: 'connect',
        reason: `127.0.0.1:${port}: nothing accepts connections there; is the server running, and is the port right? (ECONNREFUSED)`,
      })
    })

    it('says that the host name does not exist', async () => {
      transport = await open({ host: 'no-such-host.invalid', port: 25 })
      const reason = expect.stringMatching(
        /^no-such-host\.invalid:25: (no such host name|the name server does not answer)/,
      )
      expect(await transport.send(outgoingMail(), never)).toMatchObject({ stage: 'connect', permanent: false, reason })
    })

    it('answers every mail in line when none can be had', async () => {
      transport = await open({ host: '127.0.0.1', port: 1, maxConnections: 2 })
      const { send } = transport
      const results = await Promise.all(Array.from({ length: 5 }, () => send(outgoingMail(), never)))
      expect(results.map(({ outcome }) => outcome)).toEqual(Array(5).fill('refused'))
    })
  })

  it('refuses a message over the size the server announces for good, without sending it', async () => {
    const { transport, sink } = await connect({ size: 1000 })
    const tooBig = outgoingMail({ message: Buffer.alloc(1001, 'x') })
    expect(await transport.send(tooBig, never)).toEqual({
      outcome: 'refused',
      permanent: true,
      stage: 'mail',
      code: 552,
      enhancedCode: '5.3.4',
      reason: `The message has 1001 octets, 127.0.0.1:${sink.port} takes at most 1000`,
    })
    expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'accepted' })
    expect(sink.connections).toBe(1)
  })

  it('tells a message with octets above 127 as 8BITMIME, and hands it over unchanged', async () => {
    const bodies: (string | undefined)[] = []
    const server: SmtpSinkOptions['server'] = {
      onMailFrom: (_address, session, done) => {
        bodies.push(session.envelope.bodyType)
        done()
      },
    }
    const { transport, sink } = await connect({ server })
    const message = Buffer.from('Subject: x\r\n\r\n.grüße\r\n')
    await transport.send(outgoingMail({ message }), never)
    await transport.send(outgoingMail(), never)
    expect(sink.messages[0]!.raw).toEqual(message)
    expect(bodies).toEqual(['8bitmime', '7bit'])
  })

  it('checks by connecting and logging in, and leaves no connection open', async () => {
    const auth = { user: 'ada', pass: 'secret' }
    const { transport, sink } = await connect({ auth }, { auth })
    await expect(transport.check?.()).resolves.toBeUndefined()
    expect(sink.connections).toBe(1)
    await until('the connection is closed', () => sink.open === 0)
  })

  it('puts the header fields a relay wants before the mail, and can leave delivery to its reports', async () => {
    const headers = { 'X-SMTPAPI': '{"unique_args":{"mailwright":"{id}"}}', 'X-PM-KeepID': 'true' }
    const { transport, sink } = await connect({}, { headers, reportsDelivery: true })
    const mail = outgoingMail()
    expect(await transport.send(mail, never)).toMatchObject({ outcome: 'accepted', deliveryPending: true })
    const [arrived] = await sink.waitFor(1)
    const fields = `X-SMTPAPI: {"unique_args":{"mailwright":"${mail.id}"}}\r\nX-PM-KeepID: true\r\n`
    expect(arrived?.raw.toString()).toBe(`${fields}${Buffer.from(await mail.raw()).toString()}`)
  })

  describe('its options', () => {
    it.each<[string, Record<string, unknown>, string]>([
      ['a missing host', {}, 'host'],
      ['a host with a line break', { host: 'a\r\nb' }, 'host'],
      ['a port out of range', { host: 'h', port: 70_000 }, 'port'],
      ['no connections', { host: 'h', maxConnections: 0 }, 'maxConnections'],
      ['a login without a password', { host: 'h', auth: { user: 'u' } }, 'auth.pass'],
      ['a name with a line break', { host: 'h', name: 'a\r\nMAIL FROM:<x>' }, 'name'],
      ['a header field that is not for a relay', { host: 'h', headers: { Subject: 'x' } }, 'headers.Subject'],
      ['a header field with a line break', { host: 'h', headers: { 'X-A': 'a\r\nBcc: x@y.z' } }, 'headers.X-A'],
      ['a misspelt name', { host: 'h', conections: 3 }, 'conections'],
      ['a misspelt name inside', { host: 'h', tls: { rejectUnautorized: false } }, 'tls.rejectUnautorized'],
    ])('are refused with the name of the wrong one: %s', (_what, options, field) => {
      const plugin: PluginFace = Reflect.apply(smtp, undefined, [options])
      expect(plugin.problems().map((problem) => problem.field)).toContain(field)
    })

    it('say how many mails it works on', async () => {
      expect((await open({ host: 'h' })).concurrency).toBe(20)
      expect((await open({ host: 'h', maxConnections: 3 })).concurrency).toBe(3)
    })
  })
})
