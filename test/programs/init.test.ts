import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine, silentLog } from '../../config/library.ts'
import { loadConfig } from '../../config/load.ts'
import { readCommand } from '../../server/process/command-line.ts'
import { Questions } from '../../server/process/terminal.ts'
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
  expect(good.printed).toMatch(/Required.*\n {2}\S+_domainkey\.acme\.example {2}TXT {2}v=DKIM1.*\nNot required/)
  expect(good.printed).toMatch(/\n {2}acme\.example {2}TXT {2}v=spf1 .*\n/)
  expect(good.printed).toMatch(/A domain has one SPF record: if acme\.example has one/)
  expect(good.printed).toContain('ok  account mail: has a sender')
  expect(good.printed).not.toContain('s3cret')
  expect(good.printed).toContain('Start the server with `npx mailwright serve`')
  const file = join(cwd, 'mailwright.config.json')
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  const { engine: settings } = await loadConfig({ path: file })
  const engine = await createEngine({ ...settings, log: silentLog })
  onTestFinished(() => engine.stop())
  const [key = ''] = /sk_\w+/.exec(good.printed) ?? []
  const { project } = await engine.projects.caller(key)
  expect(project).toMatchObject({
    name: 'Acme',
    trustedDomains: ['acme.example'],
    from: { email: 'hello@acme.example' },
  })
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

it('init lists the examples, writes the chosen one, and replaces no file', async () => {
  const cwd = freshFolder()
  const ask = (...args: string[]) => run(cwd, ['--example', ...args], {}, '')
  const list = await ask()
  const names = [...list.printed.matchAll(/^ {2}(\S+) {2}/gm)].map(([, name = '']) => name)
  expect([list.code, names.includes('nest')]).toEqual([0, true])
  for (const name of names) {
    const { code, printed } = await ask(name)
    const [, file = '', page = ''] = /Written to (\S+)\. How to use it: (\S+)/.exec(printed) ?? []
    expect(code, printed).toBe(0)
    expect(readFileSync(join(cwd, file), 'utf8')).toBe(readFileSync(`examples/${file}`, 'utf8'))
    expect(readFileSync(page, 'utf8')).toContain(`--example ${name}\``)
  }
  writeFileSync(join(cwd, 'nest.ts'), 'mine')
  expect(await ask('nest')).toMatchObject({ code: 1, printed: expect.stringContaining('nest.ts exists already') })
  expect(readFileSync(join(cwd, 'nest.ts'), 'utf8')).toBe('mine')
  const wrong = await ask('rails')
  expect(wrong.code).not.toBe(0)
  for (const name of names) expect(wrong.printed).toContain(name)
})

it.each([
  [['--domain', 'acme'], ['--domain: must be a domain name']],
  [[], ['--domain: is required']],
  [['--domain', 'acme.example', '--from', 'a@b.example'], ['--from: must be an address at acme.example']],
  [['--domain', 'acme.example', '--database', '/proc/no/mail.db'], ['--database: cannot be used: /proc ']],
  [['--domain', 'acme.example', '--database', 'postgres://u:s3cret@127.0.0.1:1/x'], ['--database: cannot be used: ']],
  [
    ['--domain', 'x y', '--public-url', 'here', '--smtp', 'https://u:s3cret@x', '--database', 'mysql://u:s3cret@x/y'],
    ['--domain: must', '--public-url: must be an http', '--smtp: must look like smtp://', '--database: must be a file'],
  ],
] as const)('init refuses %j, and leaves nothing behind', async (args, messages) => {
  const cwd = freshFolder()
  const { code, printed } = await run(cwd, args, {}, '')
  const refusals = printed.split('\n').filter((line) => line.startsWith('--'))
  expect({ code, refusals }).toEqual({ code: 1, refusals: messages.map((message) => expect.stringContaining(message)) })
  expect(printed).not.toContain('s3cret')
  expect(readdirSync(cwd)).toEqual([])
})

it.each([
  ['smtp://u:p@smtp.sendgrid.net:587', 'v=spf1 include:sendgrid.net ~all', 'include:sendgrid.net'],
  ['email-smtp.eu-west-1.amazonaws.com:587', 'v=spf1 include:amazonses.com ~all', 'include:amazonses.com'],
  ['relay.acme.example', 'v=spf1 (what the provider of relay.acme.example says, such as include:…) ~all', undefined],
])('init with the relay %s prints the SPF record %s', async (smtp, record, term) => {
  const cwd = freshFolder()
  const { printed } = await init(cwd, smtp)
  expect(printed).toContain(`\n  acme.example  TXT  ${record}\n`)
  const config = JSON.parse(readFileSync(join(cwd, 'mailwright.config.json'), 'utf8'))
  expect(config.domains?.spf).toBe(term)
})

it('init takes answers that are piped in, and asks again with the reason what is wrong', async () => {
  const cwd = freshFolder()
  const lines = [
    'Acme',
    'acme',
    'acme.example',
    'me@other.example',
    'Acme <me@acme.example>',
    'https://m.acme.example',
    '',
    'mail.db',
  ]
  const { code, printed } = await run(cwd, [], {}, `${lines.join('\n')}\n`)
  expect({ code, printed }).toMatchObject({ code: 0, printed: expect.stringContaining('ok  account mail') })
  expect(printed).toContain('It must be a domain name')
  expect(printed).toContain('It must be an address at acme.example')
  const { engine } = await loadConfig({ path: join(cwd, 'mailwright.config.json') })
  const from = { email: 'me@acme.example', name: 'Acme' }
  expect(engine.projects).toMatchObject([{ name: 'Acme', trustedDomains: ['acme.example'], from }])
})

it('shows no password that is typed on a terminal', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 200 })
  const questions = new Questions({ stdin, stdout, stderr: stdout })
  const typed = async (answer: Promise<string | undefined>, text: string) => {
    for (const sign of `${text}\x7f${text.at(-1)}\r`) stdin.write(sign)
    return answer
  }
  const url = 'smtp://ada:s3cret@w@host:587'
  expect(await typed(questions.ask('URL: ', 'no-passwords'), url)).toBe(url)
  const shown = stdout.read()
  expect(shown).toContain('smtp://ada:')
  expect(shown).not.toMatch(/s3|cret|@w/)
  expect(await typed(questions.ask('Password: ', 'nothing'), 'qzj')).toBe('qzj')
  expect(stdout.read()).not.toMatch(/[qzj]/)
  expect(await typed(questions.ask('Name: '), 'Acme')).toBe('Acme')
  expect(stdout.read()).toContain('Acme')
  questions.close()
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
function init(cwd: string, smtp: string): Promise<{ code: unknown; printed: string }> {
  const args = [
    '--from',
    'hello@acme.example',
    '--name',
    'Acme',
    '--domain',
    'acme.example',
    '--public-url',
    'https://mail.acme.example',
  ]
  return run(cwd, args, { SMTP_URL: smtp, DATABASE_URL: join(cwd, 'mail.db') }, '')
}

async function run(cwd: string, args: readonly string[], given: Readonly<Record<string, string>>, input: string) {
  const env = { PATH: process.env.PATH ?? '', ...COMPILE_CACHE, ...given }
  const child = spawn(process.execPath, [MAIN, 'init', ...args], { cwd, env })
  child.stdin.end(input)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  const [code] = await once(child, 'close')
  return { code, printed }
}
