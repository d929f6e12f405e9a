import { campaignSent, cpuSeconds, startCampaignServer, writeCampaign } from './campaign-run.ts'
import type { Figure } from './figure.ts'
import { asked, type Counted, onCountedPostgres, postmaster, STATEMENTS, treeSeconds } from './postgres-counts.ts'
import { SINK_PORT } from './references.ts'
import { startSmtpSink } from './smtp-sink.ts'

/** How many of the most frequent statements are figures of their own. */
const SHOWN = 12

/**
 * The work that a campaign's mail makes for PostgreSQL: statements, counted by `pg_stat_statements`, and the
 * processor time of ours and of all of PostgreSQL's processes. These say more than the speed of a busy machine.
 */
export function measurePostgresWork(recipients: number): Promise<readonly Figure[]> {
  return onCountedPostgres(recipients, (url) => campaignOf(url, recipients))
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
    const sum = (of: readonly Counted[], column: string) => of.reduce((all, row) => all + Number(row[column]), 0)
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
