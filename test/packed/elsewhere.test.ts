import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { nodeFileTrace } from '@vercel/nft'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { BUILTINS } from '../../config/builtins.ts'
import { OPTIONAL_PACKAGES } from '../../core/plugin/optional-packages.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freePort } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { hostWith, PLAIN_ENV } from './pack.ts'

// The package away from where npm put it and from Node: only the files that a tool traced, and in Bun and Deno. No other test
// notices a file that is found by its path and that such a tool cannot see, or a function that only Node has.

const run = promisify(execFile)
/** The versions that docs/embedding.md names. */
const RUNTIMES = { bun: '1.4.5', deno: '2.9.6' }

let folder: string
let sink: SmtpSink
/** A host with what PostgreSQL, MJML and CSS need. */
let host: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-elsewhere-'))
  sink = await startSmtpSink()
  const { postgres, mjml, css } = OPTIONAL_PACKAGES
  host = await hostWith(folder, 'host', [inject('tarball'), ...postgres, ...mjml, ...css])
  cpSync(fileURLToPath(new URL('./whole-host.mjs', import.meta.url)), join(host, 'whole-host.mjs'))
}, 300_000)

afterAll(async () => {
  await sink?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

/** Runs the program that uses everything. Answers what failed, and how much did not. */
async function whole(command: readonly string[], cwd: string, mails: string, more: object = {}) {
  const [inPort, outPort] = [await freePort(), await freePort()]
  const ports = { SINK_PORT: String(sink.port), IN_PORT: String(inPort), OUT_PORT: String(outPort) }
  const [program = '', ...args] = command
  const env = { ...PLAIN_ENV, ...ports, MAILS: mails, ...more }
  const { stdout, stderr } = await run(program, [...args, 'whole-host.mjs'], { cwd, env })
  const { done, failed } = JSON.parse(stdout) as { done: string[]; failed: string[] }
  // one that died of itself would write there
  const errors = stderr.split('\n').filter((line) => /error|uncaught/i.test(line))
  return { failed: [...failed, ...errors], done: done.length }
}

/** How much the program does. */
const ON_SQLITE = { failed: [], done: 17 }
const ON_POSTGRES = { failed: [], done: 16 }

describe('traced by @vercel/nft, as Next standalone and others do', () => {
  /** Copies what these programs of the host are found to need into a folder of their own. */
  async function traced(name: string, programs: readonly string[]): Promise<string> {
    const place = join(folder, name)
    const { fileList } = await nodeFileTrace(
      programs.map((program) => join(host, program)),
      { base: host },
    )
    for (const file of fileList)
      cpSync(join(host, file), join(place, file), { recursive: true, verbatimSymlinks: true })
    return place
  }

  it('it has every thread, page and file of what uses the engine and its server', async () => {
    const place = await traced('traced', ['whole-host.mjs'])
    const threads = join(place, 'threads.txt')
    writeFileSync(join(place, 'watch.mjs'), WATCH)
    const node = [process.execPath, '--import', './watch.mjs']
    expect(await whole(node, place, 'mail.db', { THREADS: threads })).toEqual(ON_SQLITE)
    // the thread that watches a process is of `mailwright serve`, and tried in packed.test.ts
    const exclude = ['**/dist/server/process']
    const files = globSync('node_modules/mailwright/dist/**/*-thread.js', { cwd: host, exclude })
    expect(files.length).toBeGreaterThan(7)
    const seen = readFileSync(threads, 'utf8')
    expect(files.filter((file) => !seen.includes(file))).toEqual([])
    expect(await whole([process.execPath], place, await freshDatabase())).toEqual(ON_POSTGRES)
  })

  it('it has every plugin that a configuration names, or says which package is missing', async () => {
    const sockets = Object.entries(BUILTINS).flatMap(([port, named]) =>
      Object.keys(named).map((use) => ({ port, use })),
    )
    writeFileSync(join(host, 'by-config.mjs'), BY_CONFIG)
    const place = await traced('by-config', ['by-config.mjs'])
    const { stdout } = await run(process.execPath, ['by-config.mjs', JSON.stringify(sockets)], { cwd: place })
    const said = JSON.parse(stdout) as Record<string, string>
    expect(Object.keys(said)).toHaveLength(sockets.length + 1)
    // the options are wrong, so the plugin was there to say so
    const lost = Object.entries(said).filter(([, text]) => /cannot load|Cannot find|no built-in|ENOENT/.test(text))
    expect(lost).toEqual([])
    expect(said['opened s3']).toMatch(/npm install @aws-sdk\/client-s3@/)
  })
})

const WATCH = `
  import threads from 'node:worker_threads'
  import { appendFileSync } from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const { Worker } = threads
  threads.Worker = class extends Worker {
    constructor(file, options) {
      super(file, options)
      this.once('message', () => appendFileSync(process.env.THREADS, file + '\\n'))
    }
  }
  syncBuiltinESMExports()`

/** Reads a configuration for each plugin, and prints what is wrong with it; then makes an engine with one whose package is missing. */
const BY_CONFIG = `
  import { createEngine } from 'mailwright'
  import { loadConfig } from 'mailwright/config'

  const LISTS = { transport: 'transports', inbound: 'inbound', submission: 'submission', hook: 'hooks' }
  const read = (document) => loadConfig({ document, env: {} })
  const said = {}
  for (const { port, use } of JSON.parse(process.argv[2])) {
    const socket = port === 'hook' ? { name: 'a', use, options: 1 } : { use, options: 1 }
    const place = LISTS[port] ? { [LISTS[port]]: [socket] } : { [port]: socket }
    said[port + ' ' + use] = await read(place).then(() => 'nothing', ({ message }) => message)
  }
  const blobs = { use: 's3', options: { bucket: 'acme', region: 'eu-central-1' } }
  const { engine } = await read({ store: { use: 'sqlite', options: { file: ':memory:' } }, blobs, log: { level: 'error' } })
  said['opened s3'] = await createEngine(engine).then(() => 'nothing', ({ message }) => message)
  console.log(JSON.stringify(said))`

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
    expect(await whole(command, host, `${name}.db`)).toEqual(ON_SQLITE)
    expect(await whole(command, host, await freshDatabase())).toEqual(ON_POSTGRES)
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
