import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { postgresQueue } from '../plugins/queue-postgres/index.ts'
import { postgres } from '../plugins/store-postgres/index.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { fillRecipients } from './campaign-contacts.ts'
import { cpuSeconds, PROJECTS } from './campaign-run.ts'

/**
 * Gives `work` a database with this many contacts, on a PostgreSQL of its own (`fsync` on) that counts its statements.
 */
export async function onCountedPostgres<T>(recipients: number, work: (url: string) => Promise<T>): Promise<T> {
  const server = await startPostgres({ own: true, durable: true })
  try {
    await asked(server.url, `alter system set shared_preload_libraries = 'pg_stat_statements'`)
    await server.restart()
    const url = await server.database()
    await asked(url, 'create extension pg_stat_statements schema public')
    await fillRecipients({ store: postgres({ url }), queue: postgresQueue({ url }) }, PROJECTS, recipients)
    return await work(url)
  } finally {
    await server.stop()
  }
}

/** A row of a statement's answer. */
export type Counted = Readonly<Record<string, unknown>>

/** Of this database alone, without what asks for them; the time is that of the execution. */
export const STATEMENTS = `select "query", "calls", "rows", "total_exec_time" + "total_plan_time" as "ms" from pg_stat_statements
  where "dbid" = (select "oid" from pg_database where "datname" = current_database()) and "query" not like '%pg_stat_statements%'
  order by "ms" desc`

/** Runs a statement on a connection of its own. */
export async function asked(url: string, sql: string): Promise<readonly Counted[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** The process that starts all others of PostgreSQL: that of the log or the checkpoints has it as its parent. */
export async function postmaster(url: string): Promise<number> {
  const [row] = await asked(url, `select "pid" from pg_stat_activity where "backend_type" = 'checkpointer'`)
  return statOf(Number(row?.pid))[1] ?? 0
}

/** The CPU time of this process, its children, and those that have ended, in seconds. */
export function treeSeconds(root: number): number {
  const children = readFileSync(`/proc/${root}/task/${root}/children`, 'utf8').trim().split(' ').map(Number)
  const [, , , , , , , , , , , user = 0, system = 0, ofEnded = 0, systemOfEnded = 0] = statOf(root)
  // one that has just ended counts with those
  const running = children.map(cpuSeconds).filter((seconds) => !Number.isNaN(seconds))
  return (user + system + ofEnded + systemOfEnded) / 100 + running.reduce((sum, seconds) => sum + seconds, 0)
}

/** The fields of /proc/PID/stat behind the name, beginning with the state. */
function statOf(pid: number): readonly number[] {
  return (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ').map(Number)
}
