import { join } from 'node:path'
import { simpleParser } from 'mailparser'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { GivenSettings } from '../../config/library.ts'
import type { Accounts } from '../../core/accounts/accounts.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { bounceOf } from '../support/bounce.ts'
import { engineWithSink, toSink } from '../support/engine.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { QUICK } from '../support/matrix.ts'
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

type Routes = NonNullable<NonNullable<GivenSettings['delivery']>['routes']>

const MAIL = { subject: 'Hello', body: '<p>Hello</p>', from: 'hello@example.com' } as const

/** An engine with three servers to send to, and these rules. */
async function world(routes: Routes, settings: GivenSettings = {}, options: readonly SmtpSinkOptions[] = []) {
  const sinks: SmtpSink[] = []
  for (let i = 0; i < 3; i++) {
    const sink = await startSmtpSink(options[i] ?? {})
    onTestFinished(() => sink.close())
    sinks.push(sink)
  }
  const [main, bulk, spare] = sinks as [SmtpSink, SmtpSink, SmtpSink]
  const { engine, project } = await engineWithSink({
    transports: [toSink(main, 'main'), toSink(bulk, 'bulk'), toSink(spare, 'spare')],
    ...settings,
    delivery: { ...settings.delivery, routes },
  })
  const sent = (sink: SmtpSink) => sink.messages.flatMap(({ to }) => to).sort()
  return { engine, project, main, bulk, spare, sent }
}

