import { describe, expect, it } from 'vitest'
import type { Engine, Log } from '../../config/library.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { engineWithSink, toSink } from '../support/engine.ts'
import { freePort } from '../support/server-process.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

type Project = Awaited<ReturnType<Engine['projects']['get']>>

async function send(engine: Engine, project: Project, to: string): Promise<string> {
  const mail = { to, from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
  return (await engine.sending.send(project, mail)).answer.emails[0]!.email
}

function sendMany(engine: Engine, project: Project, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => send(engine, project, `user${i}@d${i}.example`)))
}

async function rows(engine: Engine, project: Project, ids: readonly string[]) {
  return (await Promise.all(ids.map((id) => engine.mails.get(project, id)))).map(({ email }) => email)
}

/** A relay that has had enough of us, at its greeting or at MAIL, until it is `well`. */
async function busyRelay(at: 'greeting' | 'MAIL') {
  const state = { isWell: false, asked: 0 }
  const answer = (stage: string, done: (error?: Error) => void) => {
    if (state.isWell || stage !== at) return done()
    state.asked++
    done(Object.assign(new Error('4.7.0 Too many messages, come back later'), { responseCode: 421 }))
  }
  const sink = await startSmtpSink({
    server: {
      onConnect: (_session, done) => answer('greeting', done),
      onMailFrom: (_address, _session, done) => answer('MAIL', done),
    },
  })
  return { sink, state }
}

function listening() {
  const lines: string[] = []
  const note = (message: string) => void lines.push(message)
  const log: Log = { debug: () => {}, info: note, warn: note, error: note, with: () => log }
  return { log, lines }
}

describe('a next hop that wants nothing of us', () => {
  it.each([
    'greeting',
    'MAIL',
  ] as const)('at its %s pauses its transport and no domain: what waits uses no try, and goes when it is well', async (at) => {
    const { sink, state } = await busyRelay(at)
    const { log, lines } = listening()
    const delivery = { retryDelays: [1, 1, 1, 1, 1, 1, 1] }
    const { engine, project } = await engineWithSink({ transports: [toSink(sink)], delivery, log })
    await engine.start()
    const [first] = await sendMany(engine, project, 1)
    await until('it was refused', () => state.asked > 0)
    const ids = await sendMany(engine, project, 60)
    await new Promise((resolve) => setTimeout(resolve, 4_000))
    // the first pause is a second, and each further one twice as long
    expect(state.asked).toBeLessThan(15)
    const waiting = await rows(engine, project, ids)
    expect(waiting.filter(({ attempts }) => attempts === 0).length).toBeGreaterThan(45)
    const reason = at === 'MAIL' ? /421 4\.7\.0 Too many messages/ : /^The mail server answered 421 4\.7\.0 /
    // those that met the trouble say so; the others were not claimed
    const met = waiting.filter(({ error }) => error !== undefined)
    expect(met.length).toBeGreaterThan(0)
    expect(met.filter(({ error = '' }) => !reason.test(error))).toEqual([])
    expect(waiting.filter(({ status, error }) => status !== 'QUEUED' && error === undefined)).toEqual([])
    expect(lines.filter((line) => line.startsWith('a domain defers mail'))).toEqual([])

    state.isWell = true
    await sink.waitFor(61, 40)
    await until('all are recorded', async () =>
      (await rows(engine, project, [first!, ...ids])).every(({ status }) => status === 'DELIVERED'),
    )
    await sink.close()
  }, 70_000)

  it('hands its mail to the next transport without a try', async () => {
    const { sink, state } = await busyRelay('MAIL')
    const second = await startSmtpSink()
    const { engine, project } = await engineWithSink({ transports: [toSink(sink, 'busy'), toSink(second, 'second')] })
    await engine.start()
    const ids = await sendMany(engine, project, 40)
    await second.waitFor(40)
    await until('all are recorded', async () =>
      (await rows(engine, project, ids)).every(({ transport, attempts }) => transport === 'second' && attempts === 1),
    )
    expect(state.asked).toBeLessThan(12)
    await Promise.all([sink.close(), second.close()])
  })

  it('because nothing listens there keeps all mail waiting, and the last try of none is used up', async () => {
    const port = await freePort()
    const plugin = smtp({ host: '127.0.0.1', port, tls: { rejectUnauthorized: false } })
    const delivery = { retryDelays: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5] }
    const { engine, project } = await engineWithSink({ transports: [{ name: 'relay', plugin }], delivery })
    await engine.start()
    const ids = await sendMany(engine, project, 40)
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    const waiting = await rows(engine, project, ids)
    expect(waiting.every(({ status }) => status === 'QUEUED' || status === 'SENDING')).toBe(true)
    const tries = waiting.reduce((sum, { attempts }) => sum + attempts, 0)
    expect(tries).toBeLessThan(60)
  }, 20_000)
})
