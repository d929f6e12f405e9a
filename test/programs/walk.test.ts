import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'

/*
 * How far one mail walks through the code: the functions of ours that run, and the files they stand in, in the compiled
 * server on SQLite, counted by V8. An engineer who changes the code has to follow this walk, and it grew by 40 % before
 * it was counted. The limits only go down; raising one needs its reason here. Raised from 620 and 680 for what every
 * mail needs: whether it was interrupted before, what is put off and may come sooner, how many mails a relay in trouble
 * lets through, and a log of the host that throws. Then by 4 and 11 for campaigns and events that are noted as begun,
 * so that one that ends processes is given up after three times. Then two files and one: the leases and the batches
 * that repositories and rooms share had no file of their own while each had them by hand. Then 5 and 6 functions in 3
 * and 2 files, since the transports and the public address may change while the server runs, and a merged address
 * stands for its contact. Then 2 functions in 1 file, since what a caller may do is asked of the areas of a role, and an
 * answer may need the full address of its request. For a campaign 33 more in 3 files: the audit log keeps the name of what
 * was changed, and the rows of campaigns are read and written by the code that all tables share. Then 21 and 22: mail of
 * projects with servers of their own is claimed beside that of all others, and each mail finds the way of its project. Then 2
 * in 1 file, since the body of a mail may be an element of React. Then 1, since PostgreSQL is sent a write of one statement
 * without a transaction around it. Then 3 in 1 file: each mail is asked whether it is caught instead of sent, and what is caught
 * is counted in no quota and held by none. Then 1, since the servers that are left may have no room in their quotas, and the
 * last refusal is the result; and 4 and 2 for mail to the simulator, which every mail is asked for, and for keys of tests, in
 * 2 files and 1. Then 2, since a claim reads a contact as one text, and the conversation with the next hop is stored short.
 * Then 3, since what a test key sends is caught by the same rule that explains where a mail goes, and a request may name its
 * transport; and for a campaign 1 more in 2 files, since a claim takes its mails as they are written. Then 5 and 2, since a
 * claim does not wait for the disk, and a transport keeps slots free for transactional mail, which leaves in two thirds of
 * the time beside a campaign. Then 10 and 14, since statements that need nothing of each other go to PostgreSQL together, and
 * values that many rows share once, for imports above all; since contacts on SQLite are counted by the code that inserts
 * them, not by a trigger; and since a claim waits until the disk has what was written before it. Then 3, since on a busy disk it waits behind a sync that is under way.
 * Then 2 for a campaign in 1 file, since a time to send at under another name is refused: without it the campaign went at once.
 * Then 1 file, and 3 functions for a campaign, since calls refuse options that they do not know: with a misspelt key of idempotency
 * a mail was sent twice. Then 4 and 6 in 1 file, since each call asks whether its project is one of this engine: that of another was taken,
 * and its mail stood in the wrong database.
 */
const MOST = {
  mail: { functions: 703, files: 148 },
  campaign: { functions: 807, files: 173 },
}

/** Begins no tick: a mail needs none, and on a slow machine the ticks of a second would fall into every walk. */
const STILL_SCHEDULER = `
import { definePlugin } from '${new URL('../../dist/config/library.js', import.meta.url)}'
const scheduler = { start: async () => {}, check: async () => {}, stop: async () => {} }
export default definePlugin({ name: 'scheduler-still', provides: ['scheduler'], open: () => ({ scheduler }) })
`

/** Ticks every half second, whatever is sent: it may fall into all walks, or into none. */
const WATCHDOG = 'server/process/watchdog.ts'

const SECRET = `sk_${'c'.repeat(48)}`
/** Timers of the server may run meanwhile: what every one of some walks has is the mail's, on a busy machine of some more. */
const WALKS = 7
const MOST_WALKS = 25

let folder: string
let sink: SmtpSink
let server: ServerProcess
let coverage: Coverage

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-walk-'))
  sink = await startSmtpSink()
  writeFileSync(join(folder, 'still.js'), STILL_SCHEDULER)
  const config = {
    projects: [{ name: 'Walk', secretKey: SECRET, trustedDomains: ['example.com'] }],
    transports: [{ use: 'smtp', options: { host: '127.0.0.1', port: sink.port, tls: { rejectUnauthorized: false } } }],
    scheduler: { use: './still.js' },
    log: { level: 'warn' },
  }
  server = await startServerProcess(folder, config, [], { nodeArgs: ['--inspect=127.0.0.1:0'] })
  const [debuggerUrl] = /ws:\/\/\S+/.exec(server.output()) ?? []
  if (debuggerUrl === undefined) throw new Error(`no debugger is offered: ${server.output()}`)
  coverage = await Coverage.of(debuggerUrl)
})
afterAll(async () => {
  coverage?.close()
  await server?.kill()
  await sink?.close()
  rmSync(folder, { recursive: true, force: true })
})

