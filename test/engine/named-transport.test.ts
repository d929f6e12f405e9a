import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Engine, GivenSettings } from '../../config/library.ts'
import { installationSettings } from '../../config/mail-server.ts'
import { WAITS_FOR_TRANSPORT } from '../../core/delivery/throttle/transport-quota.ts'
import { warningsOf } from '../../core/values/parse.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { engineWithSink, toSink } from '../support/engine.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { QUICK } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

type Project = Awaited<ReturnType<Engine['projects']['get']>>

const SHOP = '018f0000-0000-7000-8000-00000000aaaa'
const OTHER = '018f0000-0000-7000-8000-00000000bbbb'
const PROJECTS = [
  { id: SHOP, name: 'Shop', trustedDomains: ['example.com'] },
  { id: OTHER, name: 'Other', trustedDomains: ['example.com'] },
]
const MAIL = { from: 'news@example.com', subject: 'Hello', body: '<p>Hello</p>' }
const NOT_THERE = { field: 'transport', code: 'invalid_enum_value' }

/** An engine that sends to `main`, and then to `bulk`, which the shop may name. */
async function world(settings: GivenSettings = {}) {
  const down = new Set<string>()
  const sink = async (name: string) => {
    const shut = Object.assign(new Error('4.3.2 Service shutting down'), { responseCode: 421 })
    const made = await startSmtpSink({
      server: { onConnect: (_session, done) => done(down.has(name) ? shut : null) },
    })
    onTestFinished(() => made.close())
    return made
  }
  const [main, bulk] = [await sink('main'), await sink('bulk')]
  const transports = [toSink(main, 'main'), toSink(bulk, 'bulk')]
  const delivery = { mayName: { bulk: [SHOP] }, ...settings.delivery }
  const made = await engineWithSink({ projects: PROJECTS, transports, ...settings, delivery })
  const shop = await made.engine.projects.get(SHOP)
  return { ...made, shop, main, bulk, transports, down }
}

const addresses = ({ messages }: SmtpSink) => messages.flatMap(({ to }) => to).toSorted()

async function idOf(engine: Engine, project: Project, mail: Partial<Parameters<Engine['sending']['send']>[1]>) {
  const { answer } = await engine.sending.send(project, { ...MAIL, to: 'ada@example.org', ...mail })
  return answer.emails[0]?.email ?? ''
}

