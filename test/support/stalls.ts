import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { beforeAll, describe, expect, it } from 'vitest'
import { fileForm } from './contact-jobs.ts'
import type { Stall } from './loop-watch.ts'
import type { Probes } from './prober.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/*
 * No request keeps the others waiting. Against the server as it is run, each piece of heavy work is asked for while another
 * thread asks every 20 ms over a socket whether the server lives.
 *
 * What is asserted is the longest stretch in which the server's event loop did nothing else, without the time in which the
 * machine gave it no core. A code that keeps the loop does so each time, a machine that stutters does not: a piece of work
 * counts as slow when it is slow three times in a row.
 */

/** The longest that a request may be kept waiting, in milliseconds. */
const LONGEST_MS = 250
const TRIES = 3

const SECRET = `sk_${'e'.repeat(48)}`
const WATCH = fileURLToPath(new URL('./loop-watch.ts', import.meta.url))
const PROBER = new URL('./prober.ts', import.meta.url)
const CONTACTS = 10_000
const MB = 1024 * 1024

let folder: string
let server: ServerProcess
let prober: Worker
let made = 0

/** Runs the pieces of work against a server on this store; a file a store, so that the two run at once. */
export function letsNobodyWait({ name, store, work: works }: StoreOfServer): void {
  describe(`a server on ${name} lets nobody wait`, () => {
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'mailwright-stalls-'))
      const config = {
        projects: [{ name: 'Stalls', secretKey: SECRET, trustedDomains: ['example.com'] }],
        limits: { requestsPerMinute: 1_000_000 },
        log: { level: 'warn' },
        ...(await store()),
      }
      const env = { LOOP_WATCH: join(folder, 'stalls') }
      server = await startServerProcess(folder, config, [], { nodeArgs: ['--import', WATCH], env })
      prober = new Worker(PROBER, { workerData: server.url })
      // what is loaded and compiled at the first requests is no work of theirs
      await send({ body: '{{ a }}' })
      await send({ body: 'x'.repeat(100_000) })
      await sent()
      return async () => {
        await prober.terminate()
        await server.kill()
        rmSync(folder, { recursive: true, force: true })
      }
    }, 120_000)

    for (const [what, work, status] of works()) {
      it(`while ${what}`, { timeout: 120_000 }, async () => {
        expect(await leastOf(work, status)).toBeLessThan(LONGEST_MS)
      })
    }

    it('while contacts are imported and a first compute finds all of them', { timeout: 240_000 }, async () => {
      const importAndCompute = async () => {
        const [first, name] = [made, `All ${made}`]
        made += CONTACTS
        const rows = Array.from({ length: CONTACTS }, (_, i) => `c${first + i}@t.example,${first + i}`)
        await imported(`email,n\n${rows.join('\n')}`)
        const condition = { field: 'data.n', operator: 'greaterThanOrEqual', value: first }
        const filters = { name, trackMembership: true, filters: { operator: 'AND', conditions: [condition] } }
        const segment = (await ask('POST', '/segments', filters)).body
        let computed = await ask('POST', `/segments/${segment.id}/compute`)
        while (computed.status === 202) computed = await ask('POST', `/segments/${segment.id}/compute`)
        expect(computed.body.total).toBe(CONTACTS)
        return computed
      }
      expect(await leastOf(importAndCompute, 200)).toBeLessThan(LONGEST_MS)
    })
  })
}

export interface StoreOfServer {
  readonly name: string
  /** The store in the server's configuration. */
  readonly store: () => Promise<object>
  readonly work: () => readonly Work[]
}

/** The pieces of work, each with the status it is answered with; each time it says something new, so that nothing is known of it. */
export type Work = readonly [what: string, work: () => Promise<Answer>, status: number]

export const WORK: readonly Work[] = [
  ['a template of 50,000 operands is stored', () => template(`{% if a${' and a'.repeat(50_000)} %}x{% endif %}`), 422],
  [
    'a template of many operands is stored',
    () => template(`{% if a${' and a'.repeat(3_000)} %}x{% endif %}`.repeat(10)),
    201,
  ],
  ['a mail of 10,000 placeholders is sent', () => send({ body: '{{ a | upcase }} text '.repeat(10_000) }), 200],
  ['a mail of 30,000 links is sent', () => send({ body: links(30_000) }), 200],
  ['a mail with 200,000 emoji is sent', () => send({ body: '😀'.repeat(200_000), text: '😀'.repeat(200_000) }), 200],
  [
    'a subject of 200,000 emoji is filled in',
    () => send({ subject: '{{ a }}', data: passing('😀'.repeat(200_000)) }),
    422,
  ],
  ['a text part is made of 2 MB of HTML', () => send({ body: '<br>'.repeat(500_000) }), 200],
  [
    'a mail that takes long to fill in is sent to 100',
    () => send({ to: people(100), body: BUSY, data: passing('x') }),
    422,
  ],
  ['a preview of 900 KB is made', () => preview('<p>text <a href="https://e.example/">x</a></p>'.repeat(20_000)), 200],
  [
    'a body of 49 MB of zeros is refused',
    () => ask('POST', '/v1/send', Buffer.from(`{"to":[${'0,'.repeat(24 * MB)}0]}`)),
    413,
  ],
  // which held the server for good
  ['a cell of five megabytes of quotes is imported', () => imported(`email\n${'"'.repeat(4_900_000)}`), 200],
  ['a mail of 39 MB is sent', () => send({ body: 'lorem ipsum dolor '.repeat(2_200_000) }), 200],
]

