import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine, type GivenSettings, type Project, silentLog } from '../../config/library.ts'
import { installationSettings } from '../../config/mail-server.ts'
import type { AddMailServerInput } from '../../core/installation/mail-server.ts'
import { systemClock } from '../../core/ports/clock.ts'
import { outbox } from '../../plugins/mail-outbox/index.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { postgresQueue } from '../../plugins/queue-postgres/index.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { QUICK } from '../support/matrix.ts'
import { freePort } from '../support/server-process.ts'
import { type SmtpSinkOptions, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const AUTH = { user: 'shop', pass: 'a right password' }
const NAMES = ['One', 'Two', 'Three']
const LOCAL = { egress: { allow: ['127.0.0.0/8'] } }

/** An engine with three projects, whose own mail goes to a folder until there is a mail server. */
async function runningEngine(settings: GivenSettings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-outbox-'))
  const engine = await createEngine({
    transports: [outbox({ directory: folder })],
    projects: NAMES.map((name) => ({ name, trustedDomains: [`${name.toLowerCase()}.example`] })),
    installation: installationSettings({}),
    store: QUICK.store(),
    delivery: { threads: 0 },
    ...LOCAL,
    ...settings,
  })
  onTestFinished(() => engine.stop(1_000))
  await engine.start()
  const projects = await engine.projects.list()
  const named = NAMES.map((name) => projects.find((each) => each.name === name)!)
  const [one, two, three] = named as [Project, Project, Project]
  const send = (project: Project, to = 'ada@example.org', subject = project.name) =>
    engine.sending.send(project, {
      to,
      from: `hello@${project.name.toLowerCase()}.example`,
      subject,
      body: '<p>Hi</p>',
    })
  const files = () => (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith('.eml')).length
  const ways = async (project: Project) =>
    (await engine.mails.list(project)).items.map(({ status, transport }) => [status, transport])
  return { engine, one, two, three, send, files, ways }
}

async function sinkFor(options: SmtpSinkOptions = {}) {
  const sink = await startSmtpSink({ auth: AUTH, ...options })
  onTestFinished(() => sink.close())
  const subjects = () => sink.messages.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1])
  return Object.assign(sink, { subjects })
}

/** A server that accepts connections and never says anything. */
async function silentPort(): Promise<number> {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as net.AddressInfo).port
}

const at = (port: number): AddMailServerInput => ({ host: '127.0.0.1', port, security: 'none' })
const login = (port: number): AddMailServerInput => ({ ...at(port), user: AUTH.user, password: AUTH.pass })

