import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  definePlugin,
  type InboundDesk,
  type Log,
  type LogFields,
  type Queue,
  silentLog,
  systemClock,
} from '../../config/library.ts'
import { endInTime, OpenPlugins } from '../../core/start/open-plugins.ts'
import { PartChecks } from '../../core/start/part-checks.ts'
import { Starting } from '../../core/start/starting.ts'
import { smtpServer } from '../../plugins/inbound-smtp/index.ts'
import { inProcess } from '../../plugins/queue-in-process/index.ts'
import { submissionServer } from '../../plugins/submission-smtp/index.ts'
import { engineWithSink } from '../support/engine.ts'
import { freshSqlite } from '../support/fresh-sqlite.ts'
import { takenPort } from '../support/taken-port.ts'
import { until } from '../support/until.ts'

const MAIL = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
const forever = () => new Promise<never>(() => {})

/** A log that keeps its lines. */
function keptLog() {
  const lines: { readonly level: string; readonly message: string; readonly fields: LogFields }[] = []
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, fields })
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), with: () => log }
  return { log, lines }
}

/** The queue of one process, changed. */
function queueWith(change: (queue: Queue) => Partial<Queue>) {
  return definePlugin({
    name: 'queue-acme',
    provides: ['queue'],
    async open(_options, kit) {
      const { queue } = await inProcess().open(kit)
      const same: Queue = {
        exclusive: true,
        ring: (topic, about) => queue.ring(topic, about),
        listen: (topics, wake) => queue.listen(topics, wake),
        check: () => queue.check(),
        stop: () => queue.stop(),
      }
      return { queue: Object.assign(same, change(queue)) }
    },
  })()
}

describe('a queue', () => {
  it.each<[string, () => Partial<Queue>]>([
    ['throws at once', () => ({ ring: () => fail() })],
    ['answers no promise', () => ({ ring: () => undefined as never })],
    ['rejects', () => ({ ring: async () => fail() })],
  ])('that %s when it is rung does not fail what is committed, which is sent once', async (_how, change) => {
    const { engine, project, sink } = await engineWithSink({ store: freshSqlite(), queue: queueWith(change) })
    await engine.start()
    const { answer } = await engine.sending.send(project, MAIL)
    const { email } = answer.emails[0]!
    await until('it is sent', async () => (await engine.mails.get(project, email)).email.status === 'DELIVERED')
    expect(sink.messages).toHaveLength(1)
    expect((await engine.mails.list(project, {})).total).toBe(1)
  })

  it('whose check fails is named in the health', async () => {
    const { engine } = await engineWithSink({ queue: queueWith(() => ({ check: async () => fail() })) })
    await engine.start()
    expect((await engine.health()).parts.queue).toEqual({ ok: false, error: 'queue-acme: it is wrong' })
  })

  it('that fails to stop keeps nothing else open', async () => {
    const { log, lines } = keptLog()
    const { engine } = await engineWithSink({ log, queue: queueWith(() => ({ stop: () => fail() })) })
    await engine.start()
    await engine.stop()
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'a part did not stop cleanly', fields: { part: 'queue', plugin: 'queue-acme' } },
    ])
  })
})

/** A scheduler that counts how often one was opened and stopped; the first does not start. */
function failingScheduler(start: (opened: number) => Promise<void>) {
  const counts = { opened: 0, stopped: 0, closed: 0 }
  const plugin = definePlugin({
    name: 'scheduler-acme',
    provides: ['scheduler'],
    open: () => {
      const opened = ++counts.opened
      const stop = async () => void counts.stopped++
      const scheduler = { start: () => start(opened), check: async () => {}, stop }
      return { scheduler, close: async () => void counts.closed++ }
    },
  })
  return { counts, plugin: plugin() }
}

