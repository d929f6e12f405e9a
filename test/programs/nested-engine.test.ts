import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { freshFolder } from '../support/fresh-folder.ts'

const LIBRARY = pathToFileURL(fileURLToPath(new URL('../../dist/config/library.js', import.meta.url))).href
const SQLITE = LIBRARY.replace('config/library.js', 'plugins/store-sqlite/index.js')

/** A program in one file: its plugin, and the engine that it starts. */
const program = (start: string) => `
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { createEngine, definePlugin } from '${LIBRARY}'
import { sqlite } from '${SQLITE}'

export const acme = definePlugin({
  name: 'mail-acme',
  provides: ['transport'],
  inThread: { module: import.meta.url, export: 'acme' },
  open: () => ({ transport: { concurrency: 1, send: async () => ({ outcome: 'accepted', response: 'main ' + isMainThread }) } }),
})

const errors = []
const at = (level) => (message, { error } = {}) => level === 'error' && errors.push(message + ': ' + error?.message)
const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), with: () => log }

async function main() {
  appendFileSync('starts', isMainThread ? 'main ' : 'thread ')
  const engine = await createEngine({
    log, store: sqlite({ file: 'mail.db' }), transports: [acme()], delivery: { threads: 2 },
    projects: [{ name: 'Acme', trustedDomains: ['acme.example'] }],
  })
  await engine.start()
  const [project] = await engine.projects.list()
  await engine.sending.send(project, { to: 'a@example.com', from: 'hi@acme.example', subject: 'Hi', body: 'Hi' })
  while ((await engine.mails.list(project, { status: 'DELIVERED' })).items.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await engine.stop()
  console.log(JSON.stringify(errors))
}
${start}
`

it.each([
  ['waits for it', 'await main()'],
  ['does not wait for it', 'void main()'],
])('a file with a plugin for threads and an engine that %s starts no engines in threads, and sends', async (_how, start) => {
  const cwd = freshFolder()
  writeFileSync(join(cwd, 'program.mjs'), program(start))
  const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd, timeout: 60_000 })
  const errors: readonly string[] = JSON.parse(stdout)
  expect(errors).toEqual([
    expect.stringMatching(
      /^threads cannot send: .*inThread\.module must not be a file that starts an engine.*mail-acme \(file:/,
    ),
  ])
})
