import { AsyncLocalStorage } from 'node:async_hooks'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createEngine, type Engine, silentLog } from '../../config/library.ts'
import { programName } from '../../core/values/program-name.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { readCommand } from '../../server/process/command-line.ts'
import { runCommand } from '../../server/process/run-command.ts'
import { patiently } from '../../server/remote/with-server.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { COMPILE_CACHE, freePort, MAIN, type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'

const SECRET = `sk_${'c'.repeat(48)}`
const PROJECTS = [{ name: 'Acme', secretKey: SECRET, trustedDomains: ['example.com'] }]
const OPERATOR = 'the-key-of-the-operator'
/** Commands whose output is for people, or of another form. */
const WITHOUT_JSON = new Set(['', 'serve', 'init', 'mcp', 'plugin new'])
const ID = '01a20946-e313-7000-9fdb-53b7c6c39f98'

let folder: string

async function begin(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-commands-'))
  const store = { use: 'sqlite', options: { file: join(folder, 'mail.db') } }
  writeFileSync(configOf('one'), JSON.stringify({ store, projects: PROJECTS }))
  writeFileSync(configOf('two'), JSON.stringify({ store, projects: [{ name: 'Acme' }, { name: 'Beta' }] }))
  const none = { use: 'sqlite', options: { file: join(folder, 'none', 'mail.db') } }
  writeFileSync(configOf('none'), JSON.stringify({ store: none, projects: [{ name: 'Acme' }] }))
  await withEngine(async () => {}, PROJECTS)
}

anewOnRetry(begin, async () => rmSync(folder, { recursive: true, force: true }))

function configOf(name: string): string {
  return join(folder, `${name}.json`)
}

/** Runs the real program; unless told otherwise, its configuration has one project. */
function run(args: readonly string[], input = '', config = 'one') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args, '--config', configOf(config)], {
    cwd: folder,
    input,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', ...COMPILE_CACHE },
  })
  return { status, stdout, stderr }
}

/** The output of each command that runs in this process. */
const printed = new AsyncLocalStorage<{ stdout: string; stderr: string }>()

beforeAll(() => {
  for (const name of ['stdout', 'stderr'] as const) {
    const write = process[name].write.bind(process[name])
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      const here = printed.getStore()
      if (here === undefined) return write(chunk)
      here[name] += String(chunk)
      return true
    })
  }
})
afterAll(() => void vi.restoreAllMocks())

/**
 * Does what the command line says in this process: to start the program takes most of a second of a processor. It is started
 * for what reads its standard input or is ended by a signal, and once for each way of a command: with a database, and with a
 * server. That the code of each command is in the package is tested there.
 */
async function within(args: readonly string[]) {
  const here = { stdout: '', stderr: '' }
  const status = await printed.run(here, () => runCommand(args))
  return { status, ...here }
}

/** The same with the configuration of these tests. */
const ran = (args: readonly string[], config = 'one') => within([...args, '--config', configOf(config)])

/** The code and the message of a refusal. */
async function refusal(args: readonly string[], config = 'one'): Promise<string> {
  const asked = readCommand([...args, '--config', configOf(config)])
  if (asked.kind !== 'run') throw new Error(`it cannot be read: ${JSON.stringify(asked)}`)
  return asked.run().then(
    (exitCode) => `it ended with ${exitCode}`,
    (error) => `${error.code}: ${error.message}`,
  )
}

async function withEngine<T>(work: (engine: Engine) => Promise<T>, projects: typeof PROJECTS = []): Promise<T> {
  const engine = await createEngine({ store: sqlite({ file: join(folder, 'mail.db') }), log: silentLog, projects })
  try {
    return await work(engine)
  } finally {
    await engine.stop()
  }
}