describe('a start that fails', () => {
  const local = (port: number) => ({ host: '127.0.0.1', port })
  const firstFails = async (opened: number) => {
    if (opened === 1) throw new Error('no redis yet')
  }

  it.each([
    ['inbound', 'inbound-smtp', (port: number) => ({ inbound: [smtpServer(local(port))] })],
    ['submission', 'submission-smtp', (port: number) => ({ submission: [submissionServer(local(port))] })],
  ])('for a taken port of %s names the plugin and the port, and can be tried again', async (socket, name, settings) => {
    const { port, free } = await takenPort()
    const { engine, project, sink } = await engineWithSink({ store: freshSqlite(), ...settings(port) })
    const message = `${socket}[0]: ${name} could not be started: port ${port} of 127.0.0.1: another program has it: stop that, or set another \`port\` (EADDRINUSE)`
    await expect(engine.start()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', message })
    await expect(engine.start()).rejects.toThrow(name)
    const { ok, parts } = await engine.health()
    expect([ok, parts.worker?.ok, parts[socket as 'inbound']?.ok]).toEqual([false, false, false])
    await engine.sending.send(project, MAIL)
    await expect(engine.idle()).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(sink.messages).toEqual([])
    await free()
    await engine.start()
    await sink.waitFor(1)
    expect(await engine.health()).toMatchObject({ ok: true })
    await expect(engine.start()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'This engine was started already.',
    })
  })

  it('in one part ends the others, which are opened anew for the next', async () => {
    const [inbound, submission] = [await takenPort(), await takenPort()]
    await Promise.all([inbound.free(), submission.free()])
    const { counts, plugin } = failingScheduler(firstFails)
    const { engine, project, sink } = await engineWithSink({
      ...{ store: freshSqlite(), scheduler: plugin },
      ...{ inbound: [smtpServer(local(inbound.port))], submission: [submissionServer(local(submission.port))] },
    })
    await engine.sending.send(project, MAIL)
    await expect(engine.start()).rejects.toMatchObject({
      code: 'PLUGIN_INVALID',
      message: 'scheduler: scheduler-acme could not be started: no redis yet',
    })
    const isOpen = (port: number) => answers(port)
    expect([await isOpen(inbound.port), await isOpen(submission.port), sink.messages]).toEqual([false, false, []])
    expect(counts).toEqual({ opened: 1, stopped: 1, closed: 1 })
    await engine.start()
    await sink.waitFor(1)
    expect([await isOpen(inbound.port), await isOpen(submission.port)]).toEqual([true, true])
    await engine.stop()
    expect(counts).toEqual({ opened: 2, stopped: 2, closed: 2 })
    await expect(engine.start()).rejects.toMatchObject({ code: 'CONFLICT', message: 'This engine was stopped.' })
    await expect(engine.sending.send(project, MAIL)).rejects.toThrow(
      'The database is closed, since the engine was stopped.',
    )
  })

  it('leaves an engine that can be stopped', async () => {
    const { counts, plugin } = failingScheduler(firstFails)
    const { engine } = await engineWithSink({ scheduler: plugin })
    await expect(engine.start()).rejects.toThrow('no redis yet')
    await engine.stop()
    expect(counts).toEqual({ opened: 1, stopped: 1, closed: 1 })
  })

  it('fails when the engine is stopped meanwhile, and leaves nothing running', async () => {
    const [asked, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { counts, plugin } = failingScheduler(() => {
      asked.resolve()
      return started.promise
    })
    const { engine } = await engineWithSink({ scheduler: plugin })
    const start = engine.start()
    await asked.promise
    const stopped = engine.stop()
    started.resolve()
    await expect(start).rejects.toThrow('This engine was stopped before it had started.')
    await stopped
    expect(counts).toEqual({ opened: 1, stopped: 1, closed: 1 })
  })

  it('is one that does not end in time', async () => {
    const starting = new Starting(silentLog, () => 'inbound-acme', new AbortController().signal, 20)
    let isEnded = false
    const end = async () => {
      isEnded = true
    }
    await expect(starting.begin('inbound[0]', forever, end)).rejects.toMatchObject({
      code: 'PLUGIN_INVALID',
      message: 'inbound[0]: inbound-acme could not be started: it did not start within 0.02 seconds',
    })
    await starting.undo()
    expect(isEnded).toBe(true)
  })
})

/** Whether something listens on the port. */
async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  })
  socket.destroy()
  return isOpen
}

