import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, release } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { measureAccepts, measureAcceptsPostgres, measureBareAccepts } from './accept.ts'
import { measureCompat } from './accept-compat.ts'
import { measureAudience, measureAudiencePostgres } from './audience.ts'
import { measureCampaign, measureCampaignPostgres } from './campaign.ts'
import { measureColdStart } from './cold-start.ts'
import { measureDashboard } from './dashboard.ts'
import { measureDrain, measureDrainPostgres, measureDrainWorkers } from './drain.ts'
import { measureEmbedding } from './embedding.ts'
import { measureFeedback } from './feedback.ts'
import type { Figure } from './figure.ts'
import { measureInbound, measureInboundPostgres } from './inbound.ts'
import { measureInbox } from './inbox.ts'
import { measureInsight } from './insight.ts'
import { measureMailSearch } from './mail-search.ts'
import { ratios } from './ratios.ts'
import { measureNodemailer, measureNodemailerCampaign, measureSmtpSource } from './references.ts'
import { measureSendLatency } from './send-latency.ts'
import { measureSigning } from './signing.ts'
import { printTable } from './table.ts'
import { measureWorkflows, measureWorkflowsPostgres } from './workflows.ts'

/**
 * `npm run bench`: measures every figure of docs/figures.md on this machine. Each measure runs in its own process, in
 * turn with the others and several times; the table shows the medians. `--only drain,nodemailer` picks some,
 * `--rounds`, `--mails`, `--contacts`, `--recipients` and `--events` set the amounts; `--help` lists all of them.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    mails: { type: 'string', default: '20000' },
    contacts: { type: 'string', default: '1000000' },
    recipients: { type: 'string', default: '100000' },
    events: { type: 'string', default: '200000' },
    measure: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})
const mails = Number(values.mails)
const contacts = Number(values.contacts)
const recipients = Number(values.recipients)
const events = Number(values.events)

const MEASURES: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  start: measureColdStart,
  embedding: measureEmbedding,
  accept: measureAccepts,
  'accept-bare': measureBareAccepts,
  'accept-postgres': measureAcceptsPostgres,
  'accept-compat': measureCompat,
  nodemailer: () => measureNodemailer(Math.min(mails, 6_000)),
  'smtp-source': () => measureSmtpSource(mails),
  drain: () => measureDrain(mails),
  'drain-postgres': () => measureDrainPostgres(mails),
  'drain-workers': () => measureDrainWorkers(mails),
  campaign: () => measureCampaign({ recipients }),
  'campaign-thread': () => measureCampaign({ recipients, threads: 1 }),
  'campaign-no-threads': () => measureCampaign({ recipients, threads: 0 }),
  'campaign-one-core': () => measureCampaign({ recipients, threads: 1, core: 0 }),
  'campaign-one-core-no-threads': () => measureCampaign({ recipients, threads: 0, core: 0 }),
  'campaign-postgres': () => measureCampaignPostgres({ recipients }),
  'campaign-few-rules': () => measureCampaign({ recipients, rules: 10 }),
  'campaign-rules': () => measureCampaign({ recipients, rules: 10_000 }),
  'campaign-quota': () => measureCampaign({ recipients, quota: true }),
  'campaign-dkim': () => measureCampaign({ recipients, signed: true }),
  'campaign-dkim-postgres': () => measureCampaignPostgres({ recipients, signed: true }),
  'campaign-million': () => measureCampaign({ recipients: 10 * recipients }),
  'nodemailer-campaign': () => measureNodemailerCampaign(Math.min(mails, 6_000), false),
  'nodemailer-campaign-dkim': () => measureNodemailerCampaign(Math.min(mails, 6_000), true),
  'send-latency': () => measureSendLatency(recipients),
  audience: () => measureAudience(contacts),
  'audience-postgres': () => measureAudiencePostgres(contacts),
  dashboard: () => measureDashboard('SQLite', contacts),
  'dashboard-postgres': () => measureDashboard('PostgreSQL', contacts),
  inbound: () => measureInbound(mails),
  'inbound-postgres': () => measureInboundPostgres(mails),
  inbox: () => measureInbox('SQLite', contacts),
  'inbox-postgres': () => measureInbox('PostgreSQL', contacts),
  search: () => measureMailSearch('SQLite', 5 * contacts),
  'search-postgres': () => measureMailSearch('PostgreSQL', 5 * contacts),
  insight: () => measureInsight('SQLite', events),
  'insight-postgres': () => measureInsight('PostgreSQL', events),
  dsn: measureFeedback,
  dkim: measureSigning,
  workflows: measureWorkflows,
  'workflows-postgres': measureWorkflowsPostgres,
}

if (values.help) {
  console.log(`npm run bench -- [--only <names, by commas>] [--rounds 3] [--mails 20000] [--contacts 1000000]
  [--recipients 100000] [--events 200000]

Names: ${Object.keys(MEASURES).join(', ')}`)
  process.exit(0)
}
const names = values.only?.split(',') ?? Object.keys(MEASURES)
const unknown = names.filter((name) => !Object.hasOwn(MEASURES, name))
if (unknown.length > 0) {
  console.error(`--only: there is no ${unknown.join(', ')}. There are: ${Object.keys(MEASURES).join(', ')}.`)
  process.exit(2)
}
if (values.measure) process.stdout.write(JSON.stringify(await MEASURES[values.measure]?.()))
else await measureAll(names, Number(values.rounds))

async function measureAll(names: readonly string[], rounds: number): Promise<void> {
  const machine = {
    node: process.version,
    cpus: cpus().length,
    model: cpus()[0]?.model.trim() ?? '',
    kernel: release(),
  }
  const at = new Date()
  mkdirSync('bench/results', { recursive: true })
  const file = `bench/results/${at.toISOString().replaceAll(':', '-').slice(0, 19)}.json`
  const runs = new Map<string, Figure[]>()
  for (let round = 1; round <= rounds; round++) {
    for (const name of names) {
      process.stderr.write(`round ${round} of ${rounds}: ${name}\n`)
      for (const figure of await inOwnProcess(name)) runs.set(figure.what, [...(runs.get(figure.what) ?? []), figure])
      // after each, so that a run that ends early has what it measured
      writeFileSync(file, `${JSON.stringify({ machine, at, rounds: round, figures: summary(runs) }, null, 2)}\n`)
    }
  }
  printTable(summary(runs))
  console.log(`\nmedians of ${rounds} rounds, written to ${file}`)
}

function summary(runs: ReadonlyMap<string, readonly Figure[]>): readonly Figure[] {
  const medians = [...runs.values()].flatMap((same) => same.slice(0, 1).map((one) => ({ ...one, value: median(same) })))
  return [...medians, ...ratios(medians)]
}

async function inOwnProcess(name: string): Promise<readonly Figure[]> {
  const amounts = ['--mails', String(mails), '--contacts', String(contacts), '--recipients', String(recipients)]
  amounts.push('--events', String(events))
  const args = [fileURLToPath(import.meta.url), '--measure', name, ...amounts]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e7 })
  return JSON.parse(stdout)
}

function median(figures: readonly Figure[]): number {
  const sorted = figures.map(({ value }) => value).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
