import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { causeOf } from '../../core/bounces/refusal.ts'
import type { PluginKit } from '../../core/plugin/types.ts'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { MailTransport, SendResult } from '../../core/ports/mail-transport.ts'
import type { WebhookSender } from '../../core/ports/webhook-sender.ts'
import { domainOf } from '../../core/values/email-address.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { direct } from '../../plugins/mail-direct/index.ts'
import { policyIn } from '../../plugins/mail-direct/sts-policies.ts'
import { webhooksHttp } from '../../plugins/webhooks-http/index.ts'
import { mailTransportContract } from '../contracts/mail-transport.ts'
import { outgoingMail } from '../contracts/outgoing-mail.ts'
import { type DnsRecords, startDnsServer } from '../support/dns-server.ts'
import { startFaultSmtp } from '../support/fault-smtp.ts'
import {
  type SmtpSink,
  type SmtpSinkOptions,
  type SunkMail,
  sinkCertificate,
  sinkKey,
  startSmtpSink,
} from '../support/smtp-sink.ts'

const never = new AbortController().signal
const kit: PluginKit = { log: silentLog, clock: { now: () => new Date() } }
const local = { name: 'mail.acme.example', publicOr: ['127.0.0.0/8'] }

const refuses = 'nobody@example.com'
const postpones = 'later@example.com'

/** Every domain has one server, that of the test. */
const everywhere: DnsResolver = {
  mx: async () => [{ exchange: '127.0.0.1', priority: 10 }],
  ipv4: async () => ['127.0.0.1'],
  ...{ txt: none, ns: none, cname: none, ipv6: none, ptr: none },
}

async function none() {
  return []
}

