// node test/upgrades/make.ts REF NAME: makes NAME.sqlite.gz, NAME.sql.gz and NAME.json of the program at a commit or tag.
// Needs git and pg_dump (of PostgreSQL 15 or newer, with its server), and the packages of this commit.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { SMTPServer } from 'smtp-server'

const [ref = '', name = ''] = process.argv.slice(2)
if (!ref || !name)
  throw new Error('say which commit, and what the files are called: node test/upgrades/make.ts v0.1.0 0.1.0')
const SECRET = `sk_${'u'.repeat(48)}`
const PEOPLE = 12
const here = resolve(import.meta.dirname)
const folder = mkdtempSync(join(tmpdir(), 'mailwright-upgrade-'))
const sources = join(folder, 'sources')
const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: sources, encoding: 'utf8' })

execFileSync('git', ['worktree', 'add', '--detach', sources, ref], { cwd: here, stdio: 'ignore' })
try {
  symlinkSync(resolve(here, '../../node_modules'), join(sources, 'node_modules'))
  run('npm', 'run', '--silent', 'build')
  const file = join(folder, 'mail.db')
  const facts = await filled({ use: 'sqlite', options: { file } })
  const database = new DatabaseSync(file)
  database.exec(`pragma wal_checkpoint(truncate); vacuum into '${join(folder, 'whole.db')}'`)
  database.close()
  writeFileSync(join(here, `${name}.sqlite.gz`), gzipSync(readFileSync(join(folder, 'whole.db')), { level: 9 }))
  const postgres = await startPostgres()
  try {
    const same = await filled({ use: 'postgres', options: { url: postgres.url } })
    const dump = execFileSync('pg_dump', ['--inserts', '--no-owner', '--no-privileges', postgres.url], {
      maxBuffer: 1e8,
    })
    // lines for psql are no SQL
    const sql = dump.toString().replace(/^\\.*$/gm, '')
    writeFileSync(join(here, `${name}.sql.gz`), gzipSync(sql, { level: 9 }))
    const commit = run('git', 'rev-parse', '--short', 'HEAD').trim()
    writeFileSync(join(here, `${name}.json`), `${JSON.stringify({ commit, sqlite: facts, postgres: same }, null, 2)}\n`)
  } finally {
    postgres.stop()
  }
} finally {
  execFileSync('git', ['worktree', 'remove', '--force', sources], { cwd: here })
  rmSync(folder, { recursive: true, force: true })
}

/** Uses a server of the old version for a while, and ends it at once while mail waits. Answers what must be found again. */
async function filled(store: object): Promise<object> {
  const sunk: string[] = []
  const sink = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, callback) => {
      stream.resume()
      stream.on('end', () => {
        sunk.push(...session.envelope.rcptTo.map(({ address }) => address))
        callback()
      })
    },
  })
  const [sinkPort, port] = [await freePort(), await freePort()]
  await new Promise<void>((done) => sink.listen(sinkPort, '127.0.0.1', done))
  const config = {
    server: { port, publicUrl: 'https://mail.shop.example' },
    store,
    transports: [{ use: 'smtp', options: { host: '127.0.0.1', port: sinkPort } }],
    projects: [{ name: 'Shop', secretKey: SECRET, trustedDomains: ['shop.example'] }],
    tracking: { emitRepeats: true },
    log: { level: 'warn' },
  }
  const place = mkdtempSync(join(folder, 'server-'))
  writeFileSync(join(place, 'mailwright.config.json'), JSON.stringify(config))
  const server = spawn(process.execPath, [join(sources, 'dist/server/main.js')], { cwd: place, stdio: 'inherit' })
  try {
    const ask = asking(`http://127.0.0.1:${port}`)
    await ask.live(server)
    await used(ask, sunk)
    // nothing is handed over any more, so that nothing is under way at the end
    await new Promise<void>((done) => sink.close(done))
    return { ...(await interrupted(ask)), at: new Date() }
  } finally {
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
}

