import { AudienceClient } from './audience-client.ts'
import { campaignSent } from './campaign-run.ts'
import { type BenchDatabase, type BenchStore, onDatabases } from './databases.ts'
import type { Figure } from './figure.ts'
import { campaignContacts } from './old-data.ts'
import { fillOld, PROJECTS } from './old-fill.ts'
import { medianOf, timesOfReads } from './old-reads.ts'
import { retentionRates } from './old-retention.ts'
import { freePort, startServer } from './server-process.ts'
import { startSmtpSink } from './smtp-sink.ts'
import { measureTick } from './workflows-wait.ts'

const STARTS = 3
/** How many mails one has that was put up last week: an empty one would have shorter pages. */
const YOUNG = 20_000
/** How many contacts a campaign goes to. */
const RECIPIENTS = 10_000

/** The requests to an installation after so many mails, and how much longer they take than in a young one, in one run. */
export function measureOld(on: BenchStore, mails: number): Promise<readonly Figure[]> {
  return onDatabases(on, async (make) => {
    const [young, old] = [await make(), await make()]
    await fillOld(young, YOUNG)
    await fillOld(old, mails)
    return compared(on, mails, await measured(young), await measured(old))
  })
}

/** All of it, in milliseconds unless the name says otherwise. The first of PROJECTS has the data. */
async function measured(database: BenchDatabase): Promise<ReadonlyMap<string, number>> {
  const [project] = PROJECTS
  if (!project) throw new Error('there is no project')
  await database.run(campaignContacts(database, RECIPIENTS))
  const sink = await startSmtpSink(await freePort())
  const options = { host: '127.0.0.1', port: sink.port, maxConnections: 50 }
  const serve = () =>
    startServer({
      config: {
        ...{ store: database.config, projects: PROJECTS, transports: [{ name: 'main', use: 'smtp', options }] },
        limits: { requestsPerMinute: 10_000_000 },
      },
    })
  const times = new Map<string, number>()
  try {
    const starts: number[] = []
    for (let i = 0; i < STARTS; i++) {
      const server = await serve()
      starts.push(server.startMs)
      await server.stop({ remove: true })
    }
    times.set('start to ready', starts.toSorted((a, b) => a - b)[1] ?? Number.NaN)
    const server = await serve()
    try {
      const client = new AudienceClient(server, project.secretKey ?? '')
      for (const [what, ms] of await timesOfReads(client)) times.set(what, ms)
      times.set('accept of /v1/send', await medianOf((run) => client.ask('POST', '/v1/send', later(run)), 200))
      times.set(`campaign to ${RECIPIENTS} of all contacts`, await campaign(client))
    } finally {
      await server.stop({ remove: true })
    }
    const [tick] = await measureTick(database.plugins.store)
    times.set('look for due executions', tick?.value ?? Number.NaN)
    const { mails, events, before, whileMails, whileEvents } = await retentionRates(database, project.name)
    times.set('retention: mails a second', mails)
    times.set('retention: events a second', events)
    times.set('retention: 95th percentile of accepting, before', before)
    times.set('retention: 95th percentile of accepting, while variables go', whileMails)
    times.set('retention: 95th percentile of accepting, while events go', whileEvents)
    return times
  } finally {
    await sink.close()
  }
}

function later(run: number) {
  return {
    ...{ to: `new${run}@example.org`, from: 'shop@example.com', subject: 'Welcome', body: '<p>Welcome</p>' },
    scheduledFor: new Date(Date.now() + 3_600_000).toISOString(),
  }
}

/** From the send call until all mails of the campaign were handed over. */
async function campaign(client: AudienceClient): Promise<number> {
  const { data } = await client.json<{ data: { id: string } }>('POST', '/campaigns', {
    ...{ name: 'Now', subject: 'Now', body: '<p>Now, {{ email }}</p>', from: 'shop@example.com' },
    ...{ audienceType: 'FILTERED' },
    audienceFilter: { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'bench' }] },
  })
  const begun = performance.now()
  await client.ask('POST', `/campaigns/${data.id}/send`)
  await campaignSent(client, data.id)
  return performance.now() - begun
}

function compared(
  on: BenchStore,
  mails: number,
  young: ReadonlyMap<string, number>,
  old: ReadonlyMap<string, number>,
): readonly Figure[] {
  return [...old].flatMap(([name, value]): readonly Figure[] => {
    const what = `after ${mails.toLocaleString('en')} mails: ${name}, ${on}`
    const before = young.get(name) ?? Number.NaN
    if (name.endsWith('a second')) return [{ what, value, unit: '/s', note: `${Math.round(before)}/s in a young one` }]
    const note = `${before.toFixed(1)} ms after ${YOUNG.toLocaleString('en')}`
    return [
      { what, value, unit: 'ms', note },
      { what: `${what}, as a multiple of that`, value: value / before, unit: 'times' },
    ]
  })
}