describe('a transport that a request names', () => {
  it.each([QUICK])('takes its mail before all rules, and no other mail, on $name', async ({ store }) => {
    const { engine, shop, main, bulk } = await world({
      store: await store(),
      delivery: { routes: [{ when: { class: 'transactional' }, to: 'main' }] },
    })
    const named = await idOf(engine, shop, { to: 'named@example.org', transport: 'bulk' })
    await idOf(engine, shop, { to: 'usual@example.org' })
    await engine.sending.sendBatch(shop, { messages: [{ ...MAIL, to: 'batch@example.org', transport: 'bulk' }] })
    await engine.start()
    await bulk.waitFor(2)
    await main.waitFor(1)
    expect(addresses(main)).toEqual(['usual@example.org'])
    expect(addresses(bulk)).toEqual(['batch@example.org', 'named@example.org'])
    const { routes } = engine.installation
    const explained = { named: { transport: 'bulk', counts: true }, transports: ['bulk'] }
    expect(await routes.explain(shop, named)).toMatchObject({ ...explained, way: 'installation' })
    expect(await routes.explain(shop, named, { isOperator: true })).toMatchObject({ ...explained, notFitting: [] })
  })

  it('takes a mail that is too large to be loaded together with those that were claimed with it', async () => {
    const { engine, shop, main, bulk } = await world()
    const content = Buffer.alloc(8_500_000, 'x').toString('base64')
    const attachments = [{ filename: 'a.txt', contentType: 'text/plain', content }]
    for (const to of ['a@example.org', 'b@example.org'])
      await idOf(engine, shop, { to, subject: to, attachments, transport: 'bulk' })
    await engine.start()
    await bulk.waitFor(2)
    expect(main.messages).toEqual([])
  })

  it('is refused by the same words where it is not there and where the project may not name it', async () => {
    const { engine, shop } = await world()
    const other = await engine.projects.get(OTHER)
    const start = 'is not a mail server that this project may name'
    const message = `${start}: it may name bulk. Without it, mail goes its usual way`
    for (const transport of ['main', 'nowhere', 'Bulk', 'constructor'])
      await expect(idOf(engine, shop, { transport })).rejects.toMatchObject({ fields: [{ ...NOT_THERE, message }] })
    const none = expect.stringContaining(`${start}, since it may name none: leave it out`)
    for (const transport of ['bulk', 'nowhere'])
      await expect(idOf(engine, other, { transport })).rejects.toMatchObject({
        fields: [{ ...NOT_THERE, message: none }],
      })
    await expect(idOf(engine, shop, { transport: '' })).rejects.toMatchObject({ fields: [{ field: 'transport' }] })
    const { answer } = await engine.sending.sendBatch(shop, {
      messages: [
        { ...MAIL, to: 'a@example.org', transport: 'main' },
        { ...MAIL, to: 'b@example.org', transport: 'bulk' },
      ],
    })
    expect(answer.results.map(({ success }) => success)).toEqual([false, true])
    // another transport is another request, and another content
    const [first, again, usual] = [
      await idOf(engine, shop, { transport: 'bulk' }),
      await idOf(engine, shop, { transport: 'bulk' }),
      await idOf(engine, shop, {}),
    ]
    const contents = await Promise.all([first, again, usual].map((id) => engine.mails.get(shop, id)))
    const ids = contents.map(({ email }) => email.contentId)
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).not.toBe(ids[0])
    const keyed = { idempotencyKey: 'once' }
    await engine.sending.send(shop, { ...MAIL, to: 'a@example.org', transport: 'bulk' }, keyed)
    await expect(engine.sending.send(shop, { ...MAIL, to: 'a@example.org' }, keyed)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    })
  })

  it('is waited for while it is in trouble and while its quota is used up, and other mail goes on', async () => {
    const throttle = { transports: { bulk: { quota: { day: 2, keep: 0 } } } }
    const { engine, shop, main, bulk, down } = await world({ delivery: { mayName: { bulk: true }, throttle } })
    down.add('bulk')
    await engine.start()
    const waiting = await idOf(engine, shop, { to: 'waits@example.org', transport: 'bulk' })
    const detail = async (id: string) => (await engine.mails.get(shop, id)).email
    await until('it was refused', async () => (await detail(waiting)).error?.includes('shutting down') === true)
    await idOf(engine, shop, { to: 'usual@example.org' })
    await main.waitFor(1)
    expect(addresses(main)).toEqual(['usual@example.org'])
    down.clear()
    await bulk.waitFor(1)
    await idOf(engine, shop, { to: 'second@example.org', transport: 'bulk' })
    await bulk.waitFor(2)
    const third = await idOf(engine, shop, { to: 'third@example.org', transport: 'bulk' })
    await until('it waits for the quota', async () => (await detail(third)).error === WAITS_FOR_TRANSPORT)
    expect((await detail(third)).status).toBe('QUEUED')
    await idOf(engine, shop, { to: 'last@example.org' })
    await main.waitFor(2)
    expect(addresses(main)).toEqual(['last@example.org', 'usual@example.org'])
    expect(bulk.messages).toHaveLength(2)
  })

  it('holds up only the campaign that names it while it is in trouble', async () => {
    const { engine, shop, main, bulk, down } = await world()
    down.add('bulk')
    await engine.start()
    const people = Array.from({ length: 30 }, (_, i) => `p${i}@example.org`)
    for (const email of people) await engine.contacts.upsert(shop, { email, subscribed: true })
    const sent = async (fields: object) => {
      const { campaign } = await engine.campaigns.create(shop, {
        ...MAIL,
        name: 'News',
        audienceType: 'ALL',
        ...fields,
      })
      await engine.campaigns.send(shop, campaign.id)
      return campaign.id
    }
    const id = await sent({ transport: 'bulk' })
    await until('it was tried', () => bulk.connections > 0)
    await sent({})
    await main.waitFor(30)
    expect(bulk.messages).toEqual([])
    expect((await engine.campaigns.get(shop, id)).campaign.status).toBe('SENDING')
    down.clear()
    await bulk.waitFor(30, 30)
    expect(main.messages).toHaveLength(30)
  })

  it('that is gone, or that its project may not name any more, leaves its mail to the rules', async () => {
    const store = sqlite({ file: join(freshFolder(), 'mail.db') })
    const first = await world({ store })
    const id = await idOf(first.engine, first.shop, { transport: 'bulk' })
    await first.engine.stop()
    const second = await world({ store, delivery: { mayName: {} } })
    const { routes } = second.engine.installation
    const named = { transport: 'bulk', counts: false }
    expect(await routes.explain(second.shop, id, { isOperator: true })).toMatchObject({
      named,
      transports: ['main', 'bulk'],
    })
    await second.engine.start()
    await second.main.waitFor(1)
    expect(second.bulk.messages).toEqual([])
  })

  it('takes its mail also while other mail of the project waits for a server of its own', async () => {
    const { engine, shop, main, bulk } = await world({
      installation: installationSettings({ transportsFrom: 'transports' }),
      delivery: { projectServers: 'only' },
    })
    await engine.start()
    const waiting = await idOf(engine, shop, { to: 'waits@example.org' })
    const wasTried = async () =>
      (await engine.mails.get(shop, waiting)).email.error?.includes('no mail server') === true
    await until('it waits', wasTried)
    await idOf(engine, shop, { to: 'first@example.org', transport: 'bulk' })
    await bulk.waitFor(1)
    // from now on nothing waits for the turns of the server that is not there
    const begun = performance.now()
    for (let i = 0; i < 40; i++) await idOf(engine, shop, { to: `p${i}@example.org`, transport: 'bulk' })
    await bulk.waitFor(41)
    expect(performance.now() - begun).toBeLessThan(2_000)
    expect(main.messages).toEqual([])
  })

  it('may be any mail server of the project itself', async () => {
    const { engine, shop, main, bulk } = await world({
      installation: installationSettings({ transportsFrom: 'transports' }),
    })
    const [mine, spare] = [await startSmtpSink(), await startSmtpSink()]
    onTestFinished(() => mine.close())
    onTestFinished(() => spare.close())
    const servers = engine.installation.mailServersOf(shop, { isOperator: true })
    await servers.add({ name: 'mine', host: '127.0.0.1', port: mine.port, security: 'none' })
    const { id } = await servers.add({ name: 'spare', host: '127.0.0.1', port: spare.port, security: 'none' })
    await engine.start()
    expect(engine.installation.mayName(shop)).toEqual(['mine', 'spare', 'bulk'])
    expect(engine.installation.mayName(await engine.projects.get(OTHER))).toEqual([])
    const last = await idOf(engine, shop, { to: 'spare@example.org', transport: 'spare' })
    await idOf(engine, shop, { to: 'bulk@example.org', transport: 'bulk' })
    await idOf(engine, shop, { to: 'usual@example.org' })
    await Promise.all([spare.waitFor(1), bulk.waitFor(1), mine.waitFor(1)])
    expect([spare, bulk, mine, main].map(addresses)).toEqual([
      ['spare@example.org'],
      ['bulk@example.org'],
      ['usual@example.org'],
      [],
    ])
    const { routes } = engine.installation
    expect(await routes.explain(shop, last)).toMatchObject({ way: 'own', transports: ['spare'] })
    const later = { to: 'later@example.org', transport: 'spare', scheduledFor: new Date(Date.now() + 3_600_000) }
    const waits = await idOf(engine, shop, { ...later, scheduledFor: later.scheduledFor.toISOString() })
    await servers.change(id, { enabled: false })
    await engine.mails.redate(shop, waits, { scheduledFor: new Date().toISOString() })
    await mine.waitFor(2)
    expect(await routes.explain(shop, waits)).toMatchObject({ named: { counts: false }, transports: ['mine'] })
  })

  it.each([QUICK])('takes the mails of a campaign, its variants, its test and its copy, on $name', async ({
    store,
  }) => {
    const { engine, shop, main, bulk } = await world({ store: await store() })
    const { campaigns } = engine
    await engine.start()
    const people = ['p0@example.org', 'p1@example.org', 'p2@example.org', 'p3@example.org']
    for (const email of people) await engine.contacts.upsert(shop, { email, subscribed: true })
    const news = { ...MAIL, name: 'News', audienceType: 'ALL' } as const
    await expect(campaigns.create(shop, { ...news, transport: 'main' })).rejects.toMatchObject({ fields: [NOT_THERE] })
    const test = { variants: [{ subject: 'Other' }], test: { share: 100, metric: 'opens' as const } }
    const made = await campaigns.create(shop, { ...news, ...test, transport: 'bulk' })
    const { id } = made.campaign
    expect(made.campaign.transport).toBe('bulk')
    const change = (fields: object) => campaigns.change(shop, id, fields, { onlyNamed: true })
    await expect(change({ transport: 'nowhere' })).rejects.toMatchObject({ fields: [NOT_THERE] })
    expect((await change({ name: 'News 2' })).campaign.transport).toBe('bulk')
    expect((await change({ transport: null })).campaign.transport).toBeUndefined()
    expect((await campaigns.change(shop, id, { ...news, ...test, transport: 'bulk' })).campaign.transport).toBe('bulk')
    expect((await campaigns.duplicate(shop, id)).campaign.transport).toBe('bulk')
    await campaigns.test(shop, id, { email: 'tester@example.org' })
    await campaigns.send(shop, id)
    await bulk.waitFor(5)
    expect(addresses(bulk)).toEqual([...people, 'tester@example.org'])
    expect(main.messages).toEqual([])
  })

  it('that a campaign may not name any more is a warning, and a record may be sent back as it was read', async () => {
    const store = sqlite({ file: join(freshFolder(), 'mail.db') })
    const first = await world({ store })
    const news = { ...MAIL, name: 'News', audienceType: 'ALL', transport: 'bulk' } as const
    const { id } = (await first.engine.campaigns.create(first.shop, news)).campaign
    await first.engine.stop()
    const { engine, shop, main } = await world({ store, delivery: { mayName: {} } })
    await engine.contacts.upsert(shop, { email: 'ada@example.org', subscribed: true })
    const warning = { field: 'transport', message: expect.stringContaining('is bulk, which is gone, or which this') }
    expect((await engine.campaigns.preview(shop, id)).warnings).toEqual([warning])
    expect((await engine.campaigns.change(shop, id, news)).campaign.transport).toBe('bulk')
    await expect(engine.campaigns.change(shop, id, { ...news, transport: 'main' })).rejects.toMatchObject({
      fields: [NOT_THERE],
    })
    const input = {}
    await engine.campaigns.send(shop, id, input)
    expect(warningsOf(input)).toEqual([warning])
    await engine.start()
    await main.waitFor(1)
  })

  it('takes the mail of a step of a workflow', async () => {
    const { engine, shop, main, bulk } = await world()
    await engine.start()
    const workflow = (transport: string) => ({
      name: 'Welcome',
      eventName: 'signed.up',
      steps: [{ key: 'mail', type: 'SEND_EMAIL' as const, config: { ...MAIL, transport } }],
      transitions: [{ from: 'trigger', to: 'mail' }],
    })
    await expect(engine.workflows.create(shop, workflow('main'))).rejects.toMatchObject({
      fields: [{ ...NOT_THERE, field: 'steps.0.config.transport' }],
    })
    const { workflow: made, steps } = await engine.workflows.create(shop, workflow('bulk'))
    expect(steps.map(({ config }) => config.transport)).toEqual([undefined, 'bulk'])
    await engine.workflows.change(shop, made.id, { enabled: true })
    await engine.events.track(shop, { event: 'signed.up', email: 'ada@example.org' })
    await bulk.waitFor(1)
    expect(main.messages).toEqual([])
  })
})
