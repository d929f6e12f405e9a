import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { postgresQueue } from '../plugins/queue-postgres/index.ts'
import { postgres } from '../plugins/store-postgres/index.ts'
import { sqlite } from '../plugins/store-sqlite/index.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { fillRecipients } from './campaign-contacts.ts'
import {
  CONNECTIONS,
  campaignSent,
  cpuSeconds,
  mainThreadSeconds,
  PROJECTS,
  peakMegabytes,
  startCampaignServer,
  writeCampaign,
} from './campaign-run.ts'
import type { Figure } from './figure.ts'
import { startNotingSink } from './noting-sink.ts'
import { SINK_PORT } from './references.ts'
import { startSmtpSink } from './smtp-sink.ts'

export interface CampaignGiven {
  readonly recipients: number
  /** Whether the mails are signed (DKIM, RSA-2048). */
  readonly signed?: boolean
  /** How many threads send; by default as many as the server starts without the setting. */
  readonly threads?: number
  /** The only core the server may use. */
  readonly core?: number
  /** How many rules of routing there are, of which the last one sends the campaign; by default none. */
  readonly rules?: number
  /** Whether the transport has a quota, which is not used up. */
  readonly quota?: boolean
}

/**
 * A campaign over HTTP against the real server process with SQLite on disk (`synchronous=FULL`): 13 KB HTML and text,
 * personalised, with twenty tracked links, footer and list headers, to smtp-sink.
 */
export async function measureCampaign(given: CampaignGiven): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-bench-'))
  try {
    const file = join(folder, 'bench.db')
    await fillRecipients({ store: sqlite({ file }) }, PROJECTS, given.recipients)
    return await campaignOf({ use: 'sqlite', options: { file } }, given, 'SQLite')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same on PostgreSQL (`fsync` on, on the same machine) with one process. */
export async function measureCampaignPostgres(given: CampaignGiven): Promise<readonly Figure[]> {
  const database = await startPostgres({ own: true, durable: true })
  try {
    const url = await database.database()
    await fillRecipients({ store: postgres({ url }), queue: postgresQueue({ url }) }, PROJECTS, given.recipients)
    return await campaignOf({ use: 'postgres', options: { url } }, given, 'PostgreSQL')
  } finally {
    await database.stop()
  }
}

async function campaignOf(store: object, given: CampaignGiven, where: string): Promise<readonly Figure[]> {
  const { recipients, signed = false, threads, core, rules, quota = false } = given
  const routed = rules === undefined ? '' : `, ${rules.toLocaleString('en')} rules of routing`
  const counted = quota ? ', with a quota' : ''
  const how = [...(threads === undefined ? [] : [`${threads} threads`]), ...(core === undefined ? [] : ['one core'])]
  const what = `campaign to ${recipients.toLocaleString('en')}${signed ? ', signed' : ''}${routed}${counted}, ${[where, ...how].join(', ')}`
  const first = await firstMail(store, given)
  const sink = await startSmtpSink(SINK_PORT)
  const { server, client } = await startCampaignServer(store, sink.port, given)
  try {
    const id = await writeCampaign(client)
    const [cpu, ofMain] = [cpuSeconds(server.pid), mainThreadSeconds(server.pid)]
    await client.ask('POST', `/campaigns/${id}/send`)
    const start = performance.now()
    const [longest] = await longestAnswer(server.url, campaignSent(client, id))
    const seconds = (performance.now() - start) / 1000
    const [used, main] = [cpuSeconds(server.pid) - cpu, mainThreadSeconds(server.pid) - ofMain]
    const { delivered } = await client.json<{ delivered: number }>('GET', `/campaigns/${id}/stats`)
    if (delivered !== recipients) throw new Error(`${delivered} of ${recipients} mails were delivered`)
    return [
      { what, value: recipients / seconds, unit: 'mails/s', note: `13 KB HTML + text, ${CONNECTIONS} connections` },
      { what: `${what}: CPU of the server for each mail`, value: (used / recipients) * 1e6, unit: 'µs' },
      { what: `${what}: of which the main thread`, value: (main / recipients) * 1e6, unit: 'µs' },
      {
        what: `${what}: first mail at the sink`,
        value: first,
        unit: 'ms',
        note: 'from the send call, first of a process',
      },
      { what: `${what}: longest answer of /health/live meanwhile`, value: longest, unit: 'ms' },
      { what: `${what}: peak RSS`, value: peakMegabytes(server.pid), unit: 'MB' },
    ]
  } finally {
    await server.stop({ remove: true })
    await sink.close()
  }
}

/** Asks for a sign of life every 20 ms until `end` resolves. Answers the longest wait, in ms. */
async function longestAnswer(url: string, end: Promise<void>): Promise<readonly [number]> {
  let [longest, ended] = [0, false]
  const ending = end.finally(() => {
    ended = true
  })
  while (!ended) {
    const asked = performance.now()
    await (await fetch(`${url}/health/live`)).arrayBuffer()
    longest = Math.max(longest, performance.now() - asked)
    await pause(20)
  }
  await ending
  return [longest]
}

/** How long the first mail takes from the send call to its arrival, in ms. The campaign is cancelled then. */
async function firstMail(store: object, given: CampaignGiven): Promise<number> {
  const sink = await startNotingSink()
  const { server, client } = await startCampaignServer(store, sink.port, given)
  try {
    const id = await writeCampaign(client)
    const start = performance.now()
    await client.ask('POST', `/campaigns/${id}/send`)
    while (sink.first === undefined) await pause(1)
    await client.ask('POST', `/campaigns/${id}/cancel`)
    return sink.first - start
  } finally {
    await server.stop({ remove: true })
    await sink.close()
  }
}