for (const { name, store } of [QUICK]) {
  describe(`mail servers of projects, on ${name}`, () => {
    it('take the mail of their project alone, in their order, before those of the installation', async () => {
      const [all, first, second] = [await sinkFor(), await sinkFor(), await sinkFor()]
      // on one of them in a thread
      const threads = name === 'SQLite' ? 1 : 0
      const { engine, one, two, send, files, ways } = await runningEngine({ store: store(), delivery: { threads } })
      const { installation } = engine
      await installation.mailServers.add({ ...login(all.port), name: 'Everybody' })
      const own = installation.mailServersOf(one)
      expect([installation.wayOf(one), (await own.list()).servers]).toEqual(['installation', []])
      const dead = await own.add({ ...login(await freePort()), name: 'Dead' })
      await own.add({ ...login(second.port), name: 'Second' })
      await own.add({ ...login(first.port), name: 'First' })
      await installation.mailServersOf(two).add({ ...login(await freePort()), name: 'Off' })
      const [off] = (await installation.mailServersOf(two).list()).servers
      await installation.mailServersOf(two).change(off!.id, { enabled: false })
      for (let i = 0; i < 10; i++) {
        await send(one)
        await send(two)
      }
      await engine.idle()
      expect([all.subjects(), second.subjects(), first.subjects()]).toEqual([
        Array(10).fill('Two'),
        Array(10).fill('One'),
        [],
      ])
      expect(await ways(one)).toEqual(Array(10).fill(['DELIVERED', 'Second']))
      expect(await ways(two)).toEqual(Array(10).fill(['DELIVERED', 'Everybody']))
      expect([installation.wayOf(one), installation.wayOf(two), files()]).toEqual(['own', 'installation', 0])
      // the trouble of a project's server is no trouble of the installation
      expect(await engine.health()).toMatchObject({ ok: true, degraded: false })
      expect(engine.analytics.operations.transports().map((each) => each.name)).toEqual(['Everybody'])

      // another project neither sees it nor changes it
      const others = installation.mailServersOf(two)
      const attempts = [others.change(dead.id, { port: 1 }), others.remove(dead.id), others.try({ id: dead.id })]
      for (const each of await Promise.allSettled(attempts))
        expect(each).toMatchObject({ status: 'rejected', reason: { code: 'RESOURCE_NOT_FOUND' } })
      expect((await others.list()).servers.map((each) => each.name)).toEqual(['Off'])
    })

    it('lose no mail and mix none up when they are changed again and again while it flows', async () => {
      const sinks = await Promise.all([sinkFor(), sinkFor(), sinkFor()])
      const { engine, one, two, send, files } = await runningEngine({ store: store() })
      const { installation } = engine
      await installation.mailServers.add(login(sinks[2]!.port))
      const own = installation.mailServersOf(one)
      const { id } = await own.add(login(sinks[0]!.port))
      const readers = Array.from({ length: 100 }, (_, i) => `reader${i}@example.org`)
      const sending = (async () => {
        for (const to of readers) await Promise.all([send(one, to), send(two, to)])
      })()
      for (let i = 1; i <= 8; i++) {
        await own.change(id, login(sinks[i % 2]!.port))
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
      await sending
      await until('all mail', async () => {
        await engine.idle()
        return sinks.flatMap((sink) => sink.subjects()).length >= 200 || undefined
      })
      const ones = sinks.slice(0, 2).flatMap(({ messages }) => messages)
      expect(ones.flatMap(({ to }) => to).toSorted()).toEqual(readers.toSorted())
      expect(sinks.slice(0, 2).flatMap((sink) => sink.subjects())).toEqual(Array(100).fill('One'))
      expect(sinks[2]!.subjects()).toEqual(Array(100).fill('Two'))
      expect(files()).toBe(0)
    })

    it('that hang hold up no mail of other projects, whether theirs goes through own servers or not', async () => {
      const [all, own] = [await sinkFor(), await sinkFor()]
      const port = await silentPort()
      const { engine, one, two, three, send } = await runningEngine({ store: store() })
      const { installation } = engine
      await installation.mailServers.add(login(all.port))
      await installation.mailServersOf(one).add({ host: '127.0.0.1', port, security: 'none' })
      await installation.mailServersOf(three).add(login(own.port))
      // more than its server takes at once
      await Promise.all(Array.from({ length: 200 }, () => send(one)))
      const held = await until('the mail that hangs', async () => {
        return (await engine.mails.list(one, { status: 'SENDING' })).items[0]
      })
      for (let i = 0; i < 20; i++) await Promise.all([send(two), send(three)])
      await Promise.all([all.waitFor(20), own.waitFor(20)])
      // its try has not ended, so nothing has waited for that
      expect((await engine.mails.get(one, held.id)).tries).toEqual([])
      expect([...all.subjects(), ...own.subjects()]).not.toContain('One')
      // what has not been handed over is free for another server
      await installation.mailServersOf(one).add({ ...login(own.port), name: 'Better' })
      const [hanging] = (await installation.mailServersOf(one).list()).servers
      await installation.mailServersOf(one).remove(hanging!.id)
      await send(one, 'late@example.org', 'Late')
      await until('the late mail', async () => own.subjects().includes('Late') || undefined)
      // all but those that hang go there at once, whether claimed before or not
      await own.waitFor(20 + 180 + 1)
    }, 60_000)

    it('leave mail waiting after the last one, rather than in a folder, and let it go by those of the installation', async () => {
      const [all, own] = [await sinkFor(), await sinkFor()]
      const { engine, one, two, send, files, ways } = await runningEngine({ store: store() })
      const { installation } = engine
      const servers = installation.mailServersOf(one)
      const { id } = await servers.add({ ...login(own.port), password: 'wrong' })
      await send(one)
      await until('the mail that waits', async () => (await engine.mails.list(one)).items.find(({ error }) => error))
      await servers.remove(id)
      await send(one)
      await send(two)
      await until('the mail in the folder', async () => files() === 1 || undefined)
      await engine.idle()
      expect([installation.wayOf(one), installation.wayOf(two)]).toEqual(['nowhere', 'folder'])
      expect((await ways(one)).map(([status]) => status)).toEqual(['QUEUED', 'QUEUED'])
      await installation.mailServers.add({ ...login(all.port), name: 'Everybody' })
      await all.waitFor(2)
      await engine.idle()
      expect(await ways(one)).toEqual(Array(2).fill(['DELIVERED', 'Everybody']))
      expect([installation.wayOf(one), files()]).toEqual(['installation', 1])
    }, 60_000)

    it('give back the mail that waits for its turn there when the last one is removed', async () => {
      const [all, own] = [await sinkFor(), await sinkFor()]
      const delivery = { threads: 0, throttle: { project: { perSecond: 1 } } }
      const { engine, one, send } = await runningEngine({ store: store(), delivery })
      const { installation } = engine
      await installation.mailServers.add(login(all.port))
      const { id } = await installation.mailServersOf(one).add(login(own.port))
      await Promise.all([send(one, 'a@example.org'), send(one, 'b@example.org')])
      await own.waitFor(1)
      await installation.mailServersOf(one).remove(id)
      await all.waitFor(1)
      expect([own.messages.length, all.messages.length]).toEqual([1, 1])
    }, 60_000)
  })
}

describe('the operator decides', () => {
  it('that a project without servers of its own has none, so that its mail waits for one', async () => {
    const [all, own] = [await sinkFor(), await sinkFor()]
    const delivery = { threads: 0, projectServers: 'only' as const }
    const { engine, one, two, send, ways } = await runningEngine({ delivery })
    const { installation } = engine
    await installation.mailServers.add(login(all.port))
    const { id } = await installation.mailServersOf(one).add({ ...login(own.port), name: 'Own' })
    await Promise.all([send(one), send(two)])
    await own.waitFor(1)
    const waits = async () =>
      (await engine.mails.list(two)).items.find(({ error }) => error?.includes('no mail server'))
    await until('the reason', waits)
    expect([installation.wayOf(one), installation.wayOf(two)]).toEqual(['own', 'nowhere'])
    await installation.mailServersOf(two).add({ ...login(own.port), name: 'Own' })
    await own.waitFor(2)
    await installation.mailServersOf(one).remove(id)
    expect(installation.wayOf(one)).toBe('nowhere')
    const isDelivered = async () => (await ways(two)).every(([status]) => status === 'DELIVERED') || undefined
    await until('the result', isDelivered)
    expect([all.messages.length, await ways(two)]).toEqual([0, [['DELIVERED', 'Own']]])
  }, 60_000)

  it('that each project needs its own only where it can add one', async () => {
    const settings = { store: QUICK.store(), delivery: { projectServers: 'only' as const } }
    const transports = [outbox({ directory: mkdtempSync(join(tmpdir(), 'mailwright-outbox-')) })]
    await expect(createEngine({ ...settings, transports })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      fields: [{ field: 'delivery.projectServers' }],
    })
  })

  it('that no project has any: those it has are not used, and may only be removed', async () => {
    const [all, own] = [await sinkFor(), await sinkFor()]
    const url = await freshDatabase()
    const stores = { store: postgres({ url }), queue: postgresQueue({ url }) }
    const before = await runningEngine(stores)
    const { id } = await before.engine.installation.mailServersOf(before.one).add(login(own.port))
    await before.engine.stop()
    const { engine, one, send } = await runningEngine({ ...stores, delivery: { threads: 0, projectServers: 'off' } })
    const { installation } = engine
    await installation.mailServers.add(login(all.port))
    await send(one)
    await all.waitFor(1)
    const servers = installation.mailServersOf(one)
    expect(await servers.list()).toMatchObject({ setBy: 'delivery.projectServers', servers: [{ id }] })
    const attempts = [servers.add(login(own.port)), servers.change(id, { position: 0 }), servers.try({ id })]
    for (const each of await Promise.allSettled(attempts))
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'CONFLICT' } })
    await servers.remove(id)
    expect([own.messages.length, (await servers.list()).servers]).toEqual([0, []])
  })
})

