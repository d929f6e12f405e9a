import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hostWith, PLAIN_ENV } from '../packed/pack.ts'
import { ON_POSTGRES, ON_SQLITE, runWhole, wholeHost } from '../packed/whole-host.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

// The package in Bun and Deno. No other test notices a function that only Node has.

/** The versions that docs/embedding.md names. */
const RUNTIMES = { bun: '1.4.5', deno: '2.9.6' }

let folder: string
let sink: SmtpSink
let host: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-runtimes-'))
  sink = await startSmtpSink()
  host = await wholeHost(folder)
}, 300_000)

afterAll(async () => {
  await sink?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

describe.each(['bun', 'deno'] as const)('in %s', (name) => {
  let command: string[]
  const children: ChildProcess[] = []

  beforeAll(async () => {
    // without their scripts, the programs themselves are in a package for each platform
    const place = await hostWith(folder, name, [`${name}@${RUNTIMES[name]}`])
    const [program = ''] = globSync(['node_modules/@oven/*/bin/bun', 'node_modules/@deno/*/deno'], { cwd: place })
    command = [join(place, program), ...(name === 'deno' ? ['run', '--allow-all'] : [])]
  }, 300_000)

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })

  it('does all it does in Node, on SQLite and on PostgreSQL, and ends without an error', async () => {
    expect(await runWhole(command, host, { mails: `${name}.db`, smtpPort: sink.port })).toEqual(ON_SQLITE)
    expect(await runWhole(command, host, { mails: await freshDatabase(), smtpPort: sink.port })).toEqual(ON_POSTGRES)
  })

  it('serves the API and the dashboard until it is told to end', async () => {
    const home = join(folder, `${name}-server`)
    mkdirSync(home)
    const [program = '', ...args] = command
    const server = join(host, 'node_modules/mailwright/dist/server/bin.js')
    const child = spawn(program, [...args, server, 'serve'], { cwd: home, env: { ...PLAIN_ENV, PORT: '0' } })
    children.push(child)
    const ended = once(child, 'exit')
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text))
    const [, url] = await until('it is ready', () => /"url":"(http[^"]+)"/.exec(printed))
    const [, key] = /secret key +(sk_\w+)/.exec(printed) ?? []
    const sent = await fetch(`${url}/v1/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: 'hello@example.com', to: 'ada@example.com', subject: 'Hi', body: '<p>Hi</p>' }),
    })
    expect(sent.status).toBe(200)
    await until('the mail is written', () => globSync('data/outbox/**/*.eml', { cwd: home }).length > 0)
    const page = await (await fetch(`${url}/app/`)).text()
    const [, script] = /src="\.\/(assets\/[^"]+)"/.exec(page) ?? []
    expect((await fetch(`${url}/app/${script}`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(printed).not.toMatch(/"level":"error"|Uncaught/)
  })
})
