import { fillRecipients } from './campaign-contacts.ts'
import { campaignSent, PROJECTS, startCampaignServer, writeCampaign } from './campaign-run.ts'
import { type BenchDatabase, type BenchStore, onDatabases } from './databases.ts'
import type { Figure } from './figure.ts'
import { SINK_PORT } from './references.ts'
import { startSmtpSink } from './smtp-sink.ts'

/** Tables and indexes that grow by less than this for each mail are left out. */
const LEAST = 0.5

/**
 * The bytes that a campaign's mail adds to the database, by table and index: a campaign is sent by the real server to
 * smtp-sink, and everything is measured before and after. The space is counted as it is when all dead rows and half-empty
 * pages are gone, since later mails fill them; how much there was before is a figure of its own.
 */
export function measureLedgerSize(on: BenchStore, recipients: number): Promise<readonly Figure[]> {
  return onDatabases(on, async (make) => {
    const database = await make()
    await fillRecipients(database.plugins, PROJECTS, recipients)
    await database.pack()
    const before = await database.sizes()
    await send(database, recipients)
    const written = await database.sizes()
    await database.pack()
    const packed = await database.sizes()
    const all = (sizes: ReadonlyMap<string, number>) =>
      grown(before, sizes, recipients).reduce((sum, { each }) => sum + each, 0)
    const what = `ledger: bytes of a campaign's mail, ${on}`
    return [
      { what, value: all(packed), unit: 'bytes', note: 'aim: at most 350' },
      {
        what: `${what}, as it was written`,
        value: all(written),
        unit: 'bytes',
        note: 'with dead rows and half-empty pages',
      },
      ...grown(before, packed, recipients)
        .filter(({ each }) => each >= LEAST)
        .map(({ name, each }) => ({ what: `${what}: ${name}`, value: each, unit: 'bytes' })),
    ]
  })
}

async function send(database: BenchDatabase, recipients: number): Promise<void> {
  const sink = await startSmtpSink(SINK_PORT)
  const { server, client } = await startCampaignServer(database.config, sink.port)
  try {
    const id = await writeCampaign(client)
    await client.ask('POST', `/campaigns/${id}/send`)
    await campaignSent(client, id)
    const { delivered } = await client.json<{ delivered: number }>('GET', `/campaigns/${id}/stats`)
    if (delivered !== recipients) throw new Error(`${delivered} of ${recipients} mails were delivered`)
  } finally {
    await server.stop({ remove: true })
    await sink.close()
  }
}

/** By how many bytes each table and index grew for each mail, the largest first. */
function grown(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>, mails: number) {
  return [...after]
    .map(([name, bytes]) => ({ name, each: (bytes - (before.get(name) ?? 0)) / mails }))
    .toSorted((a, b) => b.each - a.each)
}
