import { execFile } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nodeFileTrace } from '@vercel/nft'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUILTINS } from '../../config/builtins.ts'
import { ON_POSTGRES, ON_SQLITE, runWhole, wholeHost } from '../packed/whole-host.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'

// The package away from where npm put it: only the files that a tool traced. No other test notices a file that is found by its
// path and that such a tool cannot see.

const run = promisify(execFile)

let folder: string
let sink: SmtpSink
/** A host with what PostgreSQL, MJML and CSS need. */
let host: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-traced-'))
  sink = await startSmtpSink()
  host = await wholeHost(folder)
}, 300_000)

afterAll(async () => {
  await sink?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

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
    expect(await runWhole(node, place, { mails: 'mail.db', smtpPort: sink.port, env: { THREADS: threads } })).toEqual(
      ON_SQLITE,
    )
    // the thread that watches a process is of `mailwright serve`, and tried in packed.test.ts
    const exclude = ['**/dist/server/process']
    const files = globSync('node_modules/mailwright/dist/**/*-thread.js', { cwd: host, exclude })
    expect(files.length).toBeGreaterThan(7)
    const seen = readFileSync(threads, 'utf8')
    // one that brings a large log into the file is begun only then: it must be there
    const late = 'checkpoint-thread.js'
    expect(
      files.filter((file) => !seen.includes(file) && !(file.endsWith(late) && existsSync(join(place, file)))),
    ).toEqual([])
    expect(await runWhole([process.execPath], place, { mails: await freshDatabase(), smtpPort: sink.port })).toEqual(
      ON_POSTGRES,
    )
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