describe('on the command line', { timeout: 60_000 }, () => {
  it('keys are made, listed and revoked, and nothing but the key is on the standard output', async () => {
    const [project, ...others] = JSON.parse((await ran(['projects', 'list', '--json'])).stdout)
    expect(project).toMatchObject({ name: 'Acme', disabled: false })
    expect(others).toEqual([])
    const made = run(['keys', 'create', 'agent', '--scope', 'read', 'send', '--expires', '2099-01-01'])
    expect(made).toMatchObject({ status: 0, stdout: expect.stringMatching(/^sk_\w+\n$/) })
    const key = made.stdout.trim()
    const { id, ...caller } = await withEngine(async ({ projects }) => {
      const { project, ...caller } = await projects.caller(key)
      const [first] = await projects.keys.list(project)
      return { id: first?.id ?? '', ...caller }
    })
    expect(caller).toMatchObject({ kind: 'secret', scopes: ['send', 'read'] })
    const [head, first] = (await ran(['keys', 'list'])).stdout.split('\n')
    expect(head).toMatch(/^id +name +kind +prefix +scopes +lastUsedAt +expiresAt$/)
    expect(first).toMatch(new RegExp(`^${id}  agent   secret  ${key.slice(0, 8)} .* 2099-01-01T00:00:00.000Z$`))
    expect(JSON.parse((await ran(['keys', 'revoke', id, '--json'])).stdout)).toEqual({ id, revoked: true })
    await expect(withEngine(({ projects }) => projects.caller(key))).rejects.toThrow('not valid')
    expect(await refusal(['keys', 'revoke', id])).toMatch(/^KEY_NOT_FOUND/)
    expect(await refusal(['keys', 'create', 'late', '--public', '--expires', '2001-01-01'])).toMatch(
      /^VALIDATION_ERROR/,
    )
  })

  it('the way of a stored mail is explained', async () => {
    const id = await withEngine(async ({ projects, sending }) => {
      const [project] = await projects.list()
      if (!project) throw new Error('there is no project')
      const mail = { to: 'ada@example.org', from: 'a@example.com', subject: 'Hi', body: '<p>Hi</p>' }
      return (await sending.send(project, mail)).answer.emails[0]?.email ?? ''
    })
    const { status, stdout } = await ran(['route', 'explain', '--mail', id])
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `The mail is transactional.
No transport has had it yet.
No rule fits. It tries the transports in their order: mail-outbox.
`,
    })
    expect(await refusal(['route', 'explain', '--mail', ID])).toMatch(/^EMAIL_NOT_FOUND/)
  })

  it('a set-up link is printed while there is no user', async () => {
    const link = JSON.parse((await ran(['users', 'setup-link', '--json'])).stdout).url
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/auth\/setup\/[\w-]+$/)
  })

  // twenty processes, one after the other
  it('users are made with the password on the standard input, and get another one only when they are there', {
    timeout: 240_000,
  }, async () => {
    const made = run(['users', 'create', 'Ada@Example.org'], 'correct horse battery\nnot this line\n')
    expect(made).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^ada@example\.org can log in .*; user [\w-]+\.\n$/),
    })
    expect(run(['users', 'create', 'ada@example.org'], 'another password\n').stderr).toMatch(/^There is an account /)
    const short = run(['users', 'create', 'ada'], 'short')
    expect(short).toMatchObject({ status: 1, stdout: '' })
    expect(short.stderr).toMatch(/^email: must be an e-mail address.*\npassword: must have at least 8 characters.*\n$/)
    const enters = (password: string) =>
      withEngine(({ accounts }) => accounts.login({ email: 'ada@example.org', password }))
    const entered = await enters('correct horse battery')
    const owned = await withEngine(({ accounts }) => accounts.members.projectsOf(entered.user))
    expect(owned).toMatchObject([{ project: { name: 'Acme' }, role: 'OWNER' }])
    expect(await refusal(['users', 'setup-link'])).toMatch(/^CONFLICT: There is a user already/)
    expect(entered).toHaveProperty('session')
    expect(entered.user.verifiedAt).toBeDefined()
    expect(run(['users', 'reset-password', 'bob@example.org'], 'long enough\n')).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^There is no user bob@example\.org\.\nGive .*`npx mailwright users create` makes .*\.\n$/,
      ),
    })
    // as one of version 0.1.0, of whom it is not known who made them
    const distrusted = run(['users', 'distrust', 'ada@example.org', '--json'])
    const about = { id: entered.user.id, email: 'ada@example.org' }
    expect(JSON.parse(distrusted.stdout)).toEqual({ ...about, trusted: false, operator: false })
    const trusted = run(['users', 'trust', 'Ada@example.org'])
    expect(trusted).toMatchObject({ status: 0, stdout: expect.stringMatching(/^ada@example\.org runs this server: /) })
    await withEngine(async ({ accounts }) => {
      const { user } = await accounts.login({ email: 'ada@example.org', password: 'correct horse battery' })
      expect(await accounts.members.isOperator(user)).toBe(true)
      await accounts.make({ email: 'eve@example.org', password: 'long enough' })
    })
    expect(run(['users', 'trust', 'eve@example.org']).stdout).toMatch(
      /does not see .* others alone own "Acme"\.\nMake eve@example\.org an OWNER there/,
    )
    expect(run(['users', 'reset-password', 'ada@example.org'], '').stderr).toBe(
      'password: is missing: it is the first line of the standard input\n',
    )
    const reset = run(['users', 'reset-password', 'ada@example.org', '--json'], 'another password\n')
    expect(JSON.parse(reset.stdout)).toEqual({ id: entered.user.id, email: 'ada@example.org' })
    await expect(enters('correct horse battery')).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' })
    expect(await enters('another password')).toHaveProperty('session')
  })

  it('contacts are printed as CSV, page by page, also to a reader who leaves early', async () => {
    const long = 'x'.repeat(30_000)
    await withEngine(async ({ projects, contacts }) => {
      const { project } = await projects.caller(SECRET)
      for (const name of ['eve', 'dan', ...Array.from({ length: 20 }, (_, i) => `long${i}`)])
        await contacts.upsert(project, { email: `${name}@example.org`, subscribed: name !== 'dan', data: { long } })
    })
    const { status, stdout, stderr } = run(['export', '--subscribed', 'true', '--search', 'e'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const [head = '', ...rows] = stdout.trimEnd().split('\r\n')
    expect(head).toMatch(/^id,email,subscribed,/)
    expect(rows).toHaveLength(21)
    expect(rows[0]).toMatch(new RegExp(`,eve@example.org,true,.*,${long}$`))
    expect(await refusal(['export', '--filter', '{'])).toMatch(/^VALIDATION_ERROR/)
    const cut = spawnSync(
      'sh',
      ['-c', '"$@" | head -c 2; echo', 'sh', process.execPath, MAIN, 'export', '-c', configOf('one')],
      {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env.PATH ?? '', ...COMPILE_CACHE },
      },
    )
    expect(cut).toMatchObject({ stdout: 'id\n', stderr: '' })
  })

  it('a database is brought to this version, and what it waits for is told without that', async () => {
    const file = join(folder, 'new.db')
    writeFileSync(configOf('new'), JSON.stringify({ store: { use: 'sqlite', options: { file } } }))
    const made = run(['migrate', 'up', '--json'], '', 'new')
    expect(JSON.parse(made.stdout)).toEqual({
      store: `store-sqlite at ${file}`,
      ran: expect.arrayContaining(['0001-initial']),
    })
    const current = await ran(['migrate', 'status'], 'new')
    expect(current).toMatchObject({ status: 0, stdout: expect.stringContaining('The database is of this version.') })
    expect((await ran(['migrate', 'up'], 'new')).stdout).toMatch(/^Nothing waited\./)
    writeFileSync(file, '')
    const empty = await ran(['migrate', 'status', '--json'], 'new')
    expect({ status: empty.status, ...JSON.parse(empty.stdout) }).toMatchObject({
      status: 1,
      isCurrent: false,
      applied: [],
      pending: JSON.parse(made.stdout).ran,
    })
    expect(readFileSync(file, 'utf8')).toBe('')
  })

  it('the way of a mail is explained by the rules of the configuration alone', async () => {
    const transports = ['main', 'bulk'].map((name) => ({ name, use: 'outbox', options: { directory: name } }))
    const routes = [
      { when: { class: 'workflow' }, to: 'main' },
      { name: 'news', when: { class: 'campaign', senderDomain: '*.example.com' }, to: { bulk: 3, main: 1 } },
    ]
    writeFileSync(configOf('routes'), JSON.stringify({ transports, delivery: { routes, mayName: { bulk: true } } }))
    const asked = ['route', 'explain', '--from', 'A@News.example.com', '--to', 'b@example.org', '--class']
    expect(run([...asked, 'campaign'], '', 'routes')).toEqual({
      status: 0,
      stdout: [
        'Rule 2 (news) decides: class is campaign, senderDomain is news.example.com. It tries bulk, then main.',
        'Which is first depends on the mail: bulk for 75 %, main for 25 %.',
        'Rule 1 does not fit: class is campaign, not workflow.',
        '',
      ].join('\n'),
      stderr: '',
    })
    const simulated = asked.map((word) => (word === 'b@example.org' ? 'bounce@simulator.localhost' : word))
    expect((await ran([...simulated, 'campaign'], 'routes')).stdout).toBe(
      'It goes to the simulator, and leaves this server by no transport.\n',
    )
    expect((await ran([...asked, 'campaign', '--transport', 'bulk'], 'routes')).stdout).toBe(
      'Its request names bulk. It tries that alone, and waits while it cannot go there.\n',
    )
    expect((await ran([...asked, 'campaign', '--transport', 'main'], 'routes')).stdout).toMatch(
      /^Its request names main, which is not there, or which its project may not name: .*\nRule 2 \(news\) decides/,
    )
    expect(JSON.parse((await ran([...asked, 'transactional', '--json'], 'routes')).stdout)).toMatchObject({
      transports: ['main', 'bulk'],
      notFitting: [
        { number: 2, name: 'news', because: 'class is transactional, not campaign' },
        { number: 1, name: 'rule 1', because: 'class is transactional, not workflow' },
      ],
      more: 0,
    })
  })

  it('a project is named where there are several', async () => {
    expect(await refusal(['keys', 'list'], 'two')).toMatch(
      /^PROJECT_NOT_FOUND: There are several projects: .*\n[\w-]+ Acme\n[\w-]+ Beta$/,
    )
    expect(await refusal(['keys', 'list', '--project', 'Nope'], 'two')).toContain('There is no project Nope')
    expect(await refusal(['keys', 'revoke', 'x', '--project', 'Acme'], 'two')).toContain('There is no key x')
  })

  it.each([
    ['projects', 'list'],
    ['keys', 'list'],
    ['keys', 'revoke', 'x'],
    ['export'],
    ['rebuild-stats', '--check'],
    ['migrate', 'status'],
  ])('%s %s makes no database where there is none, and says where it looked', async (...args) => {
    const place = join(folder, 'none')
    expect(await refusal(args, 'none')).toContain(`CONFIG_INVALID: There is no database at ${place}`)
    expect(existsSync(place)).toBe(false)
  })

  it.each([
    [['users', 'create'], "missing required argument 'address'; npx mailwright users create --help shows it"],
    [['users', 'frob'], "unknown command 'frob'; npx mailwright users --help lists them"],
    [['users', 'create', 'a@b.example', '--port', '1'], "unknown option '--port'"],
    [['keys', 'create', 'x'], '--scope is missing'],
    [['keys', 'create', 'x', '--scope', 'all'], 'Allowed choices are send, track, read, full'],
    [['keys'], 'Usage: npx mailwright keys'],
    [['keys', 'creat', 'x'], 'Did you mean create?'],
    [['serve', 'more'], 'too many arguments'],
    [['--role', 'boss'], 'Allowed choices are all, api, worker'],
    [['-c'], 'argument missing'],
    [['send', '--body', 'x'], '--to is missing'],
    [['send', '--to', 'a@example.org', '--data', '[]'], 'must be an object in JSON'],
    [['send', 'campaign', 'June'], 'must be an id'],
    [['queue', 'pause'], 'name a campaign, or all'],
    [['queue', 'resume', ID, '--all'], 'name a campaign, or all'],
    [['queue', 'retry', ID, '--mail', ID], 'name a campaign, or a mail'],
  ])('%j is refused: %s', (args, problem) => {
    expect(readCommand(args)).toEqual({ kind: 'misused', problem: expect.stringContaining(problem) })
  })

  it.each([
    ['/usr/local/bin/mailwright', {}, 'mailwright'],
    ['/app/node_modules/.bin/mailwright', { npm_command: 'run-script', npm_package_name: 'shop' }, 'npx mailwright'],
    ['/clone/dist/server/bin.js', { npm_command: 'exec' }, 'npx mailwright'],
    ['/clone/dist/server/bin.js', { npm_lifecycle_event: 'start', npm_package_name: 'mailwright' }, 'npm start --'],
    [
      '/app/dist/server/bin.js',
      { npm_lifecycle_event: 'start', npm_package_name: 'shop' },
      'node /app/dist/server/bin.js',
    ],
    ['/app/dist/server/bin.js', {}, 'node /app/dist/server/bin.js'],
    ['/my apps/dist/server/bin.js', {}, 'node "/my apps/dist/server/bin.js"'],
    ['/shop/server.js', {}, 'npx mailwright'],
  ])('started as %s, with %j, it names itself %s', (path, env, name) => {
    expect(programName({ argv: ['node', path], env })).toBe(name)
  })

  it.each([
    ['export --all', '--out is missing'],
    ['export --all --out a.zip --search x', '--all: it takes all of the project'],
    ['export --out a.zip', 'need --all'],
    ['import a.zip --all --name A --project B', '--name is for a project that is made'],
    ['import a.zip --all --topic news', '--all: it takes --project, --name, --resume'],
    ['import a.csv --resume', 'need --all'],
    ['route explain --to a@example.org', '--from'],
    [`route explain --mail ${ID} --to a@example.org`, 'or describe one'],
    ['route explain --from a --to a@example.org', 'it has no @'],
    ['route explain --from a@example.org --to a@example.org --tag x', 'name=value'],
    ['import a.zip --all --name', 'argument missing'],
  ])('%s is misused', (line, problem) => {
    expect(readCommand(line.split(' '))).toMatchObject({ kind: 'misused', problem: expect.stringContaining(problem) })
  })

  it('every command has a help with examples that can be run, and without one it serves', () => {
    const helped = (path: readonly string[]): readonly string[] => {
      const asked = readCommand([...path, '--help'])
      const text = asked.kind === 'answer' ? asked.text : ''
      expect(text).toMatch(new RegExp(`^Usage: npx mailwright ?${path.join(' ')}.*\n\n\\S`))
      const [, examples = ''] = /\n\nExamples?:\n((?: {2}\$ npx mailwright.*\n){1,2})$/.exec(text) ?? []
      // an example that the program refuses helps no reader
      for (const example of examples.trim().split('\n')) expect(readCommand(wordsOf(example)).kind).toBe('run')
      const commands = text.split('Commands:\n')[1] ?? ''
      // a script reads each of the others
      if (commands === '' && !WITHOUT_JSON.has(path.join(' '))) expect(text, path.join(' ')).toContain('--json')
      const names = [...commands.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name)
      return names
        .filter((name) => name !== 'help')
        .flatMap((name) => [[...path, name].join(' '), ...helped([...path, name])])
    }
    expect(helped([])).toEqual([
      ...[
        'serve',
        'init',
        'check',
        'doctor',
        'route',
        'route explain',
        'migrate',
        'migrate status',
        'migrate up',
        'projects',
        'projects list',
        'projects enable',
        'projects disable',
        'keys',
        'keys list',
        'keys create',
        'keys revoke',
      ],
      ...[
        'users',
        'users create',
        'users setup-link',
        'users reset-password',
        ...['users trust', 'users distrust'],
        'send',
        'send campaign',
        'queue',
        'queue stats',
        'queue retry',
        'queue pause',
        'queue resume',
        ...['inboxes', 'inboxes list', 'inboxes follow'],
        ...['threads', 'threads list', 'threads show', 'threads answer', 'drafts', 'drafts list', 'drafts send'],
        ...['approvals', 'approvals list', 'approvals approve', 'approvals refuse'],
        ...['sandbox', 'sandbox list', 'sandbox wait', 'sandbox show', 'sandbox clear'],
        ...['domains', 'domains list', 'domains records', 'domains check'],
        ...['seeds', 'seeds list', 'seeds add', 'seeds remove', 'seeds test', 'seeds results'],
        'import',
        'bring-over',
        'bring-over plunk',
        'bring-over resend',
        'bring-over listmonk',
        'bring-over mailchimp',
        'bring-over brevo',
        'bring-over sendy',
        'bring-over keila',
        'bring-over mailerlite',
        'export',
        'backup',
        'restore',
        'copy',
        'rebuild-stats',
        'demo',
        'mcp',
        'plugin',
        'plugin new',
      ],
    ])
    expect(readCommand([])).toMatchObject({ kind: 'run', command: 'serve', options: { role: 'all' } })
    expect(readCommand(['--port', '0', '-c', 'a.json'])).toMatchObject({
      command: 'serve',
      options: { port: 0, config: 'a.json' },
    })
  })
})