it('is no longer for a transactional mail than it was', async () => {
  const send = async () => {
    const body = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', data: { name: 'Ada' } }
    await ask('/v1/send', { ...body, body: '<p>Hello {{ name }}, <a href="https://example.com/">look</a></p>' })
  }
  expectWithin(await commonWalk(async () => send, 300, MOST.mail.functions), MOST.mail)
})

it('is no longer for a campaign to one contact than it was', async () => {
  await ask('/contacts', { email: 'ada@example.org', subscribed: true })
  const fields = { subject: 'Hi', from: 'hello@example.com', body: '<p>Hello</p>', audienceType: 'ALL' }
  const prepare = async () => {
    const { data } = await ask('/campaigns', { name: 'Walk', ...fields })
    return async () => void (await ask(`/campaigns/${data.id}/send`, {}))
  }
  expectWithin(await commonWalk(prepare, 600, MOST.campaign.functions), MOST.campaign)
})

interface Walk {
  readonly functions: ReadonlySet<string>
  readonly files: ReadonlySet<string>
}

function expectWithin({ functions, files }: Walk, most: { readonly functions: number; readonly files: number }): void {
  expect(functions.size).toBeLessThanOrEqual(most.functions)
  expect(files.size).toBeLessThanOrEqual(most.files)
}

/** Each time after its preparation, and until a while after the mail has arrived, in which its result is written. */
async function commonWalk(prepare: () => Promise<() => Promise<void>>, restMs: number, most: number): Promise<Walk> {
  let common: Walk | undefined
  // what is made when it is first used is no part of every walk
  const isEnough = (time: number) => time >= (common && common.functions.size <= most ? WALKS : MOST_WALKS)
  for (let time = -2; !isEnough(time); time++) {
    const work = await prepare()
    await pause(restMs)
    await coverage.begin()
    const arrived = sink.messages.length
    await work()
    await sink.waitFor(arrived + 1)
    await pause(restMs)
    const walk = await coverage.take()
    if (time >= 0) common = common ? alike(common, walk) : walk
  }
  if (common === undefined) throw new Error('nothing was walked')
  return common
}

const alike = (one: Walk, other: Walk): Walk => ({
  functions: both(one.functions, other.functions),
  files: both(one.files, other.files),
})

const both = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  new Set([...one].filter((name) => other.has(name)))

// biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
async function ask(path: string, json: object): Promise<any> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify(json),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`POST ${path}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly {
    readonly functionName: string
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
  }[]
}

/** Asks the server's debugger which functions run. */
class Coverage {
  readonly #socket: WebSocket
  #last = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
  }

  static async of(url: string): Promise<Coverage> {
    const socket = new WebSocket(url)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true })
      socket.addEventListener('error', reject, { once: true })
    })
    const coverage = new Coverage(socket)
    await coverage.#ask('Profiler.enable')
    await coverage.#ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    return coverage
  }

  /** Forgets what ran before. */
  async begin(): Promise<void> {
    await this.#ask('Profiler.takePreciseCoverage')
  }

  async take(): Promise<Walk> {
    const { result } = await this.#ask('Profiler.takePreciseCoverage')
    const functions = new Set<string>()
    const files = new Set<string>()
    for (const { url, functions: all } of result as readonly ScriptCoverage[]) {
      if (!url.includes('/dist/')) continue
      const sources = sourcesOf(url)
      for (const { functionName, ranges } of all) {
        const [whole] = ranges
        // a script itself is a function too, from its first character on
        if (whole === undefined || whole.count === 0 || whole.startOffset === 0) continue
        const file = sources.findLast(({ from }) => from <= whole.startOffset)?.file
        if (file === undefined || file.startsWith('node_modules/') || file === WATCHDOG) continue
        files.add(file)
        functions.add(`${file} ${functionName}:${whole.startOffset}`)
      }
    }
    return { functions, files }
  }

  close(): void {
    this.#socket.close()
  }

  // biome-ignore lint/suspicious/noExplicitAny: what the protocol answers depends on the method
  #ask(method: string, params: object = {}): Promise<any> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      const hear = ({ data }: MessageEvent) => {
        const answer = JSON.parse(String(data))
        if (answer.id !== id) return
        this.#socket.removeEventListener('message', hear)
        if (answer.error) reject(new Error(answer.error.message))
        else resolve(answer.result)
      }
      this.#socket.addEventListener('message', hear)
      this.#socket.send(JSON.stringify({ id, method, params }))
    })
  }
}

const known = new Map<string, readonly { readonly from: number; readonly file: string }[]>()

/** Where in a compiled file the code of each source begins: a line names it. */
function sourcesOf(url: string): readonly { readonly from: number; readonly file: string }[] {
  const sources =
    known.get(url) ??
    [
      ...readFileSync(fileURLToPath(url), 'utf8').matchAll(
        /^\/\/ (?:#region )?((?:\.\.\/)*[\w@./-]+\.(?:tsx?|m?js|cjs|json))$/gm,
      ),
    ].map(({ index, 1: file = '' }) => ({ from: index, file }))
  known.set(url, sources)
  return sources
}