describe('a plugin that never answers', () => {
  it('is asked once by the health, which says so', async () => {
    let asked = 0
    let end = () => {}
    const checks = new PartChecks((part) => `${part}-acme`, 20)
    const check = () => {
      asked++
      return new Promise<void>((resolve) => {
        end = resolve
      })
    }
    const late = { ok: false, error: 'queue-acme: its check did not end within 0.02 seconds' }
    expect(await checks.health('queue', check)).toEqual(late)
    expect(await checks.health('queue', check)).toEqual(late)
    expect(asked).toBe(1)
    end()
    await until('it is asked again', async () => (await checks.health('queue', async () => {})).ok)
  })

  it('does not keep the engine from ending', async () => {
    const { log, lines } = keptLog()
    await endInTime(log, { part: 'scheduler', plugin: 'acme' }, forever, 10)
    expect(lines).toMatchObject([
      { level: 'error', message: 'a part did not stop in time', fields: { part: 'scheduler', plugin: 'acme' } },
    ])
  })

  it('is given up when it opens, by name, and closed when it opens after all', async () => {
    const { log, lines } = keptLog()
    const opened = new OpenPlugins({ log, clock: systemClock }, { open: 20, slow: 10, close: 10 })
    const opening = Promise.withResolvers<object>()
    let isClosed = false
    const slow = definePlugin({ name: 'mail-slow', provides: ['transport'], open: () => opening.promise as never })()
    await expect(opened.open('transports[0]', slow)).rejects.toMatchObject({
      code: 'PLUGIN_INVALID',
      message: 'transports[0]: mail-slow did not open within 0.02 seconds',
    })
    expect(lines[0]).toMatchObject({ level: 'warn', fields: { plugin: 'mail-slow', socket: 'transports[0]' } })
    opening.resolve({
      close: async () => {
        isClosed = true
      },
    })
    await until('it is closed', () => isClosed)
  })
})

describe('an identity whose answer cannot be used', () => {
  const right = { selector: 's1', publicData: 'x' }
  const record = { type: 'TXT', name: 's1._domainkey.acme.example', value: 'v=DKIM1' }
  it.each<[string, unknown, unknown, string]>([
    ['nothing', undefined, [record], 'make answered nothing: it must be { selector, publicData }'],
    ['no selector', { publicData: 'x' }, [record], 'make answered no selector'],
    ['no key', { ...right, privateKey: 'secret' }, [record], 'make answered a privateKey that is none'],
    ['no records', right, [], 'records answered no records'],
    ['another type', right, [{ ...record, type: 'AAAA' }], 'records answered a record of type AAAA: it must be TXT'],
    ['no value', right, [{ ...record, value: '' }], 'records answered a record without a name or a value'],
  ])('(%s) is refused by its name, and nothing of it is stored', async (_what, proof, records, message) => {
    const acme = definePlugin({
      name: 'identity-acme',
      provides: ['identity'],
      open: () => ({
        identity: { make: async () => proof as never, records: () => records as never, check: async () => [] },
      }),
    })
    const { engine, project } = await engineWithSink({ store: freshSqlite(), identity: acme() })
    const adding = engine.domains.add(project, { domain: 'acme.example' })
    await expect(adding).rejects.toMatchObject({
      code: 'PLUGIN_INVALID',
      message: expect.stringContaining(`identity: identity-acme: ${message}`),
    })
    expect(await engine.domains.list(project)).toEqual([])
  })
})

