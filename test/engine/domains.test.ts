import { AsyncResource } from 'node:async_hooks'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine, definePlugin, type Engine } from '../../config/library.ts'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import { type LogFields, silentLog } from '../../core/ports/log.ts'
import type { ScheduledTask } from '../../core/ports/scheduler.ts'
import type { SenderIdentity } from '../../core/ports/sender-identity.ts'
import type { Repositories, Store } from '../../core/ports/store/store.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { senderDomain } from '../contracts/store/records.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { engineWithSink, toSink } from '../support/engine.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { testStore } from '../support/store.ts'
import { until } from '../support/until.ts'

it('with another secret nothing is sent unsigned: it is told, mail waits, and a new key mends it', async () => {
  const [dns, sink, folder] = [await startDnsServer(), await startSmtpSink(), freshFolder()]
  onTestFinished(() => Promise.all([dns.close(), sink.close()]).then(() => {}))
  const errors: (LogFields | undefined)[] = []
  const log = { ...silentLog, error: (_: string, fields?: LogFields) => void errors.push(fields) }
  const open = async (secret: string | undefined) => {
    const engine = await createEngine({
      store: sqlite({ file: join(folder, 'test.db'), synchronous: 'NORMAL' }),
      transports: [toSink(sink)],
      dns: nodeDns({ servers: [dns.address] }),
      projects: [{ name: 'Test', from: 'me@acme.example', trustedDomains: ['acme.example'] }],
      log: { ...log, with: () => log },
      ...(secret === undefined ? {} : { secret }),
    })
    onTestFinished(() => engine.stop())
    return engine
  }
  const project = async (engine: Engine) => (await engine.projects.list())[0]!
  const send = async (engine: Engine) =>
    engine.sending.send(await project(engine), { to: 'ada@example.org', subject: 'Hi', body: '<p>x</p>' })
  const publish = (records: readonly { readonly name: string; readonly value: string }[]) =>
    dns.set(records[0]!.name, 'TXT', [records[0]!.value])

  const first = await open(undefined)
  const added = await first.domains.add(await project(first), { domain: 'acme.example' })
  publish(added.records)
  expect(await first.domains.verify(await project(first), added.id)).toMatchObject({ verified: true })
  await first.stop()

  // what was kept before a secret was configured still opens
  const second = await open('the first configured secret')
  await second.start()
  await send(second)
  expect((await sink.waitFor(1))[0]!.raw.toString()).toMatch(/^DKIM-Signature: /)
  const rotated = await second.domains.rotate(await project(second), added.id)
  publish(rotated.records)
  expect(await second.domains.verify(await project(second), added.id)).toMatchObject({ verified: true })
  await second.stop()
  expect(errors).toEqual([])

  const third = await open('another configured secret')
  expect(errors).toEqual([{ domain: 'acme.example', advice: expect.stringContaining('secret') }])
  await third.start()
  await send(third)
  const mailId = (await third.mails.list(await project(third))).items[0]!.id
  await until(
    'the mail waits',
    async () => (await third.mails.get(await project(third), mailId)).email.error !== undefined,
  )
  const { email } = await third.mails.get(await project(third), mailId)
  expect(email).toMatchObject({ status: 'QUEUED', error: expect.stringContaining('cannot be read') })
  expect(sink.messages).toHaveLength(1)
  const failed = await third.domains.verify(await project(third), added.id)
  expect(failed).toMatchObject({ verified: false, status: 'FAILED' })
  expect(failed.records[0]).toMatchObject({ status: 'FAILED', advice: expect.stringContaining('secret') })

  const renewed = await third.domains.rotate(await project(third), added.id)
  publish(renewed.records)
  expect(await third.domains.verify(await project(third), added.id)).toMatchObject({ verified: true })
  await send(third)
  const [, mail] = await sink.waitFor(2)
  expect(mail!.raw.toString()).toContain(`s=${renewed.records[0]!.name.split('.')[0]};`)
})

it('slow name servers and many keys of one project keep no other waiting', async () => {
  const silent = new Promise<never>(() => {})
  const published = new Map<string, string>()
  const none = async () => []
  const dns: DnsResolver = {
    ...{ mx: none, ns: none, cname: none, ipv4: none, ipv6: none, ptr: none },
    txt: async (name) => (name.endsWith('slow.example') ? silent : [published.get(name) ?? []].flat()),
  }
  // as keys of our own it makes one after the other
  let last = Promise.resolve()
  const identity: SenderIdentity = {
    async make() {
      last = last.then(() => pause(20))
      await last
      return { selector: 's', publicData: 'key' }
    },
    records: (domain) => [{ type: 'TXT', name: `s._domainkey.${domain}`, value: 'key' }],
    async check(domain, _proof, { txt }) {
      const [text] = await txt(`s._domainkey.${domain}`)
      return [{ state: text === undefined ? 'missing' : 'found', advice: '' }]
    },
  }
  const tasks: ScheduledTask[] = []
  const start = async (given: readonly ScheduledTask[]) => void tasks.push(...given)
  const scheduler = { start, check: async () => {}, stop: async () => {} }
  const { engine } = await engineWithSink({
    dns: definePlugin({ name: 'dns', provides: ['dns'], open: () => ({ dns }) })(),
    identity: definePlugin({ name: 'identity', provides: ['identity'], open: () => ({ identity }) })(),
    scheduler: definePlugin({ name: 'scheduler', provides: ['scheduler'], open: () => ({ scheduler }) })(),
    projects: [{ name: 'Many' }, { name: 'One' }],
  })
  const [many, one] = await engine.projects.list()
  const adding = Promise.all(
    Array.from({ length: 40 }, (_, i) => engine.domains.add(many!, { domain: `d${i}.slow.example` })),
  )
  await pause(5)
  const began = performance.now()
  await engine.domains.add(one!, { domain: 'first.example' })
  // behind all keys of the other project it would take 800 ms
  expect(performance.now() - began).toBeLessThan(400)
  const slow = await adding
  const { id } = await engine.domains.add(one!, { domain: 'quick.example' })

  await engine.start()
  const checks = tasks.find(({ name }) => name === 'domains')!
  const asked = slow.map(({ id }) => engine.domains.verify(many!, id).catch(() => {}))
  published.set('s._domainkey.quick.example', 'key')
  // its turn does not end before the slow ones have: they hold no place that another project needs
  const turn = checks.run(AbortSignal.timeout(3000))
  await until('the quick one is verified', async () => {
    return (await engine.domains.list(one!)).find((domain) => domain.id === id)?.verified
  })
  await engine.stop()
  await Promise.all([turn, ...asked])
})

