import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine, type Engine, type GivenSettings } from '../../config/library.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { contact, content, email, put } from '../contracts/store/records.ts'
import { engineWithSink, toSink } from '../support/engine.ts'
import { startFaultSmtp } from '../support/fault-smtp.ts'
import { freshSqlite } from '../support/fresh-sqlite.ts'
import { type SunkMail, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

type Project = Awaited<ReturnType<Engine['projects']['get']>>

async function send(engine: Engine, project: Project, to: string): Promise<string> {
  const mail = { to, from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
  return (await engine.sending.send(project, mail)).answer.emails[0]!.email
}

function sendMany(engine: Engine, project: Project, count: number, domain: string): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => send(engine, project, `user${i}@${domain}`)))
}

async function rows(engine: Engine, project: Project, ids: readonly string[]) {
  return (await Promise.all(ids.map((id) => engine.mails.get(project, id)))).map(({ email }) => email)
}

/** Whether so many mails of the project are delivered; asked for again and again, so in one question. */
async function isDelivered(engine: Engine, project: Project, count: number): Promise<boolean> {
  return (await engine.mails.list(project, { status: 'DELIVERED', limit: 1 })).total === count
}

const toDomain = (mails: readonly SunkMail[], domain: string) => mails.filter(({ to }) => to[0]!.endsWith(`@${domain}`))

/** When each mail came, by a sink that notes it. */
function timed() {
  const times: { readonly to: string; readonly at: number }[] = []
  const judge = ({ to }: SunkMail) => void times.push({ to: to[0]!, at: performance.now() })
  return { times, judge }
}

/** The most mails that came within any period of so many milliseconds. */
function mostWithin(times: readonly number[], period: number): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + period).length))
}

describe('a limit', () => {
  it('of a domain is kept while the mail of another passes', async () => {
    const { times, judge } = timed()
    const throttle = { domains: { 'slow.example': { perSecond: 20 } } }
    const { engine, project, sink } = await engineWithSink({ delivery: { throttle } }, { judge })
    const slow = await sendMany(engine, project, 70, 'slow.example')
    await sendMany(engine, project, 30, 'fast.example')
    await engine.start()
    await until('the other domain has all', () => toDomain(sink.messages, 'fast.example').length === 30)
    expect(toDomain(sink.messages, 'slow.example').length).toBeLessThan(60)
    await sink.waitFor(100, 15)
    const came = times.filter(({ to }) => to.endsWith('@slow.example')).map(({ at }) => at)
    expect(mostWithin(came, 1000)).toBeLessThanOrEqual(40)
    expect(came.at(-1)! - came[0]!).toBeGreaterThan(3000)
    await until('all are recorded', () => isDelivered(engine, project, 100))
    expect((await rows(engine, project, slow)).map(({ attempts }) => attempts)).toEqual(Array(70).fill(1))
  })

  it('of projects is each one’s own', async () => {
    const { engine, project, sink } = await engineWithSink({
      delivery: { throttle: { project: { perSecond: 1 } } },
      projects: ['Test', 'Other'].map((name) => ({ name, trustedDomains: ['example.com'] })),
    })
    const other = (await engine.projects.list()).find(({ id }) => id !== project.id)!
    await sendMany(engine, project, 20, 'one.example')
    await send(engine, other, 'ada@two.example')
    await engine.start()
    await until('the other project has its mail', () => toDomain(sink.messages, 'two.example').length === 1)
    expect(toDomain(sink.messages, 'one.example').length).toBeLessThan(10)
  })

  it('of a transport holds for rate and connections', async () => {
    const { times, judge } = timed()
    const throttle = { transports: { sink: { perSecond: 20, connections: 2 } } }
    const { engine, project, sink } = await engineWithSink({ delivery: { throttle } }, { judge })
    await sendMany(engine, project, 50, 'one.example')
    await engine.start()
    await sink.waitFor(50)
    // one more is the check at start
    expect(sink.connections).toBeLessThanOrEqual(3)
    expect(
      mostWithin(
        times.map(({ at }) => at),
        1000,
      ),
    ).toBeLessThanOrEqual(26)
  })

  it('of connections keeps a slow domain to its share, and the others get the rest', async () => {
    let open = 0
    let most = 0
    const sink = await startSmtpSink({
      server: {
        onData(stream, session, callback) {
          const isSlow = session.envelope.rcptTo[0]!.address.endsWith('@slow.example')
          if (isSlow) most = Math.max(most, ++open)
          stream.resume()
          stream.on('end', () =>
            setTimeout(
              () => {
                if (isSlow) open--
                callback()
              },
              isSlow ? 60 : 0,
            ),
          )
        },
      },
    })
    const throttle = { domains: { 'slow.example': { connections: 2 } } }
    const { engine, project } = await engineWithSink({ transports: [toSink(sink)], delivery: { throttle } })
    await sendMany(engine, project, 40, 'slow.example')
    await engine.start()
    await until('all are delivered', () => isDelivered(engine, project, 40), 15_000)
    await sink.close()
    expect(most).toBe(2)
  })

  it('is checked: names must be known, numbers more than nothing', async () => {
    const made = (throttle: NonNullable<GivenSettings['delivery']>['throttle']) =>
      createEngine({
        store: freshSqlite(),
        transports: [smtp({ host: 'localhost' })],
        delivery: { throttle },
      })
    await expect(made({ transports: { nowhere: { perSecond: 1 } } })).rejects.toThrow(
      'delivery.throttle.transports.nowhere: is not the name of a transport',
    )
    await expect(made({ domains: { nowhere: {} } })).rejects.toThrow('must be a domain')
    await expect(made({ project: { perSecond: 0 } })).rejects.toThrow('delivery.throttle.project.perSecond')
    await expect(made({ domains: { '*': { connections: 1.5 } } })).rejects.toThrow('whole number')
  })
})

