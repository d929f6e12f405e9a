import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine, type Engine, type GivenSettings, silentLog } from '../../config/library.ts'
import { installationSettings } from '../../config/mail-server.ts'
import { outbox } from '../../plugins/mail-outbox/index.ts'
import { postgresQueue } from '../../plugins/queue-postgres/index.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { toSink } from '../support/engine.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { QUICK } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const MAIL = { from: 'news@example.com', subject: 'Hi', body: '<p>Hi</p>' }
const NEWS = { name: 'news', when: { tag: { stream: 'news' } }, to: 'bulk' }

/** A running engine whose mail servers are set while it runs, if `settings` name none. */
async function runningEngine(settings: GivenSettings = {}) {
  const engine = await createEngine({
    transports: [outbox({ directory: freshFolder() })],
    projects: [{ name: 'Test', trustedDomains: ['example.com'] }],
    installation: installationSettings({}),
    store: QUICK.store(),
    log: silentLog,
    ...settings,
    delivery: { threads: 0, ...settings.delivery },
  })
  onTestFinished(() => engine.stop())
  await engine.start()
  const [project] = await engine.projects.list()
  if (!project) throw new Error('the project was not made')
  let count = 0
  const send = async (stream: string) => {
    const to = `p${++count}@example.org`
    await engine.sending.send(project, { ...MAIL, to, tags: { stream } })
    return to
  }
  return { engine, project, send }
}

async function sinks() {
  const [main, bulk] = [await startSmtpSink(), await startSmtpSink()]
  onTestFinished(() => main.close())
  onTestFinished(() => bulk.close())
  return { main, bulk }
}

/** Adds both in the dashboard, `main` first. */
async function added({ installation }: Engine, { main, bulk }: Awaited<ReturnType<typeof sinks>>) {
  const add = (name: string, { port }: SmtpSink) =>
    installation.mailServers.add({ name, host: '127.0.0.1', port, security: 'none' })
  return { main: await add('main', main), bulk: await add('bulk', bulk) }
}

const took = ({ messages }: SmtpSink, to: string) => messages.some((mail) => mail.to.includes(to))

it('rules that the operator sets count at once, and a server that is turned off is left out of them', async () => {
  const to = await sinks()
  const { engine, send } = await runningEngine()
  const { rules } = engine.installation.routes
  const { bulk } = await added(engine, to)
  expect(await rules.list()).toMatchObject({ version: 1, rules: [], given: [], transports: ['main', 'bulk'] })
  expect(await rules.change({ rules: [NEWS] })).toMatchObject({ version: 2, problems: [] })
  const [news, other] = [await send('news'), await send('receipts')]
  await until('both are sent', () => took(to.bulk, news) && took(to.main, other))

  // it stays while a rule names it, and so does its name; case makes it no other
  const { mailServers } = engine.installation
  const named = { code: 'CONFLICT', message: 'The rule 1 (news) of routing names the mail server bulk.' }
  await expect(mailServers.remove(bulk.id)).rejects.toMatchObject(named)
  await expect(mailServers.change(bulk.id, { name: 'Bulk 2' })).rejects.toMatchObject(named)
  await mailServers.change(bulk.id, { enabled: false, name: 'bulk' })
  const problem = { field: 'rules.0.to', message: expect.stringContaining('is not the name of a transport: bulk') }
  expect(await rules.list()).toMatchObject({ rules: [NEWS], problems: [problem], transports: ['main'] })
  const meanwhile = await send('news')
  await until('it goes the usual way', () => took(to.main, meanwhile))
  const question = { from: MAIL.from, to: 'a@example.org', class: 'transactional', tags: { stream: 'news' } } as const
  expect(await engine.installation.routes.ask(question)).toEqual({ transports: ['main'], notFitting: [], more: 0 })
  // what names it can be changed meanwhile
  await rules.change({ rules: [{ when: { class: 'campaign' }, to: 'main' }, NEWS] })
  await mailServers.change(bulk.id, { enabled: true })
  const again = await send('news')
  await until('it goes by the rule', () => took(to.bulk, again))
  expect(await engine.installation.routes.ask(question)).toMatchObject({ rule: { number: 2 }, transports: ['bulk'] })

  await rules.change({ rules: [] })
  await mailServers.remove(bulk.id)
  const last = await send('news')
  await until('it goes the usual way', () => took(to.main, last))
})