it('keys of a domain above are for the mail of its own project alone, and hold up no other', async () => {
  const [dns, sink, folder] = [await startDnsServer(), await startSmtpSink(), freshFolder()]
  onTestFinished(() => Promise.all([dns.close(), sink.close()]).then(() => {}))
  const open = async (secret: string) => {
    const engine = await createEngine({
      store: sqlite({ file: join(folder, 'test.db'), synchronous: 'NORMAL' }),
      transports: [toSink(sink)],
      dns: nodeDns({ servers: [dns.address] }),
      projects: [{ name: 'Host', trustedDomains: ['news.host.example'] }, { name: 'Shop' }, { name: 'Guest' }].map(
        (project) => ({ trustedDomains: ['shop.host.example'], ...project }),
      ),
      log: silentLog,
      secret,
    })
    onTestFinished(() => engine.stop())
    await engine.start()
    const projects = await engine.projects.list()
    const of = (name: string) => projects.find((project) => project.name === name)!
    const prove = async (name: string, domain: string) => {
      const { id, records } = await engine.domains.add(of(name), { domain })
      dns.set(records[0]!.name, 'TXT', [records[0]!.value])
      expect(await engine.domains.verify(of(name), id)).toMatchObject({ verified: true })
    }
    const signers = async (name: string, from: string) => {
      sink.clear()
      await engine.sending.send(of(name), { to: 'ada@example.org', from, subject: 'Hi', body: '<p>x</p>' })
      const [mail] = await sink.waitFor(1)
      return [...mail!.raw.toString().matchAll(/^DKIM-Signature:[^;]*;[^;]*;[^;]*; d=([^;]+);/gm)].map(([, d]) => d)
    }
    return { engine, prove, signers }
  }
  const first = await open('the first configured secret')
  await first.prove('Host', 'host.example')
  expect(await first.signers('Host', 'a@news.host.example')).toEqual(['host.example'])
  expect(await first.signers('Shop', 'a@shop.host.example')).toEqual([])
  await first.engine.stop()

  // now the key of the domain above cannot be read
  const second = await open('another configured secret')
  expect(await second.signers('Shop', 'a@shop.host.example')).toEqual([])
  await second.prove('Shop', 'shop.host.example')
  expect(await second.signers('Shop', 'a@shop.host.example')).toEqual(['shop.host.example'])
  // the operator lets both send from the domain whose owner has published the key
  expect(await second.signers('Guest', 'a@shop.host.example')).toEqual(['shop.host.example'])
})

it('a domain that is proven while another project takes it over stays where it is', async () => {
  const plugin = definePlugin({
    name: 'store',
    provides: ['store'],
    open: async (_options, kit) => {
      const { store, ...rest } = await freshPostgres().open(kit)
      // a check, in no transaction of ours, that ends between the look at the claim and its removal
      const apart = new AsyncResource('check')
      const named = (tx: Repositories) => async (names: readonly string[]) => {
        const found = await tx.domains.named(names)
        for (const row of found) await apart.runInAsyncScope(() => store.domains.update({ ...row, status: 'VERIFIED' }))
        return found
      }
      const transaction: Store['transaction'] = (work) =>
        store.transaction((tx) => work(over(tx, { domains: over(tx.domains, { named: named(tx) }) })))
      return { ...rest, store: over(store, { transaction }) }
    },
  })
  let ahead = 0
  const { engine } = await engineWithSink({
    store: plugin(),
    projects: [{ name: 'First' }, { name: 'Second' }],
    clock: { now: () => new Date(Date.now() + ahead) },
  })
  const [first, second] = await engine.projects.list()
  const { id } = await engine.domains.add(first!, { domain: 'acme.example' })
  ahead = 73 * 3_600_000
  await expect(engine.domains.add(second!, { domain: 'acme.example' })).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await engine.domains.list(first!)).toMatchObject([{ id, verified: true }])
})

it('a project has a thousand domains, and no more', async () => {
  const { store } = await testStore()
  const plugin = definePlugin({ name: 'memory', provides: ['store'], open: () => ({ store }) })
  const { engine, project } = await engineWithSink({ store: plugin() })
  for (let i = 1; i < 1000; i++) await store.domains.insert(senderDomain(project.id, `d${i}.example`))
  await engine.domains.add(project, { domain: 'thousandth.example' })
  await expect(engine.domains.add(project, { domain: 'more.example' })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('1000 domains'),
  })
})

/** The object with other members in place of some of its own. */
function over<T extends object>(object: T, members: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(name in members ? members : target, name)
      return typeof value === 'function' && !(name in members) ? value.bind(target) : value
    },
  })
}
