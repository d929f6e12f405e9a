import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine, silentLog } from '../../config/library.ts'
import { loadConfig } from '../../config/load.ts'
import { readCommand } from '../../server/command-line.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { COMPILE_CACHE, MAIN } from '../support/server-process.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'

// what a configuration would take for a variable, and a URL for its end
const PASSWORD = 's3cret ${x}@/?'

it('init writes a configuration that works, tries the login, and prints a key and the records', async () => {
  const sink = await startSmtpSink({ auth: { user: 'mail', pass: PASSWORD } })
  onTestFinished(() => sink.close())
  const cwd = freshFolder()
  const url = (pass: string) =>
    `smtp://mail:${encodeURIComponent(pass)}@127.0.0.1:${sink.port}?tls.rejectUnauthorized=false`
  const good = await init(cwd, url(PASSWORD))
  expect(good).toMatchObject({ code: 0, printed: expect.stringContaining('ok  transport main: ') })
  expect(good.printed).toMatch(/_domainkey\.acme\.example {2}TXT {2}v=DKIM1.*\n {2}acme\.example {2}TXT {2}v=spf1 /)
  expect(good.printed).not.toContain('s3cret')
  expect(good.printed).toContain('in a clone, write `npx mailwright`')
  const file = join(cwd, 'mailwright.config.json')
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  const { engine: settings } = await loadConfig({ path: file })
  const engine = await createEngine({ ...settings, log: silentLog })
  onTestFinished(() => engine.stop())
  const [key = ''] = /sk_\w+/.exec(good.printed) ?? []
  const { project } = await engine.projects.caller(key)
  expect(project).toMatchObject({ name: 'Acme', trustedDomains: ['acme.example'] })
  await engine.start()
  const mail = { from: 'hello@acme.example', to: 'ada@example.org', subject: 'Hi', body: '<p>Hi</p>' }
  await engine.sending.send(project, mail)
  await sink.waitFor(1, 20_000)

  const again = await init(cwd, url(PASSWORD))
  expect(again).toEqual({
    code: 1,
    printed: `${file} exists already: change it, or name another file with --config.\n`,
  })
  const wrong = await init(freshFolder(), url('wrong'))
  expect(wrong).toMatchObject({ code: 1, printed: expect.stringMatching(/\nproblem {2}transport main: .*\n/) })
})

it.each([
  [['--domain', 'acme'], 'projects[0].trustedDomains[0]: must be a domain name'],
  [['--domain', 'acme.example', '--public-url', 'here'], 'server.publicUrl: must be an http'],
  [['--domain', 'acme.example', '--smtp', 'https://u:s3cret@x'], '--smtp must look like smtp://'],
  [['--domain', 'acme.example', '--database', 'mysql://u:s3cret@x/y'], '--database must be a file'],
] as const)('init refuses %j, and leaves nothing behind', async (args, message) => {
  const cwd = freshFolder()
  const asked = readCommand(['init', ...args, '--config', join(cwd, 'mail.json')])
  if (asked.kind !== 'run') throw new Error('it cannot be read')
  const refusal = await asked.run().catch((error: Error) => error.message)
  expect(refusal).toContain(message)
  expect(refusal).not.toContain('s3cret')
  expect(readdirSync(cwd)).toEqual([])
})

it('init writes over no file', async () => {
  const file = join(freshFolder(), 'mail.json')
  writeFileSync(file, 'mine')
  const asked = readCommand(['init', '--domain', 'acme.example', '--config', file])
  if (asked.kind !== 'run') throw new Error('it cannot be read')
  await expect(asked.run()).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(readFileSync(file, 'utf8')).toBe('mine')
})

/** Runs the program without a terminal, the SMTP server's URL in the environment. */
async function init(cwd: string, smtp: string): Promise<{ code: unknown; printed: string }> {
  const args = ['init', '--name', 'Acme', '--domain', 'acme.example', '--public-url', 'https://mail.acme.example']
  const env = { PATH: process.env.PATH ?? '', ...COMPILE_CACHE, SMTP_URL: smtp, DATABASE_URL: join(cwd, 'mail.db') }
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  const [code] = await once(child, 'close')
  return { code, printed }
}