describe('mail-direct', () => {
  mailTransportContract(async () => {
    let code: number | undefined
    let isSilent = false
    let isOff = false
    const dns: DnsResolver = {
      ...everywhere,
      async ipv4() {
        if (isOff) throw new Error('no name server answers')
        return ['127.0.0.1']
      },
    }
    const sink = await startSmtpSink({
      recipients: {
        [refuses]: { code: 550, message: '5.1.1 No such user' },
        [postpones]: { code: 450, message: '4.2.1 Try later' },
      },
      checked: false,
      judge: () => (code === undefined ? undefined : { code, message: 'no' }),
      server: { onMailFrom: (_address, _session, done) => (isSilent ? undefined : done()) },
    })
    const plugin = direct({ ...local, port: sink.port, perServer: 100 })
    return {
      transport: (await plugin.open({ ...kit, dns })).transport,
      received: async () => byMessage(sink.messages),
      refuses,
      postpones,
      async unplug() {
        isOff = true
        await sink.close()
      },
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

/** The parts of a mail for several domains as one. */
function byMessage(mails: readonly SunkMail[]): SunkMail[] {
  const whole: SunkMail[] = []
  for (const mail of mails) {
    const domain = domainOf(mail.to[0]!)
    const isPart = (one: SunkMail) => one.raw.equals(mail.raw) && !one.to.some((each) => domainOf(each) === domain)
    const at = whole.findIndex(isPart)
    if (at < 0) whole.push(mail)
    else whole[at] = { ...mail, to: [...whole[at]!.to, ...mail.to] }
  }
  return whole
}

/** A world of mail servers: each has an address of its own on this machine, all the same port. */
async function world(zone: Readonly<Record<string, DnsRecords>>, servers: Readonly<Record<string, SmtpSinkOptions>>) {
  const sinks: Record<string, SmtpSink> = {}
  let port: number | undefined
  for (const [host, options] of Object.entries(servers)) {
    const sink = await startSmtpSink({
      checked: false,
      ...options,
      at: { host, ...(port === undefined ? {} : { port }) },
    })
    onTestFinished(() => sink.close())
    port = sink.port
    sinks[host] = sink
  }
  port ??= await unusedPort()
  const names = await startDnsServer({ 'mail.acme.example': { A: ['192.0.2.1'] }, ...zone })
  const { dns, close } = await nodeDns({ servers: [names.address], timeoutMs: 200, tries: 1 }).open(kit)
  onTestFinished(async () => {
    await close?.()
    await names.close()
  })
  const open = async (options: Partial<Parameters<typeof direct>[0]> = {}): Promise<MailTransport> => {
    const { transport } = await direct({ ...local, port, ...options }).open({ ...kit, dns })
    onTestFinished(async () => transport.close?.())
    return transport
  }
  return { sinks, names, dns, open, port }
}

async function unusedPort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

const mx = (...hosts: readonly string[]): DnsRecords => ({
  MX: hosts.map((exchange, i) => ({ exchange, priority: 10 * (i + 1) })),
})
const to = (...recipients: readonly string[]) => outgoingMail({ envelope: { from: 'b@sender.test', to: recipients } })
const took = (sink: SmtpSink | undefined) => sink?.messages.map((mail) => mail.to) ?? []

it('goes to the first server of the MX records that can be used, and to the domain itself without any', async () => {
  const { sinks, open } = await world(
    {
      'two.example': mx('down.example', 'up.example'),
      'down.example': { A: ['127.0.0.9'] },
      'up.example': { A: ['127.0.0.2'] },
      'alone.example': { A: ['127.0.0.3'] },
    },
    { '127.0.0.2': {}, '127.0.0.3': {} },
  )
  const transport = await open()
  const result = await transport.send(to('ada@two.example'), never)
  expect(result).toMatchObject({ outcome: 'accepted', conversation: { address: '127.0.0.2' } })
  expect(await transport.send(to('bob@alone.example'), never)).toMatchObject({ outcome: 'accepted' })
  expect(took(sinks['127.0.0.2'])).toEqual([['ada@two.example']])
  expect(took(sinks['127.0.0.3'])).toEqual([['bob@alone.example']])
})

it.each<[string, DnsRecords | 'no name' | 'no answer', Partial<SendResult>]>([
  ['says that it takes no mail', mx('.'), { permanent: true, stage: 'rcpt', enhancedCode: '5.1.10' }],
  ['does not exist', 'no name', { permanent: true, stage: 'rcpt', enhancedCode: '5.1.2' }],
  ['cannot be looked up', 'no answer', { permanent: false, stage: 'rcpt', enhancedCode: '4.4.3' }],
  [
    'has a server without an address',
    mx('gone.example'),
    {
      permanent: false,
      stage: 'rcpt',
      enhancedCode: '4.4.1',
      reason: expect.stringContaining('no address that could be used'),
    },
  ],
  [
    'has a server inside this network',
    mx('10.1.2.3'),
    { permanent: false, stage: 'rcpt', enhancedCode: '4.4.1', reason: expect.stringContaining('not public') },
  ],
])('is refused for a domain that %s', async (_what, records, refusal) => {
  // no word of its name may be taken for a server's
  const domain = 'spam-over-quota.example'
  const { names, open } = await world(records === 'no name' || records === 'no answer' ? {} : { [domain]: records }, {})
  if (records === 'no answer') names.fail(domain, 'SERVFAIL')
  const result = await (await open()).send(to(`bob@${domain}`), never)
  expect(result).toMatchObject({ outcome: 'refused', ...refusal })
  expect(result).not.toHaveProperty('code')
  if (result.outcome === 'refused') expect(causeOf(result)).toBe(result.permanent ? 'recipient' : 'later')
})

it('bounces nothing on the word of a resolver that does not find this machine either', async () => {
  const { open } = await world({ 'mail.acme.example': {} }, {})
  expect(await (await open()).send(to('bob@b.example'), never)).toMatchObject({
    permanent: false,
    enhancedCode: '4.4.3',
  })
})

it('goes on to the next server when one puts the mail off, with those alone whom it put off', async () => {
  const off = (...who: readonly string[]) =>
    Object.fromEntries(who.map((one) => [one, { code: 451, message: 'later' }]))
  const { sinks, open } = await world(
    { 'a.example': mx('127.0.0.1', '127.0.0.2', '127.0.0.3') },
    {
      '127.0.0.1': { recipients: off('b@a.example', 'c@a.example') },
      '127.0.0.2': { recipients: off('c@a.example') },
      '127.0.0.3': {},
    },
  )
  const result = await (await open()).send(to('a@a.example', 'b@a.example', 'c@a.example'), never)
  expect(result).toMatchObject({ outcome: 'accepted', refused: [{ recipient: 'c@a.example', permanent: false }] })
  expect(Object.values(sinks).map(took)).toEqual([[['a@a.example']], [['b@a.example']], []])
})

it('is given up at once while the DNS does not answer', async () => {
  const { names, open } = await world({}, {})
  names.fail('b.example', 'drop')
  const began = performance.now()
  const result = await (await open()).send(to('bob@b.example'), AbortSignal.timeout(20))
  expect(result).toMatchObject({ outcome: 'refused', permanent: false })
  expect(performance.now() - began).toBeLessThan(150)
})

describe('a mail to several domains', () => {
  const zone = { 'a.example': mx('127.0.0.1'), 'b.example': mx('127.0.0.2'), 'gone.example': {} }

  it('reaches each by its own server, and names those alone who do not have it', async () => {
    const { sinks, open } = await world(zone, {
      '127.0.0.1': {},
      '127.0.0.2': { recipients: { 'no@b.example': { code: 550, message: '5.1.1 no' } } },
    })
    const transport = await open()
    const result = await transport.send(
      to('ada@a.example', 'bob@b.example', 'no@b.example', 'cy@nowhere.example'),
      never,
    )
    expect(took(sinks['127.0.0.1'])).toEqual([['ada@a.example']])
    expect(took(sinks['127.0.0.2'])).toEqual([['bob@b.example']])
    expect(result).toMatchObject({
      outcome: 'accepted',
      refused: [
        { recipient: 'no@b.example', permanent: true, enhancedCode: '5.1.1' },
        { recipient: 'cy@nowhere.example', permanent: true, enhancedCode: '5.1.2' },
      ],
      conversation: { host: expect.stringMatching(/^127\.0\.0\.1:\d+, 127\.0\.0\.2:\d+$/) },
    })
  })

  it('is tried again only where it is not known what became of it', async () => {
    const server = await startFaultSmtp({
      answer: (command) => (command === 'END' ? { say: '', next: 'end' } : undefined),
    })
    onTestFinished(() => server.close())
    const dns: DnsResolver = {
      ...everywhere,
      mx: async (name) => [{ exchange: name === 'a.example' ? '127.0.0.2' : '127.0.0.1', priority: 1 }],
    }
    const good = await startSmtpSink({ checked: false, at: { host: '127.0.0.2', port: server.port } })
    onTestFinished(() => good.close())
    const { transport } = await direct({ ...local, port: server.port }).open({ ...kit, dns })
    onTestFinished(async () => transport.close?.())
    expect(await transport.send(to('ada@a.example', 'bob@b.example'), never)).toMatchObject({
      outcome: 'accepted',
      refused: [{ recipient: 'bob@b.example', permanent: false, stage: 'data' }],
    })
    await expect(transport.send(to('bob@b.example'), never)).rejects.toThrow(/not known/)
  })
})

it('puts off only the domain whose server puts off its sender, but fails for good as that server says', async () => {
  const zone = { 'a.example': mx('127.0.0.1') }
  const senders = { 'b@sender.test': { code: 421, message: '4.7.0 slower' }, 'c@sender.test': { code: 550 } }
  const { open } = await world(zone, { '127.0.0.1': { senders } })
  const transport = await open()
  const from = (sender: string) => outgoingMail({ envelope: { from: sender, to: ['ada@a.example'] } })
  expect(await transport.send(from('b@sender.test'), never)).toMatchObject({
    permanent: false,
    stage: 'rcpt',
    code: 421,
  })
  expect(await transport.send(from('c@sender.test'), never)).toMatchObject({
    permanent: true,
    stage: 'mail',
    code: 550,
  })
})

describe('TLS', () => {
  const zone = { 'a.example': mx('127.0.0.1') }

  it('is used where it is offered, whatever the certificate', async () => {
    const { open } = await world(zone, { '127.0.0.1': { tls: 'starttls' } })
    const result = await (await open()).send(to('ada@a.example'), never)
    expect(result).toMatchObject({ outcome: 'accepted', conversation: { tls: expect.stringContaining('TLSv1') } })
  })

  it('that fails leaves the mail in the clear, and is not tried again after the second time', async () => {
    const broken: SmtpSinkOptions = { tls: 'starttls', server: { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.2' } }
    const { sinks, open } = await world(zone, { '127.0.0.1': broken })
    const transport = await open()
    for (const _ of [1, 2, 3]) {
      const result = await transport.send(to('ada@a.example'), never)
      expect(result).toMatchObject({ outcome: 'accepted' })
      expect(result.conversation?.tls).toBeUndefined()
    }
    expect(sinks['127.0.0.1']?.connections).toBe(3)
  })

  it.each([
    ['breaks off', { say: '', next: 'end' }, 'it closes the connection'],
    ['does not answer', 'silence', 'TLS fails'],
  ] as const)('that the server %s leaves the mail in the clear, too', async (_, starttls, why) => {
    const answer = (command: string) => (command === 'STARTTLS' ? starttls : undefined)
    const server = await startFaultSmtp({ answer, extensions: ['STARTTLS'] })
    onTestFinished(() => server.close())
    const sent = async (requireTls: boolean) => {
      const options = { ...local, requireTls, port: server.port, timeouts: { connect: 0.2 } }
      const { transport } = await direct(options).open({ ...kit, dns: everywhere })
      onTestFinished(async () => transport.close?.())
      return transport.send(to('ada@a.example'), never)
    }
    expect(await sent(false)).toMatchObject({ outcome: 'accepted' })
    expect(await sent(true)).toMatchObject({ enhancedCode: '4.7.5', reason: expect.stringContaining(why) })
  })

  it('is not taken for what failed when a server closes before it greets', async () => {
    const answer = (command: string) => (command === 'GREETING' ? ({ say: '', next: 'end' } as const) : undefined)
    const server = await startFaultSmtp({ answer, extensions: ['STARTTLS'] })
    onTestFinished(() => server.close())
    const { transport } = await direct({ ...local, port: server.port }).open({ ...kit, dns: everywhere })
    onTestFinished(async () => transport.close?.())
    expect(await transport.send(to('ada@a.example'), never)).toMatchObject({ outcome: 'refused', stage: 'rcpt' })
    expect(server.connections).toHaveLength(1)
  })

  it('that is required and not offered sends nothing', async () => {
    const { sinks, open } = await world(zone, { '127.0.0.1': {} })
    const result = await (await open({ requireTls: true })).send(to('ada@a.example'), never)
    expect(result).toMatchObject({ outcome: 'refused', permanent: false, stage: 'rcpt' })
    expect(took(sinks['127.0.0.1'])).toEqual([])
  })
})

describe('the policy of a domain (MTA-STS)', () => {
  const enforced = (...patterns: readonly string[]) =>
    `version: STSv1\nmode: enforce\n${patterns.map((mx) => `mx: ${mx}\n`).join('')}max_age: 86400\n`
  const record = (id: string): DnsRecords => ({ TXT: [[`v=STSv1; id=${id};`]] })
  /** A domain whose server has a certificate of the name `localhost`, or whose policy names another. */
  const zone = {
    'a.example': mx('localhost'),
    '_mta-sts.a.example': record('1'),
    localhost: { A: ['127.0.0.1'] },
    'mta-sts.a.example': { A: ['127.0.0.1'] },
  }

  /** The world with a web server that has this policy; `serve` changes it, undefined has none. */
  async function policed(policy: string | undefined, sink: SmtpSinkOptions = { tls: 'starttls' }) {
    let isSilent = false
    const { sinks, names, dns, port } = await world(zone, { '127.0.0.1': sink })
    let text = policy
    let fetched = 0
    const web = https.createServer({ cert: sinkCertificate, key: sinkKey }, (_request, response) => {
      fetched++
      if (isSilent) return
      response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
    })
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      web.close()
      web.closeAllConnections()
    })
    const address = web.address()
    const webPort = typeof address === 'object' && address ? address.port : 0
    const egress = { dns, allow: ['127.0.0.0/8'] }
    const { webhooks: real } = await webhooksHttp({ ca: sinkCertificate }).open({ ...kit, egress })
    const webhooks: WebhookSender = {
      // the certificate of the test is for this name, at no port of the system's
      send: (request, signal) =>
        real.send({ ...request, url: request.url.replace('mta-sts.a.example', `localhost:${webPort}`) }, signal),
    }
    const { transport } = await direct({ ...local, port }).open({ ...kit, dns, webhooks })
    onTestFinished(async () => transport.close?.())
    return {
      send: () => transport.send(to('ada@a.example'), never),
      sink: sinks['127.0.0.1'],
      serve(next: string | undefined, id: string) {
        text = next
        names.set('_mta-sts.a.example', 'TXT', [[`v=STSv1; id=${id};`]])
      },
      silence() {
        isSilent = true
      },
      fetched: () => fetched,
      names,
    }
  }

  it('has mail wait whose server it does not list, or whose certificate is not valid, until it is another', async () => {
    for (const [policy, why] of [
      [enforced('mx.a.example', '*.localhost'), 'does not list it'],
      [enforced('localhost'), 'its certificate is not trusted'],
    ] as const) {
      const { send, sink, serve, fetched } = await policed(policy)
      for (const _ of [1, 2]) {
        expect(await send()).toMatchObject({
          ...{ outcome: 'refused', permanent: false, stage: 'rcpt', enhancedCode: '4.7.5' },
          reason: expect.stringContaining(why),
        })
      }
      expect(fetched()).toBe(1)
      expect(took(sink)).toEqual([])
      serve('version: STSv1\nmode: testing\nmx: localhost\nmax_age: 86400', '2')
      expect(await send()).toMatchObject({ outcome: 'accepted' })
    }
  })

  it('lets mail go to a server that keeps to it, encrypted', async () => {
    const before = tls.getCACertificates('default')
    onTestFinished(() => tls.setDefaultCACertificates(before))
    tls.setDefaultCACertificates([...before, sinkCertificate])
    const { send, names } = await policed(enforced('LOCALHOST'))
    // behind more servers that it does not list than are tried for one mail
    names.set('a.example', 'MX', mx(...[1, 2, 3, 4, 5].map((n) => `old${n}.example`), 'localhost').MX ?? [])
    expect((await send()).conversation?.tls).toContain('TLSv1')
    const plain = await policed(enforced('localhost'), {})
    const result = await plain.send()
    expect(result).toMatchObject({ enhancedCode: '4.7.5', reason: expect.stringContaining('offers no TLS') })
    expect(result).not.toHaveProperty('code')
  })

  it('holds on while it cannot be fetched anew, and is none where it never could be', async () => {
    const { send, serve, fetched } = await policed(enforced('mx.a.example'))
    expect(await send()).toMatchObject({ outcome: 'refused' })
    serve(undefined, '2')
    expect(await send()).toMatchObject({ outcome: 'refused' })
    expect(fetched()).toBe(2)
    const never = await policed(undefined)
    for (const _ of [1, 2]) expect(await never.send()).toMatchObject({ outcome: 'accepted' })
    expect(never.fetched()).toBe(1)
  })

  it('is fetched again before it runs out without a wait for it, or for a record that the DNS has just not told', async () => {
    const { send, silence, fetched, names } = await policed(enforced('mx.a.example'))
    expect(await send()).toMatchObject({ outcome: 'refused' })
    silence()
    const now = performance.now.bind(performance)
    const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + 43_200_001)
    onTestFinished(() => spy.mockRestore())
    expect(await send()).toMatchObject({ outcome: 'refused', enhancedCode: '4.7.5' })
    await vi.waitFor(() => expect(fetched()).toBe(2))
    names.fail('_mta-sts.a.example', 'drop')
    const asked = names.questions.length
    for (const _ of [1, 2]) expect(await send()).toMatchObject({ outcome: 'refused', enhancedCode: '4.7.5' })
    expect(names.questions.slice(asked).filter((question) => question.startsWith('TXT'))).toHaveLength(1)
  })

  it.each([
    ['version: STSv1\r\nmode: none\r\nmax_age: 0', { mode: 'none', mx: [], maxAge: 0 }],
    ['version: STSv1\nmode: enforce\nmode: none\nmx: *.A.example.\nmax_age: 99999999999', undefined],
    ['mode: enforce\nversion: STSv1\nmode: none\nmx: *.A.example.\nmax_age: 9999999999\nnote: x:y', 31_557_600],
    ['version: STSv2\nmode: enforce\nmx: a.example\nmax_age: 1', undefined],
    ['version: STSv1\nmode: enforce\nmax_age: 1', undefined],
    [`version: STSv1\nmode: enforce\n${'mx: a.example\n'.repeat(101)}max_age: 1`, undefined],
    ['<!doctype html>', undefined],
  ])('is read from %j', (text, policy) => {
    const long = { mode: 'enforce', mx: ['*.a.example'], maxAge: policy }
    expect(policyIn(text)).toEqual(typeof policy === 'number' ? long : policy)
  })
})

describe('is in trouble as a whole', () => {
  const dead = [1, 2, 3, 4, 5]
  const zone = Object.fromEntries(dead.map((n) => [`d${n}.example`, mx(`127.0.0.${10 + n}`)]))
  const stagesOf = async (transport: MailTransport) => {
    const stages: string[] = []
    for (const n of dead) {
      const result = await transport.send(to(`ada@d${n}.example`), never)
      if (result.outcome === 'refused') stages.push(result.stage)
    }
    return stages
  }

  it('when no server of five domains answers and none has before, until one does', async () => {
    const same = Object.fromEntries(dead.map((n) => [`same${n}.example`, mx('127.0.0.11')]))
    const { open, port } = await world({ ...zone, ...same, 'alive.example': mx('127.0.0.6') }, {})
    const transport = await open()
    for (const domain of Object.keys(same))
      expect(await transport.send(to(`ada@${domain}`), never)).toMatchObject({ stage: 'rcpt' })
    await transport.check?.()
    expect(await stagesOf(transport)).toEqual(['rcpt', 'rcpt', 'rcpt', 'rcpt', 'connect'])
    await expect(transport.check?.()).rejects.toThrow(/no mail server answers at port/)
    const sink = await startSmtpSink({ checked: false, at: { host: '127.0.0.6', port } })
    onTestFinished(() => sink.close())
    expect(await transport.send(to('ada@alive.example'), never)).toMatchObject({ outcome: 'accepted' })
    await transport.check?.()
  })

  it('not when a server that answered before still does, however many others are dead', async () => {
    const many = mx(...dead.map((n) => `127.0.0.${20 + n}`))
    const { open } = await world(
      { ...zone, 'alive.example': mx('127.0.0.6'), 'many.example': many },
      { '127.0.0.6': {} },
    )
    const transport = await open()
    expect(await transport.send(to('ada@alive.example'), never)).toMatchObject({ outcome: 'accepted' })
    expect(await transport.send(to('ada@many.example'), never)).toMatchObject({ stage: 'rcpt' })
    expect(await stagesOf(transport)).toEqual(dead.map(() => 'rcpt'))
    await transport.check?.()
  })

  it('when the DNS answers nothing, not even about this machine', async () => {
    const { names, open } = await world({}, {})
    const transport = await open()
    for (const [name, stage] of [
      ['b.example', 'rcpt'],
      ['mail.acme.example', 'connect'],
    ] as const) {
      names.fail(name, 'SERVFAIL')
      expect(await transport.send(to('bob@b.example'), never)).toMatchObject({ stage, enhancedCode: '4.4.3' })
    }
  })
})

it('is not well while the name of this machine leads nowhere', async () => {
  const { open } = await world({ 'mail.acme.example': {} }, {})
  await expect((await open()).check?.()).rejects.toThrow('mail.acme.example has no address in the DNS')
})
