import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { postgresQueue } from '../plugins/queue-postgres/index.ts'
import { postgres } from '../plugins/store-postgres/index.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { fillRecipients } from './campaign-contacts.ts'
import { campaignSent, cpuSeconds, PROJECTS, startCampaignServer, writeCampaign } from './campaign-run.ts'
import type { Figure } from './figure.ts'
import { SINK_PORT } from './references.ts'
import { startSmtpSink } from './smtp-sink.ts'

/** How many of the most frequent statements are figures of their own. */
const SHOWN = 12

/**
 * The work that a campaign's mail makes for PostgreSQL: statements, each a round trip, counted by `pg_stat_statements`, and the
 * processor time of ours and of all of PostgreSQL's processes. These say more than the speed of a busy machine.
 */
export async function measurePostgresWork(recipients: number): Promise<readonly Figure[]> {
  const server = await startPostgres({ own: true, durable: true })
  try {
    await asked(server.url, `alter system set shared_preload_libraries = 'pg_stat_statements'`)
    await server.restart()
    const url = await server.database()
    await asked(url, 'create extension pg_stat_statements schema public')
    await fillRecipients({ store: postgres({ url }), queue: postgresQueue({ url }) }, PROJECTS, recipients)
    return await campaignOf(url, recipients)
  } finally {
    await server.stop()
  }
}

async function campaignOf(url: string, recipients: number): Promise<readonly Figure[]> {
  const sink = await startSmtpSink(SINK_PORT)
  const { server, client } = await startCampaignServer({ use: 'postgres', options: { url } }, sink.port)
  try {
    const id = await writeCampaign(client)
    const root = await postmaster(url)
    await asked(url, 'select pg_stat_statements_reset()')
    const [ours, theirs] = [cpuSeconds(server.pid), treeSeconds(root)]
    await client.ask('POST', `/campaigns/${id}/send`)
    await campaignSent(client, id)
    const used = { ours: cpuSeconds(server.pid) - ours, theirs: treeSeconds(root) - theirs }
    const statements = await asked(url, STATEMENTS)
    const { delivered } = await client.json<{ delivered: number }>('GET', `/campaigns/${id}/stats`)
    if (delivered !== recipients) throw new Error(`${delivered} of ${recipients} mails were delivered`)
    const sum = (of: readonly Row[], column: string) => of.reduce((all, row) => all + Number(row[column]), 0)
    const ends = statements.filter(({ query }) => query === 'commit')
    const what = `campaign to ${recipients.toLocaleString('en')}, PostgreSQL`
    return [
      { what: `${what}: statements for each mail`, value: sum(statements, 'calls') / recipients, unit: '' },
      { what: `${what}: commits for each mail`, value: sum(ends, 'calls') / recipients, unit: '' },
      { what: `${what}: CPU of the server for each mail, beside`, value: (used.ours / recipients) * 1e6, unit: 'µs' },
      { what: `${what}: CPU of PostgreSQL for each mail`, value: (used.theirs / recipients) * 1e6, unit: 'µs' },
      ...statements.slice(0, SHOWN).map(({ query, calls, ms, rows }) => ({
        what: `PostgreSQL, ${String(query).replaceAll(/\s+/g, ' ').slice(0, 90)}`,
        value: (Number(ms) / recipients) * 1000,
        unit: 'µs',
        note: `${calls} times, ${(Number(rows) / Number(calls)).toFixed(1)} rows each`,
      })),
    ]
  } finally {
    await server.stop({ remove: true })
    await sink.close()
  }
}

type Row = Readonly<Record<string, unknown>>

/** Of this database alone, without what asks for them; the time is that of the execution. */
const STATEMENTS = `select "query", "calls", "rows", "total_exec_time" + "total_plan_time" as "ms" from pg_stat_statements
  where "dbid" = (select "oid" from pg_database where "datname" = current_database()) and "query" not like '%pg_stat_statements%'
  order by "ms" desc`

async function asked(url: string, sql: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** The process that starts all others of PostgreSQL: that of the log or the checkpoints has it as its parent. */
async function postmaster(url: string): Promise<number> {
  const [row] = await asked(url, `select "pid" from pg_stat_activity where "backend_type" = 'checkpointer'`)
  return statOf(Number(row?.pid))[1] ?? 0
}

/** The CPU time of this process, its children, and those that have ended, in seconds. */
function treeSeconds(root: number): number {
  const children = readFileSync(`/proc/${root}/task/${root}/children`, 'utf8').trim().split(' ').map(Number)
  const [, , , , , , , , , , , user = 0, system = 0, ofEnded = 0, systemOfEnded = 0] = statOf(root)
  return (user + system + ofEnded + systemOfEnded) / 100 + children.reduce((sum, pid) => sum + cpuSeconds(pid), 0)
}

/** The fields of /proc/PID/stat behind the name, beginning with the state. */
function statOf(pid: number): readonly number[] {
  return (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ').map(Number)
}
