import { spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { printTable } from '../table.ts'
import { growthOf } from './growth.ts'
import { type Fault, type Installation, onPostgres, onSqlite } from './installation.ts'
import { Listener } from './listener.ts'
import { Load, MANY } from './load.ts'
import { MAY_GROW, Memory } from './memory.ts'
import { NextHop } from './next-hop.ts'

/**
 * `npm run soak`: half an hour of steady use with everything going wrong once, on SQLite and then on PostgreSQL. Mails,
 * batches, campaigns, imports, events, readers and webhooks go on all the while. At the end nothing that was accepted may
 * be missing, no mail may have come twice beyond what the faults explain, memory must be flat and no table may grow
 * without a bound. Ends with 1 when one of these is not so. `--minutes` sets the time of all, `--store` picks one.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string' }, store: { type: 'string' } } })
const stores = values.store === undefined ? ['sqlite', 'postgres'] : [values.store]
const lengthMs = (Number(values.minutes ?? 30) * 60_000) / stores.length
/** How long the next hop is away, and the disk full. */
const DOWN_MS = Math.min(30_000, lengthMs / 15)
/** How long the rest of the work may take when the load has ended. */
const REST_MS = 300_000

const TOLD_EVERY_MS = 20_000

let isWell = true
for (const store of stores) {
  const hop = new NextHop()
  await hop.up()
  const installation = await (store === 'postgres' ? onPostgres : onSqlite)(hop.port, DOWN_MS)
  try {
    const problems = await soak(installation, hop)
    for (const problem of problems) console.log(`NOT WELL on ${installation.name}: ${problem}`)
    isWell &&= problems.length === 0
  } finally {
    await installation.remove()
    await hop.down()
  }
}
console.log(isWell ? '\nall is well' : '\nnot all is well')
process.exit(isWell ? 0 : 1)

/** Answers what is not as it should be. */
async function soak(installation: Installation, hop: NextHop): Promise<readonly string[]> {
  const listener = new Listener()
  const load = new Load(installation)
  await load.prepare(await listener.start())
  const memory = new Memory(installation)
  const away: Fault = {
    what: `the next hop is away for ${DOWN_MS / 1000} s`,
    at: 0.42,
    mayRepeat: installation.connections,
    async happen() {
      await hop.down()
      await pause(DOWN_MS)
      await hop.up()
    },
  }
  const faults = [...installation.faults, away, { ...away, at: 0.72 }].toSorted((a, b) => a.at - b.at)

  const start = performance.now()
  const until = (share: number) => pause(Math.max(0, start + share * lengthMs - performance.now()))
  load.begin()
  const halfTime = until(0.5).then(() => installation.rowCounts())
  for (const fault of faults) {
    await until(fault.at)
    console.log(`${installation.name}, minute ${minutes(start)}: ${fault.what}`)
    await fault.happen()
  }
  await until(1)
  await load.end()
  const end = performance.now()
  const settledMs = await settled(load, listener, hop)
  const rss = memory.end(start, end)
  const grown = growthOf(await halfTime, await installation.rowCounts())
  const problems = [...missing(load, listener, hop), ...(await unsent(load))]
  if (settledMs === undefined) problems.push(`work is left ${REST_MS / 1000} s after the load ended`)

  const copies = [...hop.copies].filter(([to]) => load.promised.mails.has(to))
  const ofCampaigns = [...hop.copies].filter(([to]) => to.endsWith('@news.example'))
  const repeated =
    copies.reduce((sum, [, times]) => sum + times - 1, 0) +
    ofCampaigns.reduce((sum, [, times]) => sum + Math.max(0, times - load.campaigns), 0)
  const most = faults.reduce((sum, { mayRepeat }) => sum + mayRepeat, 0)
  if (repeated > most) problems.push(`${repeated} mails came again`)
  for (const { name, middle, last } of rss) {
    if (last > middle * (1 + MAY_GROW))
      problems.push(`${name} grew from ${middle.toFixed(0)} to ${last.toFixed(0)} MB in the last half`)
  }
  for (const { table, middle, last, bound } of grown) {
    if (bound === undefined)
      problems.push(`nothing bounds the table ${table}: ${middle} rows at half time, ${last} now`)
  }
  listener.stop()
  const folder = await installation.stop()
  const bin = fileURLToPath(new URL('../../server/bin.js', import.meta.url))
  const recount = spawnSync(process.execPath, [bin, 'rebuild-stats', '--check'], { cwd: folder, encoding: 'utf8' })
  if (recount.status !== 0) problems.push(`figures are not what the rows count:\n${recount.stdout}${recount.stderr}`)

  const { promised } = load
  const reads = load.readMs.toSorted((a, b) => a - b)
  const refused = [...load.refused].map(([status, times]) => `${times} × ${status === 0 ? 'no answer' : status}`)
  printTable([
    { what: `${installation.name}: time`, value: (end - start) / 60_000, unit: 'minutes' },
    { what: 'mails accepted, single and in batches', value: promised.mails.size, unit: 'mails' },
    { what: `campaigns to ${MANY.audience}`, value: promised.campaigns.length, unit: 'campaigns' },
    { what: `imports of ${MANY.rows} rows`, value: promised.imports.length - 1, unit: 'imports' },
    { what: 'events accepted', value: promised.events, unit: 'events', note: `${promised.unanswered} without a yes` },
    { what: 'requests refused or not answered', value: sum(load.refused.values()), unit: '', note: refused.join(', ') },
    { what: 'requests to the webhook', value: listener.requests, unit: '' },
    { what: 'mails that came again', value: repeated, unit: 'mails' },
    { what: 'until all was worked off', value: (settledMs ?? Number.NaN) / 1000, unit: 's' },
    { what: 'a read, 95th percentile', value: reads[Math.floor(reads.length * 0.95)] ?? Number.NaN, unit: 'ms' },
    ...rss.map(({ name, middle, last }) => ({
      what: `memory of the ${name}, last fifth`,
      value: last,
      unit: 'MB',
      note: `${middle.toFixed(0)} MB after half time`,
    })),
    ...grown.map(({ table, middle, last, bound }) => ({
      what: `rows of ${table}`,
      value: last,
      unit: 'rows',
      note: `${middle} at half time; ${bound ?? 'NOT BOUNDED'}`,
    })),
  ])
  return problems
}

/** Waits until all is worked off. Answers how long that took; undefined when it took too long. */
async function settled(load: Load, listener: Listener, hop: NextHop): Promise<number | undefined> {
  const start = performance.now()
  for (let told = start; performance.now() < start + REST_MS; await pause(1_000)) {
    const left = [...missing(load, listener, hop), ...(await unsent(load))]
    if (left.length === 0) return performance.now() - start
    if (performance.now() < told + TOLD_EVERY_MS) continue
    told = performance.now()
    console.log(`still under way: ${left.join('; ')}`)
  }
  return undefined
}

/** The accepted mail that has not come where it should. */
function missing({ promised }: Load, listener: Listener, { copies }: NextHop): string[] {
  const problems: string[] = []
  const lost = [...promised.mails].filter((to) => !copies.has(to))
  if (lost.length > 0) problems.push(`${lost.length} mails did not arrive: ${lost.slice(0, 5).join(', ')}`)
  const delivered = listener.people('email.delivery')
  const untold = [...promised.mails].filter((to) => !delivered.has(to))
  if (untold.length > 0)
    problems.push(`no webhook told of ${untold.length} deliveries: ${untold.slice(0, 5).join(', ')}`)
  const events = listener.told.get('bought')?.size ?? 0
  if (events < promised.events || events > promised.events + promised.unanswered)
    problems.push(
      `webhooks told of ${events} events; ${promised.events} were accepted, ${promised.unanswered} not answered`,
    )
  const short = Array.from({ length: MANY.audience }, (_, i) => copies.get(`n${i}@news.example`) ?? 0).filter(
    (times) => times < promised.campaigns.length,
  )
  if (short.length > 0) problems.push(`${short.length} people did not get every one of the campaigns`)
  return problems
}

/** The work that is not finished by the API's answer. */
async function unsent(load: Load): Promise<readonly string[]> {
  const problems: string[] = []
  for (const id of load.promised.campaigns) {
    const campaign = await load.ask<{ status: string }>('GET', `/campaigns/${id}`)
    if (campaign?.status !== 'SENT') problems.push(`the campaign ${id} is ${campaign?.status}`)
  }
  if (!(await load.importsAreDone())) problems.push('an import is not completed')
  for (const status of ['QUEUED', 'SENDING', 'FAILED']) {
    const page = await load.ask<{ data: readonly unknown[] }>('GET', `/emails?limit=1&status=${status}`)
    if (page?.data.length !== 0) problems.push(`there are mails that are ${status}`)
  }
  return problems
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((a, b) => a + b, 0)
}

function minutes(start: number): string {
  return ((performance.now() - start) / 60_000).toFixed(1)
}
