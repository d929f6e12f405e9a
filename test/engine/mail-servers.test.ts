import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine, type Engine, type GivenSettings, type Log, silentLog } from '../../config/library.ts'
import { installationSettings } from '../../config/mail-server.ts'
import type { AddMailServerInput } from '../../core/installation/mail-server.ts'
import { outbox } from '../../plugins/mail-outbox/index.ts'
import { postgresQueue } from '../../plugins/queue-postgres/index.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { QUICK } from '../support/matrix.ts'
import { freePort } from '../support/server-process.ts'
import { type SmtpSinkOptions, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const AUTH = { user: 'shop', pass: 'a right password' }
const MAIL = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }

/** An engine whose mail servers are set while it runs; until then mail goes to a folder. */
async function runningEngine(settings: GivenSettings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-outbox-'))
  const engine = await createEngine({
    transports: [outbox({ directory: folder })],
    projects: [{ name: 'Test', trustedDomains: ['example.com'] }],
    installation: installationSettings({}),
    store: QUICK.store(),
    delivery: { threads: 0 },
    ...settings,
  })
  onTestFinished(() => engine.stop())
  await engine.start()
  const [project] = await engine.projects.list()
  const send = () => engine.sending.send(project!, MAIL)
  const files = () => (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith('.eml')).length
  return { engine, project: project!, send, files }
}

async function sinkFor(options: SmtpSinkOptions = {}) {
  const sink = await startSmtpSink({ auth: AUTH, ...options })
  onTestFinished(() => sink.close())
  return sink
}

const at = (port: number): AddMailServerInput => ({ host: '127.0.0.1', port, security: 'none' })
const login = (port: number): AddMailServerInput => ({ ...at(port), user: AUTH.user, password: AUTH.pass })

