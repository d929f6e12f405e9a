import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Engine } from '../../config/library.ts'
import { handOver } from '../../core/delivery/hand-over.ts'
import { SendingThread } from '../../core/delivery/threads/sending-thread-port.ts'
import { type Log, type LogFields, silentLog } from '../../core/ports/log.ts'
import type { MailTransport } from '../../core/ports/mail-transport.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { dkimKey, verdicts } from '../support/dkim.ts'
import { engineWithSink } from '../support/engine.ts'
import { freshFile } from '../support/fresh-sqlite.ts'
import { lost, moody } from '../support/moody-transport.ts'
import { until } from '../support/until.ts'

/*
 * Mails that are made and handed over in threads: they must be the ones that the event loop makes, and whatever becomes of
 * a thread, no mail may be lost or stand still.
 */

const RSA = dkimKey('example.com', 'rsa')
const MAIL = { from: 'hello@example.com', to: 'ada@example.org', body: '<p>Hi {{ name }}</p>' }
const BUSY = '{% for i in (1..100) %}{% assign b = a | upcase | downcase | split: "" | join: "" %}{% endfor %}'

it('are the same as those made on the event loop: tracked, signed, with copies, attachments and heavy bodies', async () => {
  const bodies = [
    '<p>Dear {{ name }}, <a href="https://example.org/{{ name }}">look</a></p>',
    `<p>Größe {{ name }}</p>${'<p>many words, ä 😀</p>\n'.repeat(4_000)}`,
    `<p>slow {{ name }}</p>${BUSY}`,
  ]
  const made: string[][] = []
  const logged: string[] = []
  for (const threads of [0, 2]) {
    const settings = { dkim: [RSA], publicUrl: 'https://mail.example.net', log: logTo(logged), delivery: { threads } }
    const { engine, project, sink } = await engineWithSink(settings)
    await engine.start()
    for (const body of bodies) {
      const attachments = [{ filename: 'a.txt', content: 'Li4u', contentType: 'text/plain' }]
      const copies = { cc: ['cc@example.org'], bcc: ['bcc@example.org'], headers: { 'X-Order': '42' } }
      const data = { name: 'Ada', a: 'x'.repeat(400) }
      await engine.sending.send(project, { ...MAIL, ...copies, body, attachments, data, subject: 'Hi {{ name }}' })
    }
    const mails = await sink.waitFor(bodies.length, 60)
    for (const { raw, to } of mails) {
      expect(await verdicts(raw, [RSA])).toEqual(['pass'])
      expect(to.toSorted()).toEqual(['ada@example.org', 'bcc@example.org', 'cc@example.org'])
    }
    made.push(mails.map(({ raw }) => masked(raw.toString('latin1'))).toSorted())
    await engine.stop()
  }
  expect(made[1]).toEqual(made[0])
  // else both were made on the event loop
  expect(logged).not.toContain('threads cannot send: mail is sent without them')
})

it('go out when the thread dies in the middle, those in its hands at most once more', async () => {
  const { engine, project, send, sent, logged } = await withMoody({ retryDelays: [0.1, 0.1] })
  const ids = await Promise.all(['one', 'exit', 'two'].map((subject) => send(subject)))
  await until('all have their result', async () => {
    const statuses = await Promise.all(ids.map((id) => statusOf(engine, project, id)))
    return statuses.every((status) => status === 'DELIVERED' || status === 'FAILED')
  })
  expect(await statusOf(engine, project, ids[1]!)).toBe('FAILED')
  await send('three')
  await until('the next thread sends', () => sent().some(({ subject }) => subject === 'three'))
  // its tries, each of which ended a thread
  expect(sent().filter(({ subject }) => subject === 'exit')).toHaveLength(3)
  expect(sent().every(({ isMain }) => !isMain)).toBe(true)
  // what a thread logs comes as a message, which may be on its way still
  await until('what it logged has come', () => logged.includes('the moody transport sends'))
})

it('are delivered when a part of the answer cannot leave the thread', async () => {
  const { engine, project, send, sent } = await withMoody()
  const ids = await Promise.all(['odd', 'one'].map((subject) => send(subject)))
  await until('both are delivered', async () => {
    const statuses = await Promise.all(ids.map((id) => statusOf(engine, project, id)))
    return statuses.every((status) => status === 'DELIVERED')
  })
  expect(sent()).toHaveLength(2)
})

