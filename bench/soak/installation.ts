import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { type Postgres, startPostgres } from '../../test/support/postgres.ts'
import { type ServerProcess, startServer } from '../server-process.ts'

/** Connections of each process to the next hop: so many mails may be in flight when it dies. */
const CONNECTIONS = 5
export const SECRET = `sk_${'s'.repeat(48)}`
/** How large the file system is that gets full, in bytes. */
const DISK_BYTES = 1024 ** 3

/** Something that goes wrong, and is over when it resolves. */
export interface Fault {
  readonly what: string
  /** When, as a share of the whole time. */
  readonly at: number
  happen(): Promise<void>
  /** By how much it may add to the mails that are sent twice. */
  readonly mayRepeat: number
}

/** Mailwright as it is installed on one store. */
export interface Installation {
  readonly name: string
  /** Where its API is just now. */
  readonly url: string
  /** Its processes just now, by name. */
  readonly pids: ReadonlyMap<string, number>
  /** How many connections its processes have to the next hop: so many mails may be in flight. */
  readonly connections: number
  /** The faults of its own parts. */
  readonly faults: readonly Fault[]
  /** How many rows each table has. */
  rowCounts(): Promise<ReadonlyMap<string, number>>
  /** Ends its processes as an operator does. Answers the folder of one of them, with its config. */
  stop(): Promise<string>
  remove(): Promise<void>
}

function configFor(store: object, port: number): object {
  const options = { host: '127.0.0.1', port, maxConnections: CONNECTIONS }
  return {
    store,
    projects: [{ name: 'Soak', secretKey: SECRET, trustedDomains: ['example.com'] }],
    limits: { requestsPerMinute: 10_000_000 },
    egress: { allow: ['127.0.0.1'] },
    delivery: { sendTimeout: 10, retryDelays: [2, 5, 10, 20, 30] },
    transports: [{ use: 'smtp', options }],
    log: { level: 'error' },
  }
}

/** One process on SQLite, on a separate small file system if this user may mount one. */
export async function onSqlite(port: number, downMs: number): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-soak-'))
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder])
  const isMounted = mount.status === 0
  const config = configFor({ use: 'sqlite', options: { file: 'mail.db' } }, port)
  let server: ServerProcess = await startServer({ folder, config })
  const killed: Fault = {
    what: 'SIGKILL of the server',
    at: 0.15,
    mayRepeat: CONNECTIONS,
    async happen() {
      await server.kill()
      server = await startServer({ folder, config })
    },
  }
  const full: Fault = {
    what: `the disk is full for ${downMs / 1000} s`,
    at: 0.62,
    // a result that could not be written is tried again
    mayRepeat: CONNECTIONS,
    async happen() {
      const filler = join(folder, 'filler')
      const { bavail, bsize } = statfsSync(folder)
      spawnSync('fallocate', ['-l', String(bavail * bsize), filler])
      if (!existsSync(filler)) throw new Error('the disk could not be filled')
      await new Promise((resolve) => setTimeout(resolve, downMs))
      rmSync(filler)
    },
  }
  if (!isMounted) console.log('the disk is not filled: this user may not mount a file system (run it as root)')
  return {
    name: 'SQLite',
    connections: CONNECTIONS,
    get url() {
      return server.url
    },
    get pids() {
      return new Map([['server', server.pid]])
    },
    faults: [killed, { ...killed, at: 0.3 }, ...(isMounted ? [full] : [])],
    async rowCounts() {
      const database = new DatabaseSync(join(folder, 'mail.db'), { readOnly: true })
      const names = database.prepare(`select name from sqlite_master where type = 'table'`).all()
      const tables = names.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'))
      const counts = tables.map((name) => database.prepare(`select count(*) as n from "${name}"`).get()?.n)
      database.close()
      return new Map(tables.map((name, i) => [name, Number(counts[i])]))
    },
    async stop() {
      await server.stop()
      return folder
    },
    async remove() {
      if (isMounted) spawnSync('umount', [folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A process that serves the API and two workers on PostgreSQL. */
export async function onPostgres(port: number): Promise<Installation> {
  const postgres: Postgres = await startPostgres({ own: true, durable: true })
  const url = await postgres.database()
  const config = configFor({ use: 'postgres', options: { url } }, port)
  const start = (role: string) =>
    startServer({ config, server: { publicUrl: 'https://mail.example.com' }, args: ['--role', role] })
  const api = await start('api')
  const workers = [await start('worker'), await start('worker')]
  let died = 0
  const folders = [api, ...workers].map(({ folder }) => folder)
  const killed: Fault = {
    what: 'SIGKILL of a worker',
    at: 0.15,
    mayRepeat: CONNECTIONS,
    async happen() {
      await workers.shift()?.kill()
      died++
      const worker = await start('worker')
      folders.push(worker.folder)
      workers.push(worker)
    },
  }
  const restarted: Fault = {
    what: 'PostgreSQL is stopped and started',
    at: 0.3,
    mayRepeat: 2 * CONNECTIONS,
    happen: () => postgres.restart(async () => void (await new Promise((resolve) => setTimeout(resolve, 5_000)))),
  }
  return {
    name: 'PostgreSQL',
    connections: 2 * CONNECTIONS,
    url: api.url,
    get pids() {
      return new Map([['api', api.pid], ...workers.map(({ pid }, i) => [`worker ${died + i + 1}`, pid] as const)])
    },
    faults: [killed, restarted],
    async rowCounts() {
      const client = new Client({ connectionString: url })
      await client.connect()
      const names = await client.query(`select relname as name from pg_class where relkind = 'r'
        and relnamespace = 'mailwright'::regnamespace`)
      const counts = new Map<string, number>()
      for (const { name } of names.rows) {
        const { rows } = await client.query(`select count(*) as n from "${name}"`)
        counts.set(name, Number(rows[0].n))
      }
      await client.end()
      return counts
    },
    async stop() {
      await Promise.all([api, ...workers].map((server) => server.stop()))
      writeFileSync(join(api.folder, 'mailwright.config.json'), JSON.stringify(config))
      return api.folder
    },
    async remove() {
      await postgres.stop()
      for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    },
  }
}
