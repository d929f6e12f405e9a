import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyData, readPlaces } from '../../config/copy-data.ts'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { ProgressLine } from '../../server/process/progress.ts'
import { startProblem } from '../../server/process/start-problem.ts'
import { contact, event, project, put } from '../contracts/store/records.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { COMPILE_CACHE } from '../support/server-process.ts'

/** The compiled program: `npm test` builds it first. */
const MAIN = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url))

let folder: string
let running: ChildProcess[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-copy-'))
  running = []
})

afterEach(async () => {
  for (const child of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  rmSync(folder, { recursive: true })
})

function run(...args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    ...{ cwd: folder, env: { ...process.env, ...COMPILE_CACHE } },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  const printed = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (printed.out += chunk))
  child.stderr.on('data', (chunk) => (printed.err += chunk))
  return { child, printed, ended: once(child, 'close').then(([code]) => code as number | null) }
}

describe('mailwright copy', { timeout: 120_000 }, () => {
  it('stops at SIGTERM behind a batch, continues when it is run again, and shows the counts', async () => {
    await fill(ROWS)
    const url = await freshDatabase()
    const first = run('copy', '--from', 'source.db', '--to', url)
    await once(first.child.stderr, 'data')
    expect(first.printed.err).toMatch(/^ *\d+ % {2}\w+ {2}\d+ rows\/s {2}\d+ of 24002\n$/)
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(143)
    expect(first.printed.out).toContain('the same command continues')
    const [{ rows: before } = { rows: 0 }] = await query(url, 'select count(*)::int as rows from contacts')
    expect(before).toBeLessThan(ROWS + 1)

    const second = run('copy', '--from', 'source.db', '--to', url, '--json')
    expect(await second.ended).toBe(0)
    const report = JSON.parse(second.printed.out)
    expect(report).toMatchObject({ outcome: 'copied', requeued: 0 })
    expect(report.tables).toContainEqual({ table: 'contacts', source: 12_001, target: 12_001 })
    expect(report.tables).toContainEqual({ table: 'events', source: 12_000, target: 12_000 })
    expect(second.printed.err).toBe('')

    const third = run('copy', '--from', 'source.db', '--to', url)
    expect(await third.ended).toBe(1)
    expect(third.printed.err).toMatch(/^--to: The target holds data already.*\n$/)
  })

  it('ends with 64 and the reason for a command that cannot be meant, and makes nothing', async () => {
    const misused = [
      [['copy'], '--from is missing'],
      [['copy', '--from', 'a.db'], '--to is missing'],
      [['copy', '--from', 'a.db', '--to', 'mysql://root:secret@localhost/x'], '--to must be a file'],
      [['copy', '--from', ':memory:', '--to', 'b.db'], '--from must be a file or a URL'],
      [['copy', '--from', 'a.db', '--to', 'b.db', '--role', 'api'], "unknown option '--role'"],
      [['copy', 'a.db', 'b.db'], 'too many arguments'],
      [['serve', '--from', 'a.db'], "unknown option '--from'"],
    ] as const
    const ends = misused.map(async ([args, problem]) => {
      const { ended, printed } = run(...args)
      expect(await ended).toBe(64)
      expect(printed.err.split('\n')[0]).toContain(problem)
      expect(printed.err).not.toContain('secret')
    })
    await Promise.all(ends)
    expect(readdirSync(folder)).toEqual([])
  })

  it('says in one line which end cannot be used, and changes nothing', async () => {
    await fill(1)
    const nobody = 'postgres://me:secret@127.0.0.1:1/x'
    const nowhere = (await freshDatabase()).replace(/\/[^/]*$/, '/nowhere')
    const { ended, printed } = run('copy', '--from', 'source.db', '--to', nobody)
    expect(await ended).toBeGreaterThan(0)
    expectOneLine(printed.err.trim(), '--to: database "x" of 127.0.0.1:1')
    // what the program does, without its start
    const [source, missing, target] = ['source.db', 'missing.db', 'b.db'].map((name) => join(folder, name))
    for (const [from, to, problem] of [
      [missing, target, 'missing.db does not exist'],
      [source, join(folder, '.', 'source.db'), '--from and --to are the same database'],
      [nobody, target, '--from: database "x" of 127.0.0.1:1'],
      [source, 'postgres://[bad', '--to: must be a URL such as'],
      [source, nowhere, 'does not exist; make it with createdb'],
    ] as const) {
      const places = readPlaces(from, to)
      if ('problem' in places) throw new Error(places.problem)
      const options = { signal: new AbortController().signal, onProgress: () => {} }
      const failed = await copyData(places.from, places.to, options).catch(startProblem)
      expectOneLine('text' in failed ? failed.text : 'it was copied', problem)
    }
    expect(existsSync(join(folder, 'b.db'))).toBe(false)
  })

  it('shows one line on a terminal, no wider than it, and takes it away at the end', () => {
    let now = 0
    const written: string[] = []
    const output = { isTTY: true, columns: 60, write: (text: string) => written.push(text) }
    const line = new ProgressLine(output, 'rows', () => now)
    for (let copied = 1000; copied <= 10_000; copied += 1000) {
      now += 50
      line.show({ what: 'emails', done: copied, total: 10_000 })
    }
    line.end()
    expect(written).toHaveLength(6)
    expect(written[1]).toMatch(/^\r\x1b\[K\[######\.{14}\] {2}30 % {2}emails {2}\d+ rows\/s {2}3000 of/)
    for (const text of written) expect(text.replace('\r\x1b[K', '').length).toBeLessThan(60)
    expect(written.at(-1)).toBe('\r\x1b[K')
  })
})

function expectOneLine(text: string, problem: string): void {
  expect(text).toContain(problem)
  expect(text.split('\n')).toHaveLength(1)
  expect(text).not.toContain('secret')
}

/** Enough for a signal to find the copy under way. */
const ROWS = 12_000

/** Makes source.db with a project, so many contacts and events, and one contact more. */
async function fill(rows: number): Promise<void> {
  const { store, close } = await sqlite({ file: join(folder, 'source.db') }).open({
    log: silentLog,
    clock: systemClock,
  })
  const made = project()
  await store.projects.save(made)
  const contacts = Array.from({ length: rows + 1 }, () => contact(made.id))
  const events = contacts.slice(1).map(({ id }) => event(made.id, id))
  await put(store, made.id, { contacts, events })
  await close?.()
}

async function query(url: string, sql: string): Promise<{ rows: number }[]> {
  const client = new Client(url)
  await client.connect()
  const { rows } = await client.query(sql)
  await client.end()
  return rows
}
