import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine, silentLog } from '../../config/library.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { readCommand } from '../../server/command-line.ts'
import { COMPILE_CACHE, MAIN } from '../support/server-process.ts'

const SECRET = `sk_${'c'.repeat(48)}`

let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-commands-'))
  const store = { use: 'sqlite', options: { file: join(folder, 'mail.db') } }
  writeFileSync(configOf('one'), JSON.stringify({ store, projects: [{ name: 'Acme', secretKey: SECRET }] }))
  writeFileSync(configOf('two'), JSON.stringify({ store, projects: [{ name: 'Acme' }, { name: 'Beta' }] }))
  const none = { use: 'sqlite', options: { file: join(folder, 'none', 'mail.db') } }
  writeFileSync(configOf('none'), JSON.stringify({ store: none, projects: [{ name: 'Acme' }] }))
  await withEngine(async () => {})
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

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

/** Does what the command line says in this process, which is quicker, for what it refuses. */
async function refusal(args: readonly string[], config = 'one'): Promise<string> {
  const asked = readCommand([...args, '--config', configOf(config)])
  if (asked.kind !== 'run') throw new Error(`it cannot be read: ${JSON.stringify(asked)}`)
  return asked.run().then(
    (exitCode) => `it ended with ${exitCode}`,
    (error) => `${error.code}: ${error.message}`,
  )
}

async function withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await createEngine({ store: sqlite({ file: join(folder, 'mail.db') }), log: silentLog })
  try {
    return await work(engine)
  } finally {
    await engine.stop()
  }
}

describe('on the command line', { timeout: 60_000 }, () => {
  it('keys are made, listed and revoked, and nothing but the key is on the standard output', async () => {
    const [project, ...others] = JSON.parse(run(['projects', 'list', '--json']).stdout)
    expect(project).toMatchObject({ name: 'Acme', disabled: false })
    expect(others).toEqual([])
    const made = run(['keys', 'create', 'agent', '--scope', 'read', 'send', '--expires', '2099-01-01'])
    expect(made).toMatchObject({ status: 0, stdout: expect.stringMatching(/^sk_\w+\n$/) })
    const key = made.stdout.trim()
    const { id, ...caller } = await withEngine(async ({ projects, apiKeys }) => {
      const { project, ...caller } = await projects.caller(key)
      const [first] = await apiKeys.list(project)
      return { id: first?.id ?? '', ...caller }
    })
    expect(caller).toMatchObject({ kind: 'secret', scopes: ['send', 'read'] })
    const [head, first] = run(['keys', 'list']).stdout.split('\n')
    expect(head).toMatch(/^id +name +kind +prefix +scopes +lastUsedAt +expiresAt$/)
    expect(first).toMatch(new RegExp(`^${id}  agent   secret  ${key.slice(0, 8)} .* 2099-01-01T00:00:00.000Z$`))
    expect(run(['keys', 'revoke', id])).toMatchObject({ status: 0, stdout: `Key ${id} is revoked.\n` })
    await expect(withEngine(({ projects }) => projects.caller(key))).rejects.toThrow('not valid')
    expect(await refusal(['keys', 'revoke', id])).toMatch(/^KEY_NOT_FOUND/)
    expect(await refusal(['keys', 'create', 'late', '--public', '--expires', '2001-01-01'])).toMatch(
      /^VALIDATION_ERROR/,
    )
  })

  it('users are made with the password on the standard input, and get another one only when they are there', async () => {
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
    expect(entered).toHaveProperty('session')
    expect(entered.user.verifiedAt).toBeDefined()
    expect(run(['users', 'reset-password', 'bob@example.org'], 'long enough\n')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'There is no user bob@example.org.\n',
    })
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
    const current = run(['migrate', 'status'], '', 'new')
    expect(current).toMatchObject({ status: 0, stdout: expect.stringContaining('The database is of this version.') })
    expect(run(['migrate', 'up'], '', 'new').stdout).toMatch(/^Nothing waited\./)
    writeFileSync(file, '')
    const empty = run(['migrate', 'status', '--json'], '', 'new')
    expect({ status: empty.status, ...JSON.parse(empty.stdout) }).toMatchObject({
      status: 1,
      isCurrent: false,
      applied: [],
      pending: JSON.parse(made.stdout).ran,
    })
    expect(readFileSync(file, 'utf8')).toBe('')
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
    [['users', 'create'], "missing required argument 'address'"],
    [['users', 'create', 'a@b.example', '--port', '1'], "unknown option '--port'"],
    [['keys', 'create', 'x'], '--scope is missing'],
    [['keys', 'create', 'x', '--scope', 'all'], 'Allowed choices are send, track, read, full'],
    [['keys'], 'Usage: mailwright keys'],
    [['keys', 'creat', 'x'], 'Did you mean create?'],
    [['serve', 'more'], 'too many arguments'],
    [['--role', 'boss'], 'Allowed choices are all, api, worker'],
    [['-c'], 'argument missing'],
  ])('%j is refused: %s', (args, problem) => {
    expect(readCommand(args)).toEqual({ kind: 'misused', problem: expect.stringContaining(problem) })
  })

  it('every command has a help, and without one it serves', () => {
    const helped = (path: readonly string[]): readonly string[] => {
      const asked = readCommand([...path, '--help'])
      const text = asked.kind === 'answer' ? asked.text : ''
      expect(text).toMatch(new RegExp(`^Usage: mailwright ?${path.join(' ')}.*\n\n\\S`))
      const commands = text.split('Commands:\n')[1] ?? ''
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
        'migrate',
        'migrate status',
        'migrate up',
        'projects',
        'projects list',
        'keys',
        'keys list',
        'keys create',
        'keys revoke',
      ],
      ...[
        'users',
        'users create',
        'users reset-password',
        'export',
        'backup',
        'restore',
        'copy',
        'rebuild-stats',
        'mcp',
      ],
    ])
    expect(readCommand([])).toMatchObject({ kind: 'run', command: 'serve', options: { role: 'all' } })
    expect(readCommand(['--port', '0', '-c', 'a.json'])).toMatchObject({
      command: 'serve',
      options: { port: 0, config: 'a.json' },
    })
  })
})
