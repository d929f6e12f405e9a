import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sqlite } from '../plugins/store-sqlite/index.ts'
import type { AudienceClient } from './audience-client.ts'
import { fillRecipients } from './campaign-contacts.ts'
import { campaignSent, PROJECTS, startCampaignServer, writeCampaign } from './campaign-run.ts'
import type { Figure } from './figure.ts'
import { type SinkApart, startSinkApart } from './noting-sink-apart.ts'

const DOMAIN = 'single.example'
const APART_MS = 50
const ALONE_MS = 10_000

/**
 * How long a mail of `/v1/send` takes from the request to its arrival at the next hop, with 20 mails per second on
 * SQLite: alone, and while a large campaign runs over the same transport.
 */
export async function measureSendLatency(recipients: number): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-bench-'))
  const sink = await startSinkApart(DOMAIN)
  try {
    const file = join(folder, 'bench.db')
    await fillRecipients({ store: sqlite({ file }) }, PROJECTS, recipients)
    const { server, client } = await startCampaignServer({ use: 'sqlite', options: { file } }, sink.port)
    try {
      await latencies(client, sink, pause(1_000))
      const alone = await latencies(client, sink, pause(ALONE_MS))
      const id = await writeCampaign(client)
      await client.ask('POST', `/campaigns/${id}/send`)
      const beside = await latencies(client, sink, campaignSent(client, id))
      return [...figures('alone', alone), ...figures(`beside a campaign to ${recipients.toLocaleString('en')}`, beside)]
    } finally {
      await server.stop({ remove: true })
    }
  } finally {
    await sink.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Sends until `end` resolves. Answers the latencies in ms, sorted. */
async function latencies(client: AudienceClient, sink: SinkApart, end: Promise<unknown>): Promise<readonly number[]> {
  const started = new Map<string, number>()
  const requests: Promise<unknown>[] = []
  let ended = false
  const ending = end.finally(() => {
    ended = true
  })
  sink.forget()
  for (let i = 0; !ended; i++) {
    const to = `user${i}@${DOMAIN}`
    started.set(to, performance.now())
    const mail = { to, from: 'hello@example.com', subject: 'Your code', body: `<p>Your code is ${i}.</p>` }
    requests.push(client.ask('POST', '/v1/send', mail))
    await pause(APART_MS)
  }
  await ending
  await Promise.all(requests)
  let arrivals = await sink.arrivals()
  while (arrivals.size < started.size) {
    await pause(50)
    arrivals = await sink.arrivals()
  }
  return [...started].map(([to, at]) => (arrivals.get(to) ?? Number.NaN) - at).toSorted((a, b) => a - b)
}

function figures(what: string, sorted: readonly number[]): readonly Figure[] {
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  const note = `${sorted.length} mails, from the request to the sink`
  return [
    { what: `/v1/send ${what}, median`, value: at(0.5), unit: 'ms', note },
    { what: `/v1/send ${what}, 95th percentile`, value: at(0.95), unit: 'ms' },
    { what: `/v1/send ${what}, longest`, value: at(1), unit: 'ms' },
  ]
}