describe('private addresses', () => {
  it('are refused to a project and allowed to the operator, for as long as the server stays there', async () => {
    const sink = await sinkFor()
    const { engine, one, send } = await runningEngine({ egress: { allow: [] } })
    const { installation } = engine
    const [servers, byOperator] = [
      installation.mailServersOf(one),
      installation.mailServersOf(one, { isOperator: true }),
    ]
    for (const host of [
      '127.0.0.1',
      'localhost',
      '::1',
      '10.1.2.3',
      '169.254.169.254',
      '127.1',
      '::ffff:127.0.0.1',
      '[::1]',
    ]) {
      const input = { ...login(sink.port), host }
      await expect(servers.add(input), host).rejects.toMatchObject({ fields: [{ field: 'host' }] })
      await expect(servers.try(input), host).rejects.toMatchObject({ fields: [{ field: 'host' }] })
    }
    const { id } = await byOperator.add(login(sink.port))
    expect(await servers.try({ id })).toEqual({ ok: true })
    await servers.change(id, { name: 'Renamed' })
    await send(one)
    await sink.waitFor(1)
    await expect(servers.change(id, { port: 25 })).rejects.toMatchObject({ fields: [{ field: 'host' }] })
    await expect(servers.try({ id, port: 25 })).rejects.toMatchObject({ fields: [{ field: 'host' }] })
  })

  it('are not connected to by a name either, since each connection is judged by the addresses that it leads to', async () => {
    const sink = await startSmtpSink()
    onTestFinished(() => sink.close())
    const given = { host: 'localhost', port: sink.port, requireTls: false }
    const opened = async (options: object) => {
      const plugin = smtp({ ...given, ...options })
      const { transport } = await plugin.open({ log: silentLog, clock: systemClock })
      onTestFinished(() => transport.close?.())
      return { plugin, transport }
    }
    for (const options of [{}, { host: '127.0.0.1' }, { secure: true }]) {
      const { plugin, transport } = await opened({ ...options, publicOr: [] })
      const error = await transport.check!().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        trouble: 'forbidden',
        message: expect.stringContaining('may not be reached (loopback)'),
      })
      await plugin.reach?.().catch(() => {})
    }
    expect(sink.connections).toBe(0)
    await (await opened({ publicOr: ['127.0.0.0/8', '::1'] })).transport.check!()
    expect(smtp({ ...given, publicOr: ['nonsense'] }).problems()).toMatchObject([{ field: 'publicOr.0' }])
  })
})