describe('rules', () => {
  it('send each mail its way: by class, domain, tag, header and project', async () => {
    const { engine, project, main, bulk, spare, sent } = await world(
      [
        { when: { class: 'campaign' }, to: 'bulk' },
        { when: { recipientDomain: '*.special.test' }, to: 'spare' },
        { when: { tag: { stream: 'receipts' } }, to: 'spare' },
        { when: { header: { 'x-pool': 'bulk' } }, to: 'bulk' },
        { when: { project: 'Nobody' }, to: 'bulk' },
        { when: { project: 'Test', senderDomain: 'other.example' }, to: 'bulk' },
      ],
      { projects: [{ name: 'Test', trustedDomains: ['example.com', 'other.example'] }] },
    )
    await engine.start()
    await engine.sending.send(project, { ...MAIL, to: 'plain@example.org' })
    await engine.sending.send(project, { ...MAIL, to: 'a@mx.special.test' })
    await engine.sending.send(project, { ...MAIL, to: 'tag@example.org', tags: { stream: 'receipts' } })
    await engine.sending.send(project, { ...MAIL, to: 'header@example.org', headers: { 'X-Pool': 'bulk' } })
    await engine.sending.send(project, { ...MAIL, to: 'other@example.org', from: 'a@other.example' })
    await Promise.all([main.waitFor(1), bulk.waitFor(2), spare.waitFor(2)])
    await engine.contacts.upsert(project, { email: 'news@example.org', subscribed: true })
    const news = { ...MAIL, name: 'News', audienceType: 'ALL' } as const
    const { campaign } = await engine.campaigns.create(project, news)
    await engine.campaigns.send(project, campaign.id)
    // transactional mail makes contacts, too, which are not subscribed
    await until('it is sent', async () => (await engine.campaigns.get(project, campaign.id)).campaign.status === 'SENT')
    expect(sent(main)).toEqual(['plain@example.org'])
    expect(sent(bulk)).toEqual(['header@example.org', 'news@example.org', 'other@example.org'])
    expect(sent(spare)).toEqual(['a@mx.special.test', 'tag@example.org'])
  })

  it.each([QUICK])('leave no campaign waiting for the server of another, on $name', async ({ store }) => {
    // takes nothing until it is let
    let let_ = () => {}
    const isLet = new Promise<void>((resolve) => (let_ = resolve))
    const slow = {
      server: { onMailFrom: (_from: unknown, _session: unknown, done: () => void) => void isLet.then(done) },
    }
    const { engine, project, bulk, spare } = await world(
      [
        { when: { senderDomain: 'slow.example' }, to: 'bulk' },
        { when: { senderDomain: 'fast.example' }, to: 'spare' },
      ],
      {
        store: await store(),
        projects: [{ name: 'Test', trustedDomains: ['slow.example', 'fast.example'] }],
      },
      [{}, slow, {}],
    )
    const people = Array.from({ length: 400 }, (_, i) => ({ email: `p${i}@example.org`, subscribed: true }))
    for (const person of people) await engine.contacts.upsert(project, person)
    const campaign = async (from: string) => {
      const { campaign } = await engine.campaigns.create(project, { ...MAIL, from, name: from, audienceType: 'ALL' })
      await engine.campaigns.send(project, campaign.id)
    }
    await campaign('a@slow.example')
    await campaign('a@fast.example')
    await engine.start()
    await spare.waitFor(400, 30)
    expect(bulk.messages).toHaveLength(0)
    // what waits for the slow server is not taken up, so that it fills neither the memory nor the lane
    const { total } = await engine.mails.list(project, { status: 'SENDING', limit: 1 })
    expect(total).toBeLessThan(200)
    let_()
    await bulk.waitFor(400, 30)
    expect(new Set(bulk.messages.flatMap(({ to }) => to)).size).toBe(400)
    expect(new Set(spare.messages.flatMap(({ to }) => to)).size).toBe(400)
  })

  it('hold no mail of a project back behind that for a server that is away', async () => {
    const { engine, project, bulk, spare, sent } = await world([
      { when: { recipientDomain: 'away.test' }, to: 'bulk' },
      { to: 'spare' },
    ])
    await bulk.close()
    await engine.start()
    const to = Array.from({ length: 100 }, (_, i) => `p${i}@away.test`)
    await engine.sending.send(project, { ...MAIL, to })
    await until('it is known', async () =>
      (await engine.analytics.operations.view()).transports.some(({ state }) => state === 'paused'),
    )
    await engine.sending.send(project, { ...MAIL, to })
    await engine.sending.send(project, { ...MAIL, to: 'urgent@example.org' })
    // behind the other mail it would wait for minutes
    await spare.waitFor(1, 5)
    expect(sent(spare)).toEqual(['urgent@example.org'])
  })

  it('go on to the next when a server refuses or is away, never after it may have taken the mail', async () => {
    const judge = ({ to }: { readonly to: readonly string[] }) =>
      to[0] === 'quota@example.org' ? { code: 452, message: '4.5.3 too many for now' } : undefined
    const { engine, project, main, bulk, spare, sent } = await world(
      [{ to: { bulk: 1 }, fallback: ['spare'] }],
      { delivery: { retryDelays: [600] } },
      [{}, { judge }],
    )
    await engine.start()
    await engine.sending.send(project, { ...MAIL, to: 'quota@example.org' })
    await spare.waitFor(1)
    await engine.sending.send(project, { ...MAIL, to: 'fine@example.org' })
    await bulk.waitFor(1)
    await bulk.close()
    await engine.sending.send(project, { ...MAIL, to: 'later@example.org' })
    await spare.waitFor(2)
    expect(sent(bulk)).toEqual(['fine@example.org'])
    expect(sent(spare)).toEqual(['later@example.org', 'quota@example.org'])
    // the transports that the rule does not name get nothing, although they come first
    expect(sent(main)).toEqual([])
  })

  it('share mail out', async () => {
    const { engine, project, main, bulk, spare } = await world([{ to: { main: 3, bulk: 1 } }], {
      store: await QUICK.store(),
    })
    await engine.start()
    const to = Array.from({ length: 400 }, (_, i) => `p${i}@example.org`)
    for (let i = 0; i < 400; i += 100) await engine.sending.send(project, { ...MAIL, to: to.slice(i, i + 100) })
    await until('all are sent', () => main.messages.length + bulk.messages.length === 400, 20_000)
    expect(bulk.messages.length).toBeGreaterThan(60)
    expect(bulk.messages.length).toBeLessThan(140)
    expect(spare.messages).toHaveLength(0)
    expect([...main.messages, ...bulk.messages].flatMap((mail) => mail.to).sort()).toEqual(to.toSorted())
  })

  // catches an answer of the server that does not reach the ramp, and a start that forgets that it went back
  it('try the transport of a ramp first, and no more once it refuses too much, also after a restart', async () => {
    const file = join(freshFolder(), 'mail.db')
    const judge = ({ to }: { readonly to: readonly string[] }) =>
      to[0]?.startsWith('no') ? { code: 554, message: '5.7.1 we do not know you' } : undefined
    const settings = (): GivenSettings => ({ store: sqlite({ file }) })
    const ramp = { to: 'bulk', from: '2020-01-01' }
    const routes = [{ name: 'all', to: 'main', ramp }]
    const one = await world(routes, settings(), [{}, { judge }])
    await one.engine.start()
    const send = async ({ engine, project }: typeof one, to: readonly string[]) => {
      await engine.sending.send(project, { ...MAIL, to: [...to] })
    }
    const people = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}${i}@example.org`)
    await send(one, people('yes', 97))
    await one.bulk.waitFor(97)
    expect(one.main.messages).toHaveLength(0)
    await send(one, people('no', 3))
    // another transport may take what it refused for a reason of its own
    await one.main.waitFor(3)
    const rampOf = async ({ engine }: typeof one) => (await engine.analytics.operations.view()).routeRamps[0]
    await until('it went back', async () => (await rampOf(one))?.isBack)
    expect(await rampOf(one)).toEqual({ rule: 'all', transport: 'bulk', share: 0, isBack: true, sent: 100, refused: 3 })
    await send(one, ['then@example.org'])
    await one.main.waitFor(4)
    await one.engine.stop()

    const two = await world(routes, settings())
    await two.engine.start()
    await send(two, ['later@example.org'])
    await two.main.waitFor(1)
    const question = { from: MAIL.from, to: 'a@example.org', class: 'transactional' } as const
    expect(await two.engine.installation.routes.ask(question)).toMatchObject({
      transports: ['main'],
      ramp: { transport: 'bulk', share: 0, isBack: true, from: '2020-01-01', add: 10, backAt: 2 },
    })
    await two.engine.stop()

    const three = await world([{ name: 'all', to: 'main', ramp: { ...ramp, from: '2020-01-02' } }], settings())
    await three.engine.start()
    await send(three, ['again@example.org'])
    await three.bulk.waitFor(1)
    expect(await three.engine.installation.routes.ask(question)).toMatchObject({
      transports: ['bulk', 'main'],
      ramp: { share: 100, isBack: false },
    })
  })

  // catches bounces that reach no ramp, that count twice, and a mail to the operator for each process that looks
  it.each([QUICK])('take a ramp back for bounces that come later, and mail the operator once, on $name', async ({
    store,
  }) => {
    const ramp = { to: 'bulk', from: '2020-01-01' }
    const { engine, project, main, bulk } = await world(
      [{ name: 'news', when: { tag: { stream: 'news' } }, to: 'main', ramp }],
      {
        ...{
          store: await store(),
          publicUrl: 'https://mail.example.com',
          feedback: { returnPathHost: 'b.example.com' },
        },
        accounts: { from: 'accounts@example.com' },
      },
    )
    await engine.accounts.make({ email: 'ada@example.org', password: 'a long enough password', name: 'Ada' })
    await engine.start()
    const to = Array.from({ length: 100 }, (_, i) => `p${i}@example.org`)
    const { answer } = await engine.sending.send(project, { ...MAIL, to, tags: { stream: 'news' } })
    await bulk.waitFor(100)
    const rampNow = async () => (await engine.analytics.operations.view()).routeRamps[0]
    await until('all are counted', async () => (await rampNow())?.sent === 100)
    const told = () => main.messages.filter(({ raw }) => String(raw).includes('Subject: The ramp of a routing rule'))
    const look = async () => {
      const tasks = (engine.accounts as Accounts).tasks()
      const task = tasks.find(({ name }) => name === 'notices to operators')
      await Promise.all([1, 2].map(() => task?.run(new AbortController().signal)))
    }
    const bounce = (i: number, status: string, diagnostic: string, id = `<${i}.${status}@mx.example.net>`) => {
      const arrived = bulk.messages.find((mail) => mail.to[0] === to[i])
      if (arrived === undefined) throw new Error('it did not arrive')
      const dsn = bounceOf(arrived, [{ address: `p${i}@example.org`, status, diagnostic }], id)
      return engine.feedback.read(dsn, { from: '', to: [arrived.from] })
    }
    // a full mailbox and a complaint are no refusals
    await bounce(0, '4.2.2', '452 4.2.2 Mailbox full')
    const complained = { emailId: answer.emails[1]!.email }
    await engine.feedback.take([{ kind: 'complained', mail: complained, at: new Date(), key: 'c' }])
    // the same at once, and again with another name and another reason: once
    await Promise.all([1, 2].map(() => bounce(2, '5.1.1', '550 5.1.1 User unknown')))
    await bounce(2, '5.7.1', '550 5.7.1 Client host blocked using zen.spamhaus.org')
    await bounce(3, '5.7.1', '550 5.7.1 Client host blocked using zen.spamhaus.org')
    await bounce(3, '5.1.1', '550 5.1.1 User unknown')
    expect(await rampNow()).toMatchObject({ isBack: false, sent: 100, refused: 2 })
    await look()
    await bounce(4, '5.1.1', '550 5.1.1 User unknown')
    expect(await rampNow()).toMatchObject({ isBack: true, share: 0, sent: 100, refused: 3 })
    await look()
    await until('the operator knows', () => told().length > 0)
    expect(told()).toHaveLength(1)
    expect(told()[0]?.to).toEqual(['ada@example.org'])
    const { text } = await simpleParser(told()[0]!.raw)
    expect(text?.replace(/\s+/g, ' ')).toContain('the rule news moves to it step by step: 3 of 100 mails of a day')
    // what went another way says nothing about the ramp
    await engine.sending.send(project, { ...MAIL, to: 'other@example.org', tags: { stream: 'news' } })
    await until('it is there', () => main.messages.some((mail) => mail.to[0] === 'other@example.org'))
    const other = main.messages.find((mail) => mail.to[0] === 'other@example.org')!
    const unknown = { address: 'other@example.org', status: '5.1.1', diagnostic: '550 5.1.1 User unknown' }
    await until('it is known', async () => {
      const { outcomes } = await engine.feedback.read(bounceOf(other, [unknown]), { from: '', to: [other.from] })
      return outcomes.length > 0
    })
    expect(await rampNow()).toMatchObject({ sent: 100, refused: 3 })
  })

  it('let no mail wait for the quota of a ramp, also where they wait for those of the rule', async () => {
    const ramp = { to: 'bulk', from: '2020-01-01' }
    const { engine, project, main, bulk, spare } = await world(
      [{ name: 'all', to: 'main', ramp, fallback: 'spare', whenFull: 'wait' }],
      { delivery: { throttle: { transports: { bulk: { quota: { month: 1 } } } } } },
    )
    await main.close()
    await engine.start()
    await engine.sending.send(project, { ...MAIL, to: 'one@example.org' })
    await bulk.waitFor(1)
    await engine.sending.send(project, { ...MAIL, to: 'two@example.org' })
    await spare.waitFor(1)
  })
})
