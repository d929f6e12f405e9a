import type { AudienceClient } from './audience-client.ts'

/** Requests whose answer is small however old the installation is; `Home` is what that page of the dashboard asks for. */
const READS: Readonly<Record<string, readonly string[]>> = {
  'mails, first page': ['/emails?limit=50'],
  'mails that bounced, first page': ['/emails?limit=50&status=BOUNCED'],
  'mails to an address': ['/emails?limit=50&search=to:person7@big7.example'],
  'contacts, first page with total': ['/contacts?limit=50'],
  'contacts, page 1,000': ['/contacts?limit=50&page=1000'],
  'events, first page': ['/events?limit=50'],
  'activity, first page': ['/activity?limit=100'],
  'activity to come': ['/activity/upcoming'],
  'figures of a year by day': [
    `/analytics/timeseries?startDate=${new Date(Date.now() - 360 * 86_400_000).toISOString()}`,
  ],
  'top campaigns': ['/analytics/top-campaigns'],
  Home: [
    ...[
      '/analytics/timeseries',
      '/activity/stats',
      '/activity/recent-count',
      '/activity?limit=10',
      '/activity/upcoming',
    ],
    ...['/campaigns?limit=5', '/contacts?limit=1'],
  ],
}
const RUNS = 20

/** The median of each, in milliseconds; of one mail as well, the newest. */
export async function timesOfReads(client: AudienceClient): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>()
  for (const [what, paths] of Object.entries(READS)) {
    times.set(what, await medianOf(() => Promise.all(paths.map((path) => client.json('GET', path)))))
  }
  const { data } = await client.json<{ data: readonly { id: string }[] }>('GET', '/emails?limit=1')
  const [mail] = data
  if (mail) times.set('one mail with its events', await medianOf(() => client.json('GET', `/emails/${mail.id}`)))
  return times
}

/** The median of some runs of this work, in milliseconds, after one that is not counted. */
export async function medianOf(work: (run: number) => Promise<unknown>, runs = RUNS): Promise<number> {
  const times: number[] = []
  for (let run = 0; run <= runs; run++) {
    const begun = performance.now()
    await work(run)
    if (run > 0) times.push(performance.now() - begun)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN
}