it('rules of the settings come first, and those that were set are there after the next start', async () => {
  const to = await sinks()
  const store = sqlite({ file: join(freshFolder(), 'mail.db') })
  const settings: GivenSettings = {
    store,
    transports: [toSink(to.main, 'main'), toSink(to.bulk, 'bulk')],
    installation: installationSettings({ transportsFrom: 'transports' }),
    delivery: { routes: [{ name: 'settings', when: { tag: { stream: 'receipts' } }, to: 'main' }] },
  }
  const first = await runningEngine(settings)
  const { rules } = first.engine.installation.routes
  await rules.change({ rules: [{ to: { bulk: 1 } }] })
  await expect(
    rules.change({ rules: [{ name: 'settings', when: { tag: { stream: 'receipts' } }, to: 'x' }] }),
  ).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    fields: [
      { field: 'rules.0.to', message: 'is not the name of a transport: x (there are main, bulk)' },
      { field: 'rules.0.name', message: 'is the name of delivery.routes[0], too' },
      { field: 'rules.0', message: expect.stringContaining('can never decide: delivery.routes[0] (settings)') },
    ],
  })
  await first.engine.stop()

  // one transport less, and a rule more, than when the rule was set
  const delivery = {
    routes: [...(settings.delivery?.routes ?? []), { when: { class: 'workflow' as const }, to: 'main' }],
  }
  const second = await runningEngine({ ...settings, transports: [toSink(to.main, 'main')], delivery })
  const list = await second.engine.installation.routes.rules.list()
  expect(list).toMatchObject({ version: 2, givenMore: 0, problems: [{ field: 'rules.0.to.bulk' }] })
  expect(list.given.map(({ name }) => name)).toEqual(['settings', undefined])
  const sent = await second.send('news')
  await until('it goes the usual way', () => took(to.main, sent))
  await second.engine.stop()

  const third = await runningEngine(settings)
  const [receipt, news] = [await third.send('receipts'), await third.send('news')]
  await until('both are sent', () => took(to.main, receipt) && took(to.bulk, news))
})

it('reach other processes within seconds, with the servers that they name', async () => {
  const url = await freshDatabase()
  const own = () => ({ store: postgres({ url }), queue: postgresQueue({ url }) })
  const to = await sinks()
  const api = await runningEngine({ ...own(), role: 'api' })
  const worker = await runningEngine({ ...own(), role: 'worker', publicUrl: 'https://mail.example.com' })
  await added(api.engine, to)
  await api.engine.installation.routes.rules.change({ rules: [NEWS] })
  const { routes } = worker.engine.installation
  await until('the worker knows', async () => (await routes.rules.list()).version === 2)
  // it asks every two seconds, and this changed nothing of it
  const goes = async (sink: SmtpSink) => {
    const sent = await api.send('news')
    await until('it is sent', () => took(to.main, sent) || took(to.bulk, sent))
    return took(sink, sent)
  }
  await until('it sends by the rule', () => goes(to.bulk), 10_000)
  const refused = api.engine.installation.routes.rules.change({ rules: [], version: 1 })
  await expect(refused).rejects.toMatchObject({ code: 'VERSION_CONFLICT', currentVersion: 2 })
  await api.engine.installation.routes.rules.change({ rules: [], version: 2 })
  await until('it sends without it', () => goes(to.main), 10_000)
})

// catches a mail that is lost with the way it was to go, or goes both: the old one and the new
it('while a campaign is sent, rules and servers change, and each mail goes out once', async () => {
  const to = await sinks()
  const { engine, project } = await runningEngine()
  const { bulk } = await added(engine, to)
  const { rules } = engine.installation.routes
  const byShare = [{ when: { class: 'campaign' as const }, to: { bulk: 1, main: 1 } }]
  await rules.change({ rules: byShare })
  const people = Array.from({ length: 600 }, (_, i) => `n${i}@example.org`)
  for (const email of people) await engine.contacts.upsert(project, { email, subscribed: true })
  const { campaign } = await engine.campaigns.create(project, { ...MAIL, name: 'News', audienceType: 'ALL' })
  await engine.campaigns.send(project, campaign.id)
  const isSent = async () => (await engine.campaigns.get(project, campaign.id)).campaign.status === 'SENT'
  for (let turn = 0; turn < 60 && !(await isSent()); turn++) {
    if (turn % 3 === 0) await engine.installation.mailServers.change(bulk.id, { enabled: turn % 2 === 1 })
    else await rules.change({ rules: turn % 2 === 0 ? [] : byShare })
  }
  await engine.installation.mailServers.change(bulk.id, { enabled: true })
  await until('it is sent', isSent, 20_000)
  const got = [...to.main.messages, ...to.bulk.messages].flatMap((mail) => mail.to)
  expect(got.toSorted()).toEqual(people.toSorted())
  expect(Math.min(to.main.messages.length, to.bulk.messages.length)).toBeGreaterThan(0)
})