/** The work that a store may slow down, tried on both; `WORK` is done before a store is asked. */
export const WORK_OF_THE_STORE: readonly Work[] = [
  ['a mail with 10 MB of attachments is sent to 20', () => send({ to: people(20), attachments: files(10) }), 200],
  // what takes longest to encode and decode; each travels as 12 bytes
  ['a mail of as many emoji as there may be is sent', () => send({ text: '😀'.repeat(3_400_000) }), 200],
  ['a batch of 500 messages of 38 KB is sent', () => batch(500, `{{ a }} ${'lorem ipsum '.repeat(3_200)}`), 200],
  ['a batch of 500 contacts with 35 KB of data each is sent', () => batch(500, '{{ a }}', 'x'.repeat(35_000)), 200],
  ['a batch of 10 messages that take long to fill in is sent', () => batch(10, BUSY), 200],
]

const BUSY = '{% for i in (1..20000) %}{% assign b = a | upcase | downcase | size %}{% endfor %}'

/** The longest stretch in the best of some tries, the last of which is the first that is short enough. */
async function leastOf(work: () => Promise<Answer>, status: number): Promise<number> {
  let worst = Number.POSITIVE_INFINITY
  for (let time = 0; time < TRIES && worst >= LONGEST_MS; time++) worst = await longestStall(work, status)
  return worst
}

/** The longest stretch the server's event loop was kept while this was done, what it left to do later included. */
async function longestStall(work: () => Promise<Answer>, status: number): Promise<number> {
  await settled()
  await probes()
  const from = stalls().length
  expect((await work()).status).toBe(status)
  await sent()
  await settled()
  const { answered, failed, slow } = await probes()
  expect(failed).toBe(0)
  expect(answered).toBeGreaterThan(0)
  const seen = stalls().slice(from)
  // who asked over the socket waited no longer than the loop says it was kept, and the machine was busy
  const unexplained = slow.filter(({ at, ms }) => {
    const during = seen.filter((stall) => stall.at > at - ms && stall.at - stall.wall < at)
    return ms - during.reduce((sum, { wall }) => sum + wall, 0) > LONGEST_MS
  })
  return Math.max(0, ...seen.map(({ own }) => own), ...(unexplained.length > 2 ? unexplained.map(({ ms }) => ms) : []))
}

function stalls(): readonly Stall[] {
  const file = join(folder, 'stalls')
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line))
}

async function probes(): Promise<Probes> {
  const told = new Promise<Probes>((resolve) => prober.once('message', resolve))
  prober.postMessage('tell')
  return told
}

/** Waits until every mail has gone out. */
async function sent(): Promise<void> {
  for (const status of ['QUEUED', 'SENDING']) {
    while ((await ask('GET', `/emails?limit=1&status=${status}`)).body.data.length > 0) await pause(50)
  }
}

/** Waits until the event loop is idle. */
async function settled(): Promise<void> {
  for (let before = -1; before !== stalls().length; await pause(300)) before = stalls().length
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any
}

async function ask(method: string, path: string, body?: object, headers: object = {}): Promise<Answer> {
  const raw = body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body)
  const response = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${SECRET}`,
      ...(raw === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(raw === undefined ? {} : { body: raw as string | Uint8Array<ArrayBuffer> }),
  })
  return { status: response.status, body: await response.json().catch(() => undefined) }
}

/** Imports a file of contacts, and answers what became of it. */
async function imported(csv: string): Promise<Answer> {
  const { raw, headers } = await fileForm(csv)
  const { body } = await ask('POST', '/contacts/import', Buffer.from(raw as Uint8Array), headers)
  for (;;) {
    const job = await ask('GET', `/contacts/import/${body.jobId}`)
    if (['completed', 'failed'].includes(job.body.state)) return job
    await pause(100)
  }
}

function send(fields: object): Promise<Answer> {
  const [to] = people(1)
  const mail = { to, from: 'hello@example.com', subject: `Hi ${made++}`, body: `<p>${made}</p>`, ...fields }
  return ask('POST', '/v1/send', { ...mail, body: `${made} ${mail.body}` })
}

function batch(count: number, body: string, a = 'x'): Promise<Answer> {
  const mail = { from: 'hello@example.com', subject: 'Hi', data: { a } }
  const messages = people(count).map((to) => ({ ...mail, to, body: `${to} ${body}` }))
  return ask('POST', '/v1/send/batch', { messages })
}

function template(body: string): Promise<Answer> {
  return ask('POST', '/templates', { name: 'T', subject: 'x', body: `${made++} ${body}`, type: 'TRANSACTIONAL' })
}

function preview(body: string): Promise<Answer> {
  return ask('POST', '/templates/render', { subject: 'x', body: `${made++} ${body}` })
}

function people(count: number): readonly string[] {
  return Array.from({ length: count }, () => `p${made++}@example.org`)
}

function links(count: number): string {
  return Array.from({ length: count }, (_, i) => `<a href="https://example.com/${i}">x</a> `).join('')
}

/** A value of this call alone: what contacts keep is held to less. */
function passing(value: string): object {
  return { a: { value, persistent: false } }
}

function files(megabytes: number): readonly object[] {
  return Array.from({ length: megabytes }, (_, i) => ({
    filename: `${made}-${i}.bin`,
    content: Buffer.alloc(MB - 100, made + i).toString('base64'),
    contentType: 'application/octet-stream',
  }))
}