describe('a log of the host', () => {
  it('that throws or rejects ends neither the process nor what is logged', async () => {
    const lost: unknown[] = []
    const note = (error: unknown) => void lost.push(error)
    process.on('unhandledRejection', note)
    const broken = () => Promise.reject(new Error('the sink is away')) as never
    const log: Log = { debug: fail, info: broken, warn: broken, error: broken, with: () => log }
    const { engine, project, sink } = await engineWithSink({ store: freshSqlite(), log })
    await engine.start()
    engine.log.with({ a: 1 }).error('a line')
    engine.log.debug('a line')
    await engine.sending.send(project, MAIL)
    await sink.waitFor(1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('unhandledRejection', note)
    expect(lost).toEqual([])
  })
})

describe('an answer of a transport that cannot be read', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'yes'],
    ['another outcome', { outcome: 'sent' }],
    ['a refusal without a reason', { outcome: 'refused', permanent: false, stage: 'data' }],
    ['a refused recipient without a stage', { outcome: 'accepted', refused: [{ recipient: 'a@example.org' }] }],
    ['no list of refusals', { outcome: 'accepted', refused: 'ada@example.org' }],
  ])('(%s) is an error of its plugin, and the mail is not tried again by itself', async (_what, answer) => {
    const { log, lines } = keptLog()
    let tries = 0
    const acme = definePlugin({
      name: 'mail-acme',
      provides: ['transport'],
      open: () => ({
        transport: {
          concurrency: 1,
          send: async () => {
            tries++
            return answer as never
          },
        },
      }),
    })
    const { engine, project } = await engineWithSink({
      ...{ log, transports: [{ name: 'main', plugin: acme() }] },
      delivery: { retryDelays: [0, 0], threads: 0 },
    })
    await engine.start()
    const sent = await engine.sending.send(project, MAIL)
    const detail = () => engine.mails.get(project, sent.answer.emails[0]!.email)
    await until('it has FAILED', async () => (await detail()).email.status === 'FAILED')
    const { email } = await detail()
    expect(email.error).toContain('may have sent the mail, so it is not tried again')
    expect(tries).toBe(1)
    const [line] = lines.filter(({ level }) => level === 'error')
    expect(line).toMatchObject({
      message: 'the answer of a transport cannot be read: its plugin is wrong',
      fields: { transport: 'main', plugin: 'mail-acme', answer: JSON.stringify(answer) ?? 'undefined' },
    })
  })
})

describe('what an inbound plugin delivers', () => {
  const right = {
    envelope: { from: 'ada@example.org', to: [] },
    raw: Buffer.from('Subject: x\r\n\r\nx\r\n'),
    remoteAddress: '',
    helo: '',
    tls: false,
    receivedAt: new Date(),
    fetched: { key: 'a' },
  }

  it.each<[string, object]>([
    ['envelope.from', { envelope: { to: [] } }],
    ['envelope.from', { envelope: undefined }],
    ['envelope.to', { envelope: { from: '', to: 'a@ours.example' } }],
    ['raw', { raw: 'Subject: x' }],
    ['receivedAt', { receivedAt: Date.now() }],
    ['receivedAt', { receivedAt: new Date('no date') }],
    ['fetched.key', { fetched: { key: '' } }],
    ['fetched.key', { fetched: { key: 7 } }],
  ])('is refused when its %s is wrong: %o', async (field, change) => {
    const { log, lines } = keptLog()
    let desk: InboundDesk | undefined
    const acme = definePlugin({
      name: 'inbound-acme',
      provides: ['inbound'],
      open: () => ({
        inbound: {
          start: async (given) => {
            desk = given
          },
          stop: async () => {},
          check: async () => {},
        },
      }),
    })
    const { engine } = await engineWithSink({ log, inbound: [acme()] })
    await engine.start()
    await expect(desk!.deliver(right)).resolves.toBeUndefined()
    await expect(desk!.deliver({ ...right, ...change })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: [{ field, message: expect.stringMatching(/^must be /) }],
    })
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: expect.stringContaining('deliver') },
    ])
  })
})

function fail(): never {
  throw new Error('it is wrong')
}
