import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { cpus, release } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { measureAccepts, measureAcceptsPostgres, measureBareAccepts } from './accept.ts'
import { measureCompat } from './accept-compat.ts'
import { measureAudience, measureAudiencePostgres } from './audience.ts'
import { measureBullmq } from './bullmq.ts'
import { measureCampaign, measureCampaignPostgres } from './campaign.ts'
import { measureColdStart } from './cold-start.ts'
import { type Amounts, readBenchCommand } from './command-line.ts'
import { measureDashboard } from './dashboard.ts'
import { measureDrain, measureDrainPostgres, measureDrainWorkers } from './drain.ts'
import { measureEmbedding } from './embedding.ts'
import { measureFeedback } from './feedback.ts'
import type { Figure } from './figure.ts'
import { measureFleet } from './fleet.ts'
import { measureInbound, measureInboundPostgres } from './inbound.ts'
import { measureInbox } from './inbox.ts'
import { measureInsight } from './insight.ts'
import { measureLedgerSize } from './ledger-size.ts'
import { measureMailSearch } from './mail-search.ts'
import { measureOld } from './old.ts'
import { measurePostgresWork } from './postgres-work.ts'
import { measureNodemailer, measureNodemailerCampaign, measureSmtpSource } from './references.ts'
import { measureRounds } from './rounds.ts'
import { measureSendLatency } from './send-latency.ts'
import { measureSigning } from './signing.ts'
import { printTable } from './table.ts'
import { measureWorkers } from './workers.ts'
import { measureWorkflows, measureWorkflowsPostgres } from './workflows.ts'

/**
 * `npm run bench`: measures every figure of docs/figures.md on this machine. Each measure runs in its own process, in
 * turn with the others and several times; the table shows the medians. `--only drain,nodemailer` picks some,
 * `--rounds`, `--mails`, `--contacts`, `--recipients`, `--events` and `--ledger` set the amounts; `--help` lists all of them.
 */
const MEASURES: Readonly<Record<string, (amounts: Amounts) => Promise<readonly Figure[]>>> = {
  start: measureColdStart,
  embedding: measureEmbedding,
  accept: measureAccepts,
  'accept-bare': measureBareAccepts,
  'accept-postgres': measureAcceptsPostgres,
  'accept-compat': measureCompat,
  nodemailer: ({ mails }) => measureNodemailer(Math.min(mails, 6_000)),
  'smtp-source': ({ mails }) => measureSmtpSource(mails),
  drain: ({ mails }) => measureDrain(mails),
  'drain-postgres': ({ mails }) => measureDrainPostgres(mails),
  'drain-workers': ({ mails }) => measureDrainWorkers(mails),
  campaign: ({ recipients }) => measureCampaign({ recipients }),
  'campaign-thread': ({ recipients }) => measureCampaign({ recipients, threads: 1 }),
  'campaign-no-threads': ({ recipients }) => measureCampaign({ recipients, threads: 0 }),
  'campaign-one-core': ({ recipients }) => measureCampaign({ recipients, threads: 1, core: 0 }),
  'campaign-one-core-no-threads': ({ recipients }) => measureCampaign({ recipients, threads: 0, core: 0 }),
  'campaign-postgres': ({ recipients }) => measureCampaignPostgres({ recipients }),
  'campaign-few-rules': ({ recipients }) => measureCampaign({ recipients, rules: 10 }),
  'campaign-rules': ({ recipients }) => measureCampaign({ recipients, rules: 10_000 }),
  'campaign-quota': ({ recipients }) => measureCampaign({ recipients, quota: true }),
  'campaign-dkim': ({ recipients }) => measureCampaign({ recipients, signed: true }),
  'campaign-dkim-postgres': ({ recipients }) => measureCampaignPostgres({ recipients, signed: true }),
  'campaign-million': ({ recipients }) => measureCampaign({ recipients: 10 * recipients }),
  'nodemailer-campaign': ({ mails }) => measureNodemailerCampaign(Math.min(mails, 6_000), false),
  bullmq: ({ mails }) => measureBullmq(Math.min(mails, 6_000)),
  'nodemailer-campaign-dkim': ({ mails }) => measureNodemailerCampaign(Math.min(mails, 6_000), true),
  'send-latency': ({ recipients }) => measureSendLatency(recipients),
  audience: ({ contacts }) => measureAudience(contacts),
  'audience-postgres': ({ contacts }) => measureAudiencePostgres(contacts),
  dashboard: ({ contacts }) => measureDashboard('SQLite', contacts),
  'dashboard-postgres': ({ contacts }) => measureDashboard('PostgreSQL', contacts),
  inbound: ({ mails }) => measureInbound(mails),
  'inbound-postgres': ({ mails }) => measureInboundPostgres(mails),
  inbox: ({ contacts }) => measureInbox('SQLite', contacts),
  'inbox-postgres': ({ contacts }) => measureInbox('PostgreSQL', contacts),
  search: ({ contacts }) => measureMailSearch('SQLite', 5 * contacts),
  'search-postgres': ({ contacts }) => measureMailSearch('PostgreSQL', 5 * contacts),
  old: ({ ledger }) => measureOld('SQLite', ledger),
  'old-postgres': ({ ledger }) => measureOld('PostgreSQL', ledger),
  'ledger-size': ({ recipients }) => measureLedgerSize('SQLite', recipients),
  'ledger-size-postgres': ({ recipients }) => measureLedgerSize('PostgreSQL', recipients),
  'postgres-work': ({ recipients }) => measurePostgresWork(recipients),
  'postgres-workers': ({ recipients }) => measureWorkers(recipients),
  insight: ({ events }) => measureInsight('SQLite', events),
  'insight-postgres': ({ events }) => measureInsight('PostgreSQL', events),
  dsn: measureFeedback,
  dkim: measureSigning,
  workflows: measureWorkflows,
  'workflows-postgres': measureWorkflowsPostgres,
  fleet: measureFleet,
}

const asked = readBenchCommand(process.argv.slice(2), Object.keys(MEASURES))
if (asked.kind === 'answer') {
  ;(asked.code === 0 ? process.stdout : process.stderr).write(`${asked.text}\n`)
  process.exitCode = asked.code
} else if (asked.kind === 'measure') process.stdout.write(JSON.stringify(await MEASURES[asked.name]?.(asked.amounts)))
else await measureAll(asked.names, asked.rounds, asked.amounts)

async function measureAll(names: readonly string[], rounds: number, amounts: Amounts): Promise<void> {
  const machine = {
    node: process.version,
    cpus: cpus().length,
    model: cpus()[0]?.model.trim() ?? '',
    kernel: release(),
  }
  const at = new Date()
  mkdirSync('bench/results', { recursive: true })
  const file = `bench/results/${at.toISOString().replaceAll(':', '-').slice(0, 19)}.json`
  const { figures, failed } = await measureRounds(names, rounds, {
    ...{ file, about: { machine, at } },
    say: (line) => process.stderr.write(`${line}\n`),
    measure: (name) => inOwnProcess(name, amounts),
  })
  printTable(figures)
  console.log(`\nmedians of ${rounds} rounds, written to ${file}`)
  for (const [name, reason] of failed) console.error(`\n${name} failed: ${reason}`)
  if (failed.size > 0) process.exitCode = 1
}

async function inOwnProcess(name: string, amounts: Amounts): Promise<readonly Figure[]> {
  const given = Object.entries(amounts).flatMap(([option, amount]) => [`--${option}`, String(amount)])
  const args = [fileURLToPath(import.meta.url), '--measure', name, ...given]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e7 })
  return JSON.parse(stdout)
}
