import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readCommand } from '../../server/process/command-line.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { COMPILE_CACHE, MAIN, startServerProcess } from '../support/server-process.ts'

const SECRET = `sk_${'r'.repeat(48)}`
const WRONG = [
  `update "activity_counts" set "events" = "events" + 2 where "name" = '' and "length" = 1`,
  `delete from "activity_counts" where "name" = 'paid' and "length" = 96`,
]

/** Figures that were wrong, put right from outside while the server runs, or not: no store contract sees that. */
describe('mailwright rebuild-stats', { timeout: 60_000 }, () => {
  it('tells what differs, puts it right while the server runs on PostgreSQL, and then finds nothing', async () => {
    const folder = freshFolder()
    const url = await freshDatabase()
    const store = { use: 'postgres', options: { url } }
    const server = await startServerProcess(folder, { store, projects: [{ name: 'Acme', secretKey: SECRET }] })
    onTestFinished(() => server.kill())
    await track(server.url)
    expect(await run(folder, '--check')).toEqual([0, 'All figures match the rows.\n'])
    const client = new Client(url)
    await client.connect()
    for (const sql of WRONG) await client.query(sql)
    await client.end()
    const [code, printed] = await run(folder, '--check')
    expect(code).toBe(1)
    // by the time they are of, which is the same for both in the first quarter of an hour of a day
    expect(printed.split('\n').toSorted()).toEqual([
      '',
      expect.stringMatching(/^Acme: events \(paid\) of the day \d{4}-\d\d-\d\d: 0 kept, 1 counted$/),
      expect.stringMatching(/^Acme: events of .*T.*Z: 3 kept, 1 counted$/),
      'Run the command without --check to correct this.',
    ])
    await track(server.url)
    expect(await run(folder)).toEqual([0, expect.stringMatching(/\nCorrected.\n$/)])
    expect(await run(folder, '--check')).toEqual([0, 'All figures match the rows.\n'])
  })

  it('refuses a file of SQLite that a server has open, and puts it right when that has stopped', async () => {
    const folder = freshFolder()
    const store = { use: 'sqlite', options: { file: 'mail.db' } }
    const server = await startServerProcess(folder, { store, projects: [{ name: 'Acme', secretKey: SECRET }] })
    onTestFinished(() => server.kill())
    await track(server.url)
    expect(await run(folder)).toEqual([
      1,
      expect.stringMatching(/^The database file [^\n]*mail\.db is in use by another running engine\.\nStop [^\n]+\n$/),
    ])
    await server.stop()
    const Database = createRequire(import.meta.resolve('@mikro-orm/sqlite'))('better-sqlite3')
    const connection = new Database(join(folder, 'mail.db'))
    for (const sql of WRONG) connection.exec(sql)
    connection.close()
    expect(await run(folder, '--check')).toEqual([1, expect.stringContaining('Run the command')])
    const [code, printed] = await run(folder, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(printed)).toEqual({
      differences: expect.arrayContaining([
        expect.objectContaining({ project: 'Acme', figure: 'events', name: 'paid', days: true, kept: 0, counted: 1 }),
      ]),
      corrected: true,
    })
    expect(await run(folder, '--check')).toEqual([0, 'All figures match the rows.\n'])
  })

  it('takes a config and --check, and nothing else', () => {
    expect(readCommand(['rebuild-stats'])).toMatchObject({ command: 'rebuild-stats', options: {} })
    const asked = readCommand(['rebuild-stats', '--check', '--config', 'a.json'])
    expect(asked).toMatchObject({ command: 'rebuild-stats', options: { config: 'a.json', check: true } })
    for (const wrong of [['--role', 'api'], ['--from', 'a.db'], ['more']])
      expect(readCommand(['rebuild-stats', ...wrong])).toMatchObject({ kind: 'misused' })
    expect(readCommand(['rebuild-stat'])).toMatchObject({ problem: expect.stringContaining('mean rebuild-stats?') })
  })
})

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-rebuild-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function track(url: string): Promise<void> {
  const response = await fetch(`${url}/v1/track`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.org', event: 'paid' }),
  })
  expect(response.status).toBe(200)
}

async function run(folder: string, ...args: readonly string[]): Promise<readonly [unknown, string]> {
  const child = spawn(process.execPath, [MAIN, 'rebuild-stats', ...args], {
    ...{ cwd: folder, env: { ...process.env, ...COMPILE_CACHE } },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  const [code] = await once(child, 'close')
  return [code, printed]
}