describe('a domain that answers 421', () => {
  it('waits while another gets everything, then gets all its mail, with no try used up', async () => {
    let isBusy = true
    const server = await startFaultSmtp({
      answer: (command) =>
        isBusy && command.startsWith('RCPT') && command.includes('@busy.example')
          ? { say: '421 4.7.0 too much mail, try again later\r\n', next: 'end' }
          : undefined,
    })
    const { engine, project } = await engineWithSink({
      transports: [{ name: 'fault', plugin: smtp({ host: '127.0.0.1', port: server.port, maxConnections: 3 }) }],
      delivery: { retryDelays: [0.5, 0.5] },
    })
    await engine.start()
    const first = await send(engine, project, 'first@busy.example')
    const refused = await until('one was refused', async () => {
      const { email } = await engine.mails.get(project, first)
      return email.error ? email : undefined
    })
    expect(refused).toMatchObject({ status: 'QUEUED', attempts: 1 })

    const held = await sendMany(engine, project, 12, 'busy.example')
    await sendMany(engine, project, 100, 'fine.example')
    await until('the other domain has all', () => isDelivered(engine, project, 100))
    expect(server.messages).toHaveLength(100)
    for (const email of await rows(engine, project, held)) {
      expect(email).toMatchObject({ status: 'QUEUED', attempts: 0 })
      expect(email.dueAt > email.createdAt).toBe(true)
    }
    isBusy = false
    await until('the domain has all', () => isDelivered(engine, project, 113), 35_000)
    expect((await rows(engine, project, [first]))[0]!.attempts).toBe(2)
    expect((await rows(engine, project, held)).every(({ attempts }) => attempts === 1)).toBe(true)
    await engine.stop()
    await server.close()
  }, 60_000)

  it('loses nothing when the engine stops meanwhile, and the next one sends it', async () => {
    const { engine, project, sink, folder } = await engineWithSink({
      delivery: { throttle: { domains: { 'slow.example': { perSecond: 8 } } } },
    })
    const ids = await sendMany(engine, project, 40, 'slow.example')
    await engine.start()
    await sink.waitFor(2)
    await engine.stop()
    const before = sink.messages.length
    expect(before).toBeLessThan(40)
    const next = await createEngine({ store: sqlite({ file: `${folder}/test.db` }), transports: [toSink(sink)] })
    await next.start()
    await sink.waitFor(40, 12)
    await until('all are recorded', () => isDelivered(next, project, 40))
    expect((await rows(next, project, ids)).map(({ attempts }) => attempts)).toEqual(Array(40).fill(1))
    await next.stop()
    expect(new Set(sink.messages.map(({ to }) => to[0])).size).toBe(40)
    expect(sink.messages).toHaveLength(40)
  }, 30_000)
})