describe('on the command line, with a running server', { timeout: 60_000 }, () => {
  let sink: SmtpSink
  let server: ServerProcess
  let place: string

  async function begin(): Promise<void> {
    sink = await startSmtpSink({ recipients: { 'bad@example.org': { code: 550, message: '5.7.1 no' } } })
    place = mkdtempSync(join(tmpdir(), 'mailwright-running-'))
    server = await startServerProcess(place, {
      store: { use: 'sqlite', options: { file: join(place, 'mail.db') } },
      transports: [{ use: 'smtp', options: { host: '127.0.0.1', port: sink.port } }],
      projects: PROJECTS,
      operator: { key: OPERATOR },
    })
  }

  anewOnRetry(begin, async () => {
    await server?.stop()
    await sink?.close()
    rmSync(place, { recursive: true, force: true })
  })

  /** The program, which asks the server, with these variables of its own. */
  function started(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const known = { PATH: process.env.PATH ?? '', ...COMPILE_CACHE, MAILWRIGHT_URL: server.url }
    return spawn(process.execPath, [MAIN, ...args], {
      cwd: place,
      env: { ...known, MAILWRIGHT_API_KEY: SECRET, ...env },
    })
  }

  async function ended(child: ReturnType<typeof started>) {
    const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    return { status, stdout, stderr }
  }

  /** The same as text is piped to it. */
  async function piped(args: readonly string[], input: string, env: Readonly<Record<string, string>> = {}) {
    const child = started(args, env)
    child.stdin.end(input)
    return ended(child)
  }

  /** The same without input, in this process. */
  function asked(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    process.chdir(place)
    vi.unstubAllEnvs()
    for (const [name, value] of Object.entries({ MAILWRIGHT_URL: server.url, MAILWRIGHT_API_KEY: SECRET, ...env }))
      vi.stubEnv(name, value)
    return within(args)
  }

  const folderOfTests = process.cwd()
  afterEach(() => {
    process.chdir(folderOfTests)
    vi.unstubAllEnvs()
  })

  async function campaign(name: string): Promise<string> {
    const body = { name, subject: name, body: '<p>Hello</p>', from: 'hello@example.com', audienceType: 'ALL' }
    const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }
    const made = await fetch(`${server.url}/campaigns`, { method: 'POST', headers, body: JSON.stringify(body) })
    return ((await made.json()) as { data: { id: string } }).data.id
  }

  async function call(method: string, path: string, json?: object) {
    const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const answer = await fetch(`${server.url}${path}`, { method, headers, ...body })
    expect(answer.status, path).toBeLessThan(300)
    return JSON.parse(await answer.text())
  }

  /** The contacts of campaigns, who are there already but where the server is a new one. */
  async function subscribed(): Promise<void> {
    for (const name of ['bad', 'grace'])
      await call('POST', '/contacts', { email: `${name}@example.org`, subscribed: true })
  }

  it('a mail is sent with the text of the standard input, and the same one only once', async () => {
    const whole = ['send', '--to', 'ada@example.org', '--from', 'hello@example.com', '--subject', 'Hi {{ name }}']
    const args = [...whole, '--data', '{"name":"Ada"}', '--idempotency-key', 'once', '--json']
    const first = await piped(args, '<p>Piped to {{ name }}</p>')
    expect(first).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(first.stdout).emails).toMatchObject([{ contact: { email: 'ada@example.org' } }])
    expect((await piped(args, '<p>Piped to {{ name }}</p>')).stdout).toBe(first.stdout)
    const [mail, ...more] = await sink.waitFor(1)
    expect(more).toEqual([])
    expect(String(mail?.raw)).toMatch(/^Subject: Hi Ada\r\n(?:.|\r|\n)*<p>Piped to(?: |=20)Ada/m)
  })

  it('contacts are imported, and every bad row is named', async () => {
    await call('POST', '/contacts', { email: 'ada@example.org', subscribed: false })
    writeFileSync(
      join(place, 'people.csv'),
      'email,name\nada@example.org,Ada\nnobody,N\nbad@example.org,B\ngrace@example.org,G\n',
    )
    const { stderr, ...rest } = await asked(['import', 'people.csv'])
    expect(rest).toEqual({ status: 1, stdout: '4 rows: 2 contacts made, 1 changed, 1 rows refused\n' })
    // how far it has come is said, too, when the machine is slow
    expect(stderr.replace(/^.*people\.csv {2}\d+ rows\/s.*\n/gm, '')).toBe(
      'row 3 (nobody): email: must be an e-mail address such as ada@example.com: it has no @\n',
    )
    const again = await piped(['import', '-', '--json'], 'email\nada@example.org\n')
    expect({ status: again.status, ...JSON.parse(again.stdout) }).toMatchObject({
      status: 0,
      state: 'completed',
      result: { updatedCount: 1, failureCount: 0 },
    })
    expect(await piped(['import', '-'], 'email\n"ada')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'The file cannot be read; nothing was imported. Row 2: a quote is opened and never closed.\n',
    })
    const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }
    await fetch(`${server.url}/topics`, { method: 'POST', headers, body: '{"name":"Offers"}' })
    const consent = ['--topic', 'offers', '--consent-text', 'Yes, offers.']
    expect(await piped(['import', '-', ...consent], 'email\nada@example.org\n')).toMatchObject({ status: 0 })
    const chosen = await fetch(`${server.url}/contacts/ada@example.org/topics`, { headers })
    expect(await chosen.json()).toMatchObject({ topics: [{ subscribed: true, text: 'Yes, offers.' }] })
    expect(await asked(['import', 'none.csv'])).toMatchObject({ status: 1, stderr: 'There is no file none.csv.\n' })
  })

  it('a campaign is sent to its end, and what failed of it is sent again', async () => {
    await subscribed()
    const id = await campaign('June')
    const sent = await asked(['send', 'campaign', id])
    expect(sent).toMatchObject({ status: 0, stdout: expect.stringMatching(/^"June" is SENT\n1 of 2 sent, 1 \w+\n/) })
    expect(sent.stderr).toMatch(/ 0 % {2}June {2}0 mails\/s {2}0 of 2\n/)
    expect(await asked(['send', 'campaign', id])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('"June" is SENT; it cannot be sent'),
    })
    const { failed } = JSON.parse((await asked(['queue', 'stats', '--json'])).stdout).project.mails
    const again = await asked(['queue', 'retry', id, '--json'])
    expect({ status: again.status, ...JSON.parse(again.stdout) }).toEqual({ status: 0, retried: failed })
    expect((await asked(['queue', 'retry', '--mail', id])).stderr).toBe(`There is no e-mail ${id}.\n`)
  })

  it('inboxes are listed, read, answered and followed, and a member decides on what an agent wrote', async () => {
    const call = async (path: string, json: object, headers: Record<string, string> = {}) => {
      const all = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json', ...headers }
      const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers: all, body: JSON.stringify(json) })
      expect(answer.status, path).toBeLessThan(300)
      // biome-ignore lint/suspicious/noExplicitAny: the bodies are of every shape
      return (await answer.json()) as any
    }
    const { id: inbox } = await call('/inboxes', { name: 'Help', address: 'help@example.com', approval: 'always' })
    expect(await asked(['threads', 'list', inbox])).toMatchObject({ status: 0, stdout: 'There is no conversation.\n' })
    const following = started(['inboxes', 'follow', inbox, '--after', '0'])
    const followed = ended(following)
    const subject = 'Hi \u001b[2J\u202Eadbc'
    const draft = await call(`/inboxes/${inbox}/drafts`, { to: ['bob@example.org'], subject, body: '<p>Hello</p>' })
    const waits = await asked(['drafts', 'send', draft.id])
    expect(waits.stdout).toMatch(/ waiting {2}Hi /)
    const { id: other } = await call(`/inboxes/${inbox}/drafts`, { to: ['bob@example.org'], subject: 'No', body: 'x' })
    await asked(['drafts', 'send', other])
    expect((await asked(['approvals', 'list'])).stdout).toContain(draft.id)
    const login = { email: 'eve@example.org', password: 'long enough' }
    await fetch(`${server.url}/auth/signup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...login, secretKey: SECRET }),
    })
    const as = ['--as', login.email]
    expect(await piped(['approvals', 'approve', draft.id, ...as], 'wrong\n')).toMatchObject({
      status: 77,
      stdout: '',
    })
    const approved = await piped(['approvals', 'approve', draft.id, ...as, '--json'], `${login.password}\n`)
    expect(approved.stderr).toBe('')
    const { status, decidedBy, threadId } = JSON.parse(approved.stdout)
    expect({ status, decidedBy }).toEqual({ status: 'sent', decidedBy: login.email })
    const refused = await piped(['approvals', 'refuse', other, ...as, '--words', 'Say why.'], `${login.password}\n`)
    expect(refused.stdout).toContain(' refused ')
    expect((await asked(['drafts', 'list', inbox])).stdout).toContain(' refused ')

    const listed = await asked(['threads', 'list', inbox, '--folder', 'sent'])
    // what others write moves no terminal
    expect(listed.stdout).toContain('Hi �[2J�adbc')
    expect((await asked(['threads', 'show', threadId])).stdout).toMatch(/help@example\.com to bob@example\.org\n/)
    const left = await piped(['threads', 'answer', threadId, '--draft', '--json'], '<p>More</p>')
    expect(JSON.parse(left.stdout)).toMatchObject({ kind: 'reply', body: '<p>More</p>', status: 'open' })
    expect(await asked(['threads', 'show', inbox])).toMatchObject({ status: 1, stdout: '' })
    expect((await asked(['inboxes', 'list'])).stdout).toBe(`${inbox}  help@example.com  Help  0 unread\n`)
    following.kill('SIGINT')
    const { stdout } = await followed
    for (const name of ['waiting', 'approved', 'sent', 'refused']) expect(stdout).toContain(`inbox.draft.${name}`)
  })

  it('caught mail is waited for, listed, shown and cleared', async () => {
    const { projectId } = await call('GET', '/keys/@me')
    const { key } = await call('POST', `/projects/${projectId}/keys`, { name: 'tests', kind: 'secret', test: true })
    const env = { MAILWRIGHT_API_KEY: key }
    expect(await asked(['sandbox', 'wait', '--to', 'ci@example.org', '--seconds', '1'], env)).toEqual({
      status: 1,
      stdout: '',
      stderr: 'No mail to ci@example.org was caught within one second.\n',
    })
    const waiting = asked(['sandbox', 'wait', '--to', 'ci@example.org', '--json'], env)
    const send = ['send', '--to', 'ci@example.org', '--from', 'hello@example.com', '--subject', 'Your code']
    await asked([...send, '--body', '<p>Code: 482913</p><p><a href="https://acme.example/in">In</a></p>'], env)
    const { id, code } = JSON.parse((await waiting).stdout)
    expect(code).toBe('482913')
    expect((await asked(['sandbox', 'list'], env)).stdout).toMatch(
      new RegExp(`^${id} {2}\\S+ {2}ci@example.org {2}Your code {2}code 482913\n$`),
    )
    const { stdout } = await asked(['sandbox', 'show', id], env)
    expect(stdout).toMatch(/^Subject: Your code$/m)
    expect(stdout).toMatch(/\nhttps:\/\/acme\.example\/in\n$/)
    const cleared = { status: 0, stdout: 'One mail was cleared.\n' }
    expect(await asked(['sandbox', 'clear', id], env)).toMatchObject(cleared)
    expect(await asked(['sandbox', 'list'], env)).toMatchObject({ status: 0, stdout: 'There is no caught mail.\n' })
    expect((await asked(['sandbox', 'clear', id], env)).status).toBe(1)
    expect(await asked(['sandbox', 'clear', '--json'], env)).toMatchObject({ stdout: '{"cleared":0}\n' })
    expect(await asked(['sandbox', 'list', '--since', 'yesterday'], env)).toMatchObject({ stdout: '' })
  })

  it('domains are listed with their records and checked, and mailboxes of the seed list tried', async () => {
    const { id } = await call('POST', '/domains', { domain: 'bücher.example' })
    const add = ['seeds', 'add', 'acme@mail.example', '--host', 'imap.mail.example']
    const [listed, records, checked, foreign, added, mailboxes, minutes] = await Promise.all([
      asked(['domains', 'list']),
      asked(['domains', 'records', 'xn--bcher-kva.example']),
      asked(['domains', 'check', id, '--json']),
      asked(['domains', 'check', 'other.example']),
      piped(add, 'a password\n'),
      asked(['seeds', 'list']),
      asked(['seeds', 'test', id, '--minutes', '0']),
    ])
    expect(listed.stdout).toBe(`${id}  bücher.example  PENDING\n`)
    expect(records.stdout).toMatch(/^PENDING {2}TXT {2}_dmarc\.xn--bcher-kva\.example {2}v=DMARC1; p=none$/m)
    expect(checked.status).toBe(1)
    expect(JSON.parse(checked.stdout)).toMatchObject({ id, verified: false })
    const problem = 'There is no domain other.example in this project'
    expect(foreign).toMatchObject({ status: 1, stderr: expect.stringContaining(problem) })
    expect(added).toMatchObject({ status: 1, stderr: expect.stringMatching(/^host: /) })
    expect(mailboxes).toMatchObject({ status: 0, stdout: 'There is no mailbox.\n' })
    expect(minutes.stderr).toContain('whole number, 1 to 120')
  })

  it('refusals end with the exit code of their reason, and those about what was asked are not blamed on the key', async () => {
    const mail = ['send', '--to', 'ada@example.org', '--subject', 'Hi', '--body', 'x', '--from']
    const nowhere = `http://127.0.0.1:${await freePort()}`
    expect(await asked([...mail, 'a@other.example'])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/not verified/),
    })
    expect(await asked([...mail, 'nobody'])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^from: must be [^\n]*\n$/),
    })
    expect(await asked([...mail, 'a@example.com'], { MAILWRIGHT_API_KEY: `${SECRET}x` })).toMatchObject({ status: 77 })
    expect(await asked([...mail, 'a@example.com'], { MAILWRIGHT_API_KEY: '' })).toMatchObject({ status: 78 })
    const bare = await asked([...mail, 'a@example.com'], { MAILWRIGHT_API_KEY: '', MAILWRIGHT_URL: '' })
    expect(bare).toMatchObject({
      status: 78,
      stderr: expect.stringMatching(/MAILWRIGHT_URL\.\n.*MAILWRIGHT_API_KEY is missing/),
    })
    expect(await asked([...mail, 'a@example.com', '--url', nowhere])).toMatchObject({ status: 69 })
    expect(await asked(['queue', 'stats'], { OPERATOR_KEY: 'wrong' })).toMatchObject({ status: 77, stdout: '' })
  })

  it('a row that is too large is refused before it is sent, and waiting for a server that is away can be interrupted', async () => {
    const large = await piped(['import', '-'], `email\n${'x'.repeat(5 * 1024 * 1024)}`)
    expect(large).toMatchObject({ status: 1, stderr: expect.stringMatching(/Row 2 has more than 5 MB/) })
    const call = () => Promise.reject(new TypeError('fetch failed'))
    expect(await patiently(call, AbortSignal.timeout(50))).toBeUndefined()
  })

  it('a campaign goes on when its watching is interrupted, is counted, held and let go on', async () => {
    await subscribed()
    await sink.close()
    const id = await campaign('July')
    const watching = started(['send', 'campaign', id])
    const end = ended(watching)
    await once(watching.stderr, 'data')
    watching.kill('SIGINT')
    const { status, stdout, stderr } = await end
    expect({ status, stdout }).toEqual({ status: 130, stdout: expect.stringMatching(/^"July" is SENDING\n/) })
    expect(stderr).toContain(`\`npx mailwright queue pause ${id}\` holds it`)
    const stats = async () => JSON.parse((await asked(['queue', 'stats', '--json'], { OPERATOR_KEY: OPERATOR })).stdout)
    // in one answer: between two, mails may be on their way, and come back since there is no next hop
    const waits = {
      installation: { queues: expect.arrayContaining([expect.objectContaining({ queue: 'campaign', waiting: 2 })]) },
      project: { campaigns: [{ id, status: 'SENDING', waiting: 2, sent: 0 }] },
    }
    await expect.poll(stats).toMatchObject(waits)
    const withoutKey = await asked(['queue', 'stats'], { OPERATOR_KEY: OPERATOR, MAILWRIGHT_API_KEY: '' })
    expect(withoutKey).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^queue +waiting +due +oldest\ntransactional +0 +0 +-\n/),
    })
    const held = await asked(['queue', 'pause', '--all'])
    expect(held).toMatchObject({ status: 0, stdout: `${id}  "July" is PAUSED; 2 mails wait\n` })
    expect(await asked(['queue', 'pause', '--all'])).toMatchObject({
      status: 0,
      stdout: 'No campaign is being sent.\n',
    })
    expect(await asked(['queue', 'pause', id])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/is PAUSED; it cannot be paused/),
    })
    expect((await asked(['queue', 'resume', id])).stdout).toBe(`${id}  "July" is SENDING; 2 mails wait\n`)
  })

  it('contacts of a file of more than 5 MB are imported in parts, with one type for each column of the whole', async () => {
    const long = 'x'.repeat(2000)
    const rows = Array.from({ length: 3_000 }, (_, i) => `Person ${i} <big${i}@example.org>,${i + 1},${long}`)
    rows.push('', 'last@example.org,007,"a ""quoted"" one\r\n in lines"', 'nobody,1,x')
    writeFileSync(join(place, 'big.csv'), `sep=,\r\nWho,No.,Long Text\r\n${rows.join('\r\n')}`)
    const args = ['import', 'big.csv', '--json', '--columns', '{"Who":"email"}']
    const { status, stdout, stderr } = await asked(args)
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'completed',
      result: {
        ...{ totalRows: 3002, createdCount: 3001, failureCount: 1, encoding: 'utf-8' },
        columns: [{ key: 'email' }, { key: 'no', type: 'string' }, { key: 'longText' }],
        errors: [{ row: 3004, email: 'nobody' }],
      },
    })
    const headers = { authorization: `Bearer ${SECRET}` }
    const find = async (email: string) => {
      const answer = await fetch(`${server.url}/contacts?search=${email}`, { headers })
      return ((await answer.json()) as { data: { data: object }[] }).data[0]?.data
    }
    expect(await find('big7@example.org')).toEqual({ no: '8', longText: long })
    expect(await find('last@example.org')).toEqual({ no: '007', longText: 'a "quoted" one\r\n in lines' })
    writeFileSync(join(place, 'broken.csv'), `email,a\n${`x@example.org,${long}\n`.repeat(3_000)}"y`)
    expect(await asked(['import', 'broken.csv'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('nothing was imported. Row 3002: a quote'),
    })
  })
})

/** The arguments of an example, as a shell gives them to the program. */
function wordsOf(example: string): readonly string[] {
  const [command = ''] = example.replace(/'[^']*'/g, (quoted) => quoted.replaceAll(/[|<>]/g, '')).split(/ [|<>] /)
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain)
  return words.slice(words.indexOf('mailwright') + 1)
}