/** Contacts, templates, segments, mails of every kind that arrive, openings, clicks, events and workflows. */
async function used(ask: Asking, sunk: readonly string[]): Promise<void> {
  for (let i = 0; i < PEOPLE; i++) {
    const data = { plan: i % 2 === 0 ? 'pro' : 'free', place: `Straße ${i}` }
    await ask('POST', '/contacts', { email: `person${i}@example.org`, subscribed: i !== 5, data })
  }
  const template = await ask('POST', '/templates', {
    name: 'Receipt',
    subject: 'Receipt for {{ plan }}',
    body: '<p>Thanks, see <a href="https://shop.example/orders">your orders</a></p>',
    from: 'hello@shop.example',
    type: 'TRANSACTIONAL',
  })
  const templateId = idOf(template)
  await ask('POST', '/segments', {
    name: 'Pro',
    type: 'DYNAMIC',
    filters: { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] },
  })
  await ask('POST', '/v1/send', { to: 'person0@example.org', template: templateId })
  for (let i = 1; i < 4; i++) await ask('POST', '/v1/send', mailTo(i))
  await ask('POST', '/v1/track', { email: 'person1@example.org', event: 'signed-up', data: { from: 'ad' } })
  const workflow = await ask('POST', '/workflows', { name: 'Thanks', eventName: 'paid' })
  const { id, steps } = workflow as { id: string; steps: readonly { id: string }[] }
  const delay = await ask('POST', `/workflows/${id}/steps`, {
    ...{ afterStepId: steps[0]?.id, type: 'DELAY', config: { amount: 1, unit: 'hours' } },
  })
  await ask('POST', `/workflows/${id}/steps`, {
    ...{ afterStepId: idOf(delay), type: 'SEND_EMAIL', templateId, config: { templateId } },
  })
  await ask('PATCH', `/workflows/${id}`, { enabled: true })
  await ask('POST', '/v1/track', { email: 'person2@example.org', event: 'paid', data: { amount: 3 } })
  const done = await campaign(ask, 'Spring')
  await until(async () => ((await ask('GET', `/campaigns/${done}`)) as { status: string }).status === 'SENT')
  if (sunk.length !== 4 + PEOPLE - 1) throw new Error(`${sunk.length} mails arrived`)
}

/** Mails that wait, and a campaign in the middle. */
async function interrupted(ask: Asking): Promise<object> {
  for (let i = 4; i < 7; i++) await ask('POST', '/v1/send', mailTo(i))
  const held = await campaign(ask, 'Summer')
  const waiting = 3 + PEOPLE - 1
  await until(async () => {
    const { data } = (await ask('GET', '/emails?status=QUEUED&limit=100')) as { data: readonly { error: unknown }[] }
    // each was tried once, in vain, and is tried again in a minute
    return data.length === waiting && data.every(({ error }) => error !== null)
  })
  const { total } = (await ask('GET', '/contacts')) as { total: number }
  return { contacts: total, campaign: held, waiting }
}

function mailTo(i: number): object {
  return {
    to: `person${i}@example.org`,
    from: 'hello@shop.example',
    subject: `Order ${i}`,
    body: '<p>It is on its way: <a href="https://shop.example/track">track it</a></p>',
  }
}

async function campaign(ask: Asking, name: string): Promise<string> {
  const made = await ask('POST', '/campaigns', {
    ...{ name, subject: `${name} sale`, body: '<p>Dear {{ email }}, <a href="https://shop.example/sale">look</a></p>' },
    ...{ from: 'news@shop.example', audienceType: 'ALL' },
  })
  const id = idOf((made as { data?: unknown }).data ?? made)
  await ask('POST', `/campaigns/${id}/send`)
  return id
}

function idOf(made: unknown): string {
  return (made as { id: string }).id
}

interface Asking {
  (method: string, path: string, body?: unknown): Promise<unknown>
  live(server: ChildProcess): Promise<void>
}

function asking(url: string): Asking {
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }
    const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  const live = (server: ChildProcess) =>
    until(async () => {
      if (server.exitCode !== null) throw new Error('the server ended')
      return fetch(`${url}/health/live`).then(
        ({ ok }) => ok,
        () => false,
      )
    })
  return Object.assign(ask, { live })
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('it took longer than a minute')
    await pause(50)
  }
}

/** The server beside pg_dump, which refuses a newer one. */
async function startPostgres(): Promise<{ readonly url: string; stop(): void }> {
  const binaries = execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim()
  const data = join(folder, 'postgres', 'data')
  const port = await freePort()
  // it does not run as root
  const isRoot = process.getuid?.() === 0
  const postgres = (program: string, ...args: string[]) => {
    const line = [...(isRoot ? ['runuser', '-u', 'postgres', '--'] : []), join(binaries, program), '-D', data, ...args]
    execFileSync(line[0] ?? '', line.slice(1), { stdio: 'ignore' })
  }
  if (isRoot) chmodSync(folder, 0o711)
  mkdirSync(join(folder, 'postgres'))
  chmodSync(join(folder, 'postgres'), 0o777)
  postgres('initdb', '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C')
  postgres('pg_ctl', '-w', '-o', `-p ${port} -k ${join(folder, 'postgres')}`, 'start')
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () => postgres('pg_ctl', '-m', 'fast', 'stop'),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}