it('mail that waited for the next hop goes as fast as it recovers, with no try used up', async () => {
  let isUp = false
  const sink = await startSmtpSink({
    server: {
      onConnect: (_session, done) =>
        done(isUp ? null : Object.assign(new Error('4.3.2 shutting down'), { responseCode: 421 })),
    },
  })
  onTestFinished(() => sink.close())
  const { engine, project } = await engineWithSink({ transports: [toSink(sink)] })
  const ids = await sendMany(engine, project, 300, 'one.example')
  await engine.start()
  // times that were given out at the rate of this moment would lie half a minute ahead
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  const waiting = await engine.mails.get(project, ids[0] ?? '')
  expect(waiting.email).toMatchObject({
    status: 'QUEUED',
    attempts: 0,
    error: expect.stringContaining('shutting down'),
  })
  isUp = true
  await sink.waitFor(300, 20)
  await until('all are recorded', () => isDelivered(engine, project, 300))
  const tried = (await rows(engine, project, ids)).filter(({ attempts }) => attempts !== 1)
  expect(tried).toEqual([])
})

it('one greylisted recipient does not stop its domain', async () => {
  const judge = ({ to }: SunkMail) => (to[0] === 'grey@one.example' ? { code: 450, message: 'try later' } : undefined)
  const { engine, project, sink } = await engineWithSink(
    { delivery: { retryDelays: [0.05, 0.05, 0.05, 0.05] } },
    { judge },
  )
  await engine.start()
  const id = await send(engine, project, 'grey@one.example')
  await until('it is given up', async () => (await engine.mails.get(project, id)).email.status === 'FAILED')
  await sendMany(engine, project, 20, 'one.example')
  await sink.waitFor(20, 3)
})

it('a password mail passes a campaign to the same domain, whose mails are claimed only a few times each', async () => {
  let store: Store | undefined
  let claimed = 0
  const plugin = freshSqlite()
  const watched = {
    ...plugin,
    async open(kit: Parameters<typeof plugin.open>[0]) {
      const opened = await plugin.open(kit)
      store = opened.store
      const claimDue = store.emails.claimDue.bind(store.emails)
      store.emails.claimDue = async (...given) => {
        const got = await claimDue(...given)
        claimed += got.length
        return got
      }
      return opened
    },
  }
  const throttle = { domains: { 'one.example': { perSecond: 60 } } }
  const { engine, project, sink } = await engineWithSink({ store: watched, delivery: { throttle } })
  const words = content(project.id, { from: { email: 'hello@example.com' } })
  const people = Array.from({ length: 250 }, (_, i) => contact(project.id, { email: `user${i}@one.example` }))
  const now = { createdAt: new Date(), dueAt: new Date() }
  const emails = people.map(({ id, email: to }) =>
    email(project.id, {
      ...{ contactId: id, to, contentId: words.id, lane: 'campaign' },
      sourceType: 'CAMPAIGN',
      ...now,
    }),
  )
  await put(store!, project.id, { contents: [words], contacts: people, emails })
  await engine.start()
  await sink.waitFor(100)
  const before = sink.messages.length
  await send(engine, project, 'password@one.example')
  await until('the password mail is there', () => sink.messages.some(({ to }) => to[0] === 'password@one.example'))
  const place = sink.messages.findIndex(({ to }) => to[0] === 'password@one.example')
  // Those on their way already, and what left while it was accepted.
  expect(place - before).toBeLessThan(30)
  expect(place).toBeLessThan(200)
  await sink.waitFor(251, 12)
  expect(claimed).toBeGreaterThanOrEqual(251)
  expect(claimed).toBeLessThan(251 * 3)
  expect(new Set(sink.messages.map(({ to }) => to[0])).size).toBe(251)
})