it('of a thread that hangs are tried again in another', async () => {
  // the next mail, too, has no more time than this, in which the other thread starts
  const { engine, project, send, sent } = await withMoody({ sendTimeout: 4, retryDelays: [] })
  const id = await send('hang')
  await until('it is given up', async () => (await statusOf(engine, project, id)) === 'FAILED', 30_000)
  await send('next')
  await until('the next one is sent', () => sent().some(({ subject }) => subject === 'next'), 30_000)
})

it('are given back when the engine stops while their transport waits', async () => {
  const { engine, project, send, sent, folder } = await withMoody({})
  const id = await send('wait')
  await until('it is being sent', () => sent().length === 1)
  await engine.stop(100)
  const later = await engineWithSink({ store: sqlite({ file: join(folder, 'test.db') }) })
  expect(await statusOf(later.engine, project, id)).toBe('QUEUED')
})

it('are sent from the event loop when a thread does not find the plugin, or its options cannot be copied there', async () => {
  for (const [plugin, extra] of [
    [lost, {}],
    [moody, { notify: () => {} }],
  ] as const) {
    const folder = temporaryFolder()
    const file = join(folder, 'sent.jsonl')
    const { engine, project } = await engineWithSink({
      transports: [plugin({ file, ...extra })],
      delivery: { threads: 1 },
    })
    await engine.start()
    await engine.sending.send(project, { ...MAIL, subject: 'here' })
    await until('it is sent', () => readSent(file).length === 1)
    expect(readSent(file)[0]?.isMain).toBe(true)
  }
})

it('do not wait for a thread that never starts', async () => {
  const module = `data:text/javascript,${encodeURIComponent('await new Promise(() => setInterval(() => {}, 1000))')}`
  const transports = [{ name: 'never', key: 'never 1', module, export: 'never', options: {} }]
  const thread = new SendingThread({ secret: Buffer.alloc(32), transports }, silentLog, 500)
  thread.start()
  await thread.started
  await expect(thread.send({} as never, new AbortController().signal)).rejects.toThrow(
    'did not start within 0.5 seconds',
  )
})

it('are not handed over any more when making them took until they were given up', async () => {
  let handed = 0
  const outbox: MailTransport = { concurrency: 1, send: async () => ({ outcome: 'accepted', id: String(++handed) }) }
  const given = new AbortController()
  const outgoing = {
    subject: 'late',
    envelope: { from: '', to: ['ada@example.org'] },
    raw: async () => new Uint8Array(),
  }
  const mail = {
    outgoing: async () => {
      given.abort()
      return outgoing
    },
  }
  const sent = await handOver(outbox, { mail, unwanted: new Set() } as never, given.signal)
  expect(await sent.answer).toMatchObject({ outcome: 'refused', permanent: false })
  expect(handed).toBe(0)
})

/** An engine with the moody transport in one thread. */
async function withMoody(delivery: object = {}) {
  const folder = temporaryFolder()
  const file = join(folder, 'sent.jsonl')
  const logged: string[] = []
  const log = logTo(logged)
  const transports = [moody({ file })]
  const store = sqlite({ file: freshFile(join(folder, 'test.db')) })
  const settings = { store, transports, log, delivery: { threads: 1, ...delivery } }
  const { engine, project } = await engineWithSink(settings)
  await engine.start()
  const send = async (subject: string) => {
    const { answer } = await engine.sending.send(project, { ...MAIL, subject })
    return answer.emails[0]?.email ?? ''
  }
  return { engine, project, send, folder, logged, sent: () => readSent(file) }
}

function logTo(messages: string[]): Log {
  const note = (message: string, _fields?: LogFields) => void messages.push(message)
  return { debug: note, info: note, warn: note, error: note, with: () => logTo(messages) }
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-threads-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function readSent(file: string): { readonly subject: string; readonly isMain: boolean }[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  } catch {
    return []
  }
}

async function statusOf(engine: Engine, project: Parameters<Engine['mails']['get']>[0], id: string) {
  return (await engine.mails.get(project, id)).email.status
}

/** Without what differs from engine to engine. */
function masked(raw: string): string {
  return raw
    .replace(/^DKIM-Signature:.*\r\n(?:[ \t].*\r\n)*/m, '')
    .replace(/=\r\n/g, '')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replace(/\/t\/([oc])\/[\w.-]+/g, '/t/$1/TOKEN')
    .replace(/^Date: .*$/m, 'Date')
    .replace(/[-=_\w]*boundary[-=_\w".]*|--[-=_\w]{10,}/g, 'BOUNDARY')
}