for (const { name, store } of [QUICK]) {
  describe(`mail servers that are set while it runs, on ${name}`, () => {
    it('are used at once, in their order, and again by the next start; without any, mail goes to the folder', async () => {
      const first = await sinkFor()
      const second = await sinkFor()
      const { engine, send, files } = await runningEngine({ store: store() })
      const { mailServers } = engine.installation
      await send()
      await engine.idle()
      expect(files()).toBe(1)
      expect(engine.installation.sendsNothing).toBe(true)

      const added = await mailServers.add({ ...login(first.port), name: 'First' })
      expect(added).toMatchObject({ name: 'First', host: '127.0.0.1', user: 'shop', hasPassword: true, enabled: true })
      await send()
      await first.waitFor(1)
      expect(engine.installation.sendsNothing).toBe(false)
      const other = await mailServers.add({ ...login(second.port), name: 'Second' })
      await send()
      await first.waitFor(2)
      await mailServers.change(other.id, { position: 0 })
      await send()
      await second.waitFor(1)
      await mailServers.change(other.id, { enabled: false })
      await send()
      await first.waitFor(3)
      await mailServers.remove(added.id)
      await mailServers.remove(other.id)
      await send()
      await engine.idle()
      expect([files(), first.messages.length, second.messages.length]).toEqual([2, 3, 1])
      expect((await mailServers.list()).servers).toEqual([])
    })

    it('leave no mail of the folder among those delivered without saying so', async () => {
      const sink = await sinkFor()
      const { engine, project, send } = await runningEngine({ store: store() })
      await engine.contacts.upsert(project, { email: 'ada@example.org' })
      const campaign = async () => {
        const given = {
          name: 'News',
          subject: 'News',
          body: '<p>News</p>',
          from: 'hello@example.com',
          audienceType: 'ALL' as const,
        }
        const { id } = (await engine.campaigns.create(project, given)).campaign
        await engine.campaigns.send(project, id, {})
        await engine.idle()
        return engine.campaigns.stats(project, id)
      }
      await send()
      expect(await campaign()).toMatchObject({ sent: 1, delivered: 1, toFolder: 1 })
      await engine.installation.mailServers.add({ ...login(sink.port), name: 'First' })
      expect(await campaign()).toMatchObject({ sent: 1, delivered: 1, toFolder: 0 })
      await send()
      await sink.waitFor(2)
      await engine.idle()

      const { items } = await engine.mails.list(project)
      expect(items.map(({ transport, toFolder }) => [transport, toFolder])).toEqual([
        ...Array.from({ length: 2 }, () => ['First', undefined]),
        ...Array.from({ length: 2 }, () => ['mail-outbox', true]),
      ])
      const { activity } = engine.analytics
      expect(await activity.stats(project)).toMatchObject({ totalEmailsDelivered: 4, totalEmailsToFolder: 2 })
      expect((await engine.analytics.timeSeries(project)).at(-1)).toMatchObject({ delivered: 4, toFolder: 2 })
      const compared = (await engine.analytics.campaigns(project)).campaigns
      expect(compared.map(({ deliveredCount, toFolderCount }) => [deliveredCount, toFolderCount])).toEqual([
        [1, 0],
        [1, 1],
      ])
      const told = (await activity.list(project, { types: 'email.delivery' })).items
      expect(told.map(({ metadata }) => metadata.toFolder)).toEqual([undefined, undefined, true, true])
      // a folder says nothing about the domain it was written for
      expect((await engine.reputation.figures(project)).map(({ domain, sent }) => [domain, sent])).toEqual([
        ['example.org', 2],
      ])
    })

    it('never show the password, which is stored encrypted and given to no other host', async () => {
      const sink = await sinkFor()
      const { engine } = await runningEngine({ store: store() })
      const { mailServers } = engine.installation
      const { id } = await mailServers.add(login(sink.port))
      expect(JSON.stringify(await mailServers.list())).not.toContain(AUTH.pass)
      await expect(mailServers.change(id, { host: 'localhost' })).rejects.toMatchObject({
        fields: [{ field: 'password', code: 'required' }],
      })
      await expect(mailServers.try({ id, host: 'localhost' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
      expect(await mailServers.try({ id })).toEqual({ ok: true })
      expect(await mailServers.try({ id, password: 'wrong' })).toMatchObject({ ok: false, trouble: 'login' })
      expect(await mailServers.change(id, { user: null, password: null })).toMatchObject({ hasPassword: false })
    })

    it('lose no mail and send none twice when they are changed again and again while it flows', async () => {
      const sinks = await Promise.all([sinkFor(), sinkFor()])
      // on one of them in a thread
      const threads = name === 'SQLite' ? 1 : 0
      const { engine, project, files } = await runningEngine({ store: store(), delivery: { threads } })
      const { mailServers } = engine.installation
      const { id } = await mailServers.add({ ...login(sinks[0]!.port), name: 'Moving' })
      const addresses = Array.from({ length: 300 }, (_, i) => `reader${i}@example.org`)
      const sending = (async () => {
        for (let i = 0; i < addresses.length; i += 20)
          await engine.sending.send(project, { ...MAIL, to: addresses.slice(i, i + 20) })
      })()
      for (let i = 1; i <= 12; i++) {
        await mailServers.change(id, login(sinks[i % 2]!.port))
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
      await sending
      await engine.idle()
      const got = sinks.flatMap(({ messages }) => messages.flatMap(({ to }) => to))
      expect(got.toSorted()).toEqual(addresses.toSorted())
      expect(files()).toBe(0)
    })

    it('bring mail that waits for a wrong password on its way as soon as it is put right', async () => {
      const sink = await sinkFor()
      const { engine, send } = await runningEngine({ store: store() })
      const { mailServers } = engine.installation
      const { id } = await mailServers.add({ ...login(sink.port), password: 'wrong' })
      await send()
      await until('the refused login', async () => engine.analytics.operations.transports()[0]?.lastError)
      await mailServers.change(id, { password: AUTH.pass })
      await sink.waitFor(1, 5)
    })

    it('are refused with the field and what to do', async () => {
      const { engine } = await runningEngine({ store: store() })
      const { mailServers } = engine.installation
      const refusal = (input: object) => mailServers.add(input).catch(({ fields }) => fields[0])
      expect(await refusal({})).toMatchObject({ field: 'host', code: 'required' })
      expect(await refusal({ preset: 'brevo' })).toMatchObject({ field: 'user', code: 'required' })
      expect(await refusal({ preset: 'sendgrid' })).toMatchObject({ field: 'password', code: 'required' })
      expect(await refusal({ preset: 'nobody' })).toMatchObject({ field: 'preset', code: 'invalid_enum_value' })
      expect(await refusal({ host: 'a b', port: 25 })).toMatchObject({ field: 'host' })
      expect(await refusal({ host: 'a.example', port: 65_536 })).toMatchObject({ field: 'port', code: 'too_big' })
      expect(await refusal({ host: 'a.example', user: 'u' })).toMatchObject({ field: 'password' })
      expect(await refusal({ host: 'a.example', user: 'u', password: 'a\nb' })).toMatchObject({ field: 'password' })
      for (let i = 0; i < 20; i++) await mailServers.add({ host: 'a.example' })
      await expect(mailServers.add({ host: 'a.example' })).rejects.toMatchObject({ code: 'CONFLICT' })
      const { servers } = await mailServers.list()
      expect(new Set(servers.map((each) => each.name)).size).toBe(20)
      await expect(mailServers.change(servers[1]!.id, { name: servers[0]!.name.toUpperCase() })).rejects.toMatchObject({
        code: 'CONFLICT',
      })
      await expect(mailServers.remove('nothing')).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' })
    })

    it('and the public address counts at once, in links as in what is refused', async () => {
      const publicUrl = 'http://127.0.0.1:3000'
      const sink = await sinkFor({ checked: false })
      const { engine, project } = await runningEngine({ store: store(), publicUrl })
      const { installation } = engine
      const view = async () => {
        await engine.sending.send(project, { ...MAIL, body: '<a href="https://acme.example">x</a>' })
        await engine.idle()
        return sink.messages.at(-1)!.raw.toString().replaceAll('=\r\n', '')
      }
      await installation.mailServers.add(login(sink.port))
      expect(await view()).toContain(`${publicUrl}/t/`)
      expect(installation.publicAddress()).toMatchObject({
        url: publicUrl,
        problem: expect.stringMatching(/this machine/),
      })
      const changed = await installation.changePublicAddress({ url: 'https://mail.acme.example/' })
      expect(changed).toEqual({
        url: 'https://mail.acme.example',
        given: publicUrl,
        set: 'https://mail.acme.example',
      })
      expect(engine.publicUrl).toBe('https://mail.acme.example')
      const raw = await view()
      expect(raw).toContain('https://mail.acme.example/t/')
      expect(raw).not.toContain(publicUrl)
      await installation.changePublicAddress({ url: null })
      expect(engine.publicUrl).toBe(publicUrl)
      for (const url of ['mail.acme.example', 'ftp://a.example', 'https://u:p@a.example', 'https://a.example/?q'])
        await expect(installation.changePublicAddress({ url })).rejects.toMatchObject({ fields: [{ field: 'url' }] })
    })
  })
}

describe('what the settings say', () => {
  it('wins over stored mail servers and the stored address, and an engine without such settings has none', async () => {
    const sink = await sinkFor()
    const from = { transportsFrom: 'SMTP_URL', publicUrlFrom: 'PUBLIC_URL' }
    const installation = installationSettings(from)
    const { engine, send, files } = await runningEngine({ installation, publicUrl: 'https://given.example' })
    await engine.installation.mailServers.add(login(sink.port))
    await engine.installation.changePublicAddress({ url: 'https://set.example' })
    await send()
    await engine.idle()
    expect([files(), sink.messages.length, engine.publicUrl]).toEqual([1, 0, 'https://given.example'])
    expect(await engine.installation.mailServers.list()).toMatchObject({
      setBy: 'SMTP_URL',
      servers: [{ enabled: true }],
    })
    expect(engine.installation.publicAddress()).toMatchObject({ setBy: 'PUBLIC_URL', set: 'https://set.example' })

    const { engine: embedded } = await runningEngine({ installation: undefined as never })
    expect(await embedded.installation.mailServers.list()).toMatchObject({ setBy: 'code', presets: [] })
    await expect(embedded.installation.mailServers.add(login(sink.port))).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('about the secret is missing: the password cannot be read, the log says so, and mail waits for it', async () => {
    const url = await freshDatabase()
    const sink = await sinkFor()
    const own = { store: postgres({ url }), queue: postgresQueue({ url }) }
    const before = await runningEngine({ ...own, secret: 'the secret of before' })
    const { id } = await before.engine.installation.mailServers.add(login(sink.port))
    await before.engine.stop()
    const errors: string[] = []
    const log: Log = { ...silentLog, error: (message) => void errors.push(message), with: () => log }
    const { engine, send, files } = await runningEngine({ ...own, secret: 'another secret now', log })
    await send()
    await until('the mail that waits', async () => engine.analytics.operations.transports()[0]?.lastError)
    expect(errors).toEqual(['the password of a mail server cannot be read: its mail waits'])
    expect([files(), sink.messages.length]).toEqual([0, 0])
    await expect(engine.installation.mailServers.change(id, { user: 'x' })).rejects.toMatchObject({
      fields: [{ field: 'password' }],
    })
    await engine.installation.mailServers.change(id, { password: AUTH.pass })
    await sink.waitFor(1, 5)
  })
})

describe('a trial of a mail server', () => {
  const tried = async (input: object): Promise<Awaited<ReturnType<Engine['installation']['mailServers']['try']>>> => {
    const { engine } = await runningEngine()
    return engine.installation.mailServers.try(input)
  }
  const listening = async (server: net.Server) => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return (server.address() as net.AddressInfo).port
  }

  it('says what is wrong in a word, for every way to be wrong', async () => {
    const plain = await sinkFor()
    const starttls = await sinkFor({ tls: 'starttls' })
    const open = await startSmtpSink()
    onTestFinished(() => open.close())
    const port = await freePort()
    const { engine } = await runningEngine()
    const trial = async (input: object) => {
      const { trouble, reason } = await engine.installation.mailServers.try(input)
      return [trouble, reason]
    }
    const user = { user: AUTH.user, password: AUTH.pass }
    expect(
      await Promise.all([
        trial({ ...at(port) }),
        trial({ ...login(plain.port), password: 'wrong' }),
        trial({ host: '127.0.0.1', port: plain.port, security: 'starttls', ...user }),
        trial({ host: '127.0.0.1', port: plain.port, security: 'tls', ...user }),
        trial({ host: '127.0.0.1', port: starttls.port, security: 'starttls', ...user }),
      ]),
    ).toEqual([
      ['port-refused', expect.stringContaining('ECONNREFUSED')],
      ['login', expect.stringContaining('535')],
      ['no-starttls', expect.stringContaining('STARTTLS')],
      ['not-tls', expect.any(String)],
      ['certificate', expect.stringContaining('self-signed')],
    ])
    expect(await Promise.all([trial({ host: 'mail.does-not-exist.invalid' }), trial(login(open.port))])).toEqual([
      [expect.stringMatching(/^(host-unknown|dns)$/), expect.any(String)],
      ['no-login', expect.stringContaining('AUTH')],
    ])
  }, 30_000)

  it('leads from TLS to STARTTLS where the server hangs up on the first bytes of TLS, with or without a reset', async () => {
    const { engine } = await runningEngine()
    const hangsUp = (how: 'end' | 'resetAndDestroy') =>
      listening(net.createServer((socket) => void socket.on('error', () => {}).once('data', () => socket[how]())))
    for (const how of ['end', 'resetAndDestroy'] as const) {
      const port = await hangsUp(how)
      const answer = await engine.installation.mailServers.try({ ...at(port), security: 'tls' })
      expect(answer).toMatchObject({ trouble: 'closed-before-tls', reason: expect.stringContaining('STARTTLS') })
    }
  })

  it('ends within 15 seconds at a server that hangs or speaks HTTP, and no more than five run at once', async () => {
    const silent = await listening(net.createServer(() => {}))
    const web = await listening(http.createServer((_request, response) => response.end('hello')))
    const mute = await startSmtpSink({ server: { onMailFrom: () => {} } })
    onTestFinished(() => mute.close())
    const { engine } = await runningEngine()
    const since = performance.now()
    // its connection is in order
    const unsent = tried({ ...at(mute.port), to: 'me@example.org', from: 'hello@example.com' })
    const settled = await Promise.allSettled(
      [web, silent, silent, silent, silent, silent].map((port) => engine.installation.mailServers.try(at(port))),
    )
    expect(performance.now() - since).toBeLessThan(16_000)
    expect(await unsent).toEqual({ ok: false, at: 'mail', reason: 'no answer within 15 seconds' })
    const answers = settled.map((each) => (each.status === 'fulfilled' ? each.value.trouble : each.reason.code))
    expect(answers).toEqual(['http', ...Array(4).fill('no-greeting'), 'RATE_LIMIT_EXCEEDED'])
  }, 30_000)

  it('sends a real mail through a server that is not stored, in the language asked for', async () => {
    const sink = await sinkFor({ senders: { 'no@example.com': { code: 550, message: '5.7.1 Not yours' } } })
    const mail = { to: 'me@example.org', from: 'hello@example.com' }
    expect(await tried({ ...login(sink.port), ...mail, language: 'de' })).toMatchObject({ ok: true, response: /^250/ })
    expect(sink.messages).toMatchObject([{ from: mail.from, to: [mail.to] }])
    expect(sink.messages[0]!.raw.toString()).toMatch(/^Subject: Ein Test Ihres Mailservers\r$/m)
    expect(await tried({ ...login(sink.port), to: mail.to, from: 'no@example.com' })).toMatchObject({
      ...{ ok: false, at: 'mail' },
      reason: expect.stringMatching(/550.*Not yours/),
    })
    await expect(tried({ ...login(sink.port), to: mail.to })).rejects.toMatchObject({ fields: [{ field: 'from' }] })
  })
})

it('reaches other processes on the same database within seconds, and none of them writes mail to its folder meanwhile', async () => {
  const url = await freshDatabase()
  const own = () => ({ store: postgres({ url }), queue: postgresQueue({ url }) })
  const sink = await sinkFor()
  const [one, other] = [await runningEngine(own()), await runningEngine(own())]
  await one.engine.installation.mailServers.add(login(sink.port))
  for (let i = 0; i < 10; i++) await other.send()
  await sink.waitFor(10)
  expect([one.files(), other.files()]).toEqual([0, 0])
  await one.engine.installation.changePublicAddress({ url: 'https://mail.acme.example' })
  await until('the address', async () => other.engine.publicUrl === 'https://mail.acme.example' || undefined)
}, 20_000)