it('reach other processes on the same database within seconds, in order and out again', async () => {
  const url = await freshDatabase()
  const own = () => ({ store: postgres({ url }), queue: postgresQueue({ url }) })
  const [sink, all] = [await sinkFor(), await sinkFor()]
  const [here, there] = [await runningEngine(own()), await runningEngine(own())]
  await here.engine.installation.mailServers.add(login(all.port))
  const { id } = await here.engine.installation.mailServersOf(here.one).add(login(sink.port))
  const wayThere = (way: string) => async () => there.engine.installation.wayOf(there.one) === way || undefined
  await until('the server of the project', wayThere('own'))
  for (let i = 0; i < 10; i++) await there.send(there.one)
  await sink.waitFor(10)
  await here.engine.installation.mailServersOf(here.one).remove(id)
  await until('its end', wayThere('installation'))
  await there.send(there.one)
  await all.waitFor(1)
  expect([sink.messages.length, here.files() + there.files()]).toEqual([10, 0])
}, 60_000)

it('lose no mail to a folder when the database fails while the last server of the installation is removed', async () => {
  const url = await freshDatabase()
  const { engine, one } = await runningEngine({ store: postgres({ url }), queue: postgresQueue({ url }) })
  const { installation } = engine
  const last = await installation.mailServers.add(at(9))
  const own = await installation.mailServersOf(one).add(at(9))
  await installation.mailServersOf(one).remove(own.id)
  expect(installation.wayOf(one)).toBe('installation')
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('alter table "project_mail_servers" rename to "away"')
  await expect(installation.mailServers.remove(last.id)).rejects.toThrow()
  expect([installation.sendsNothing, installation.wayOf(one)]).toEqual([true, 'nowhere'])
  await client.query('alter table "away" rename to "project_mail_servers"')
}, 60_000)
