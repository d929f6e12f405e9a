import type { Figure } from './figure.ts'
import { type Fleet, type Load, loadOf, type ServiceTimes, simulate } from './fleet-model.ts'

/** Measured with `--only postgres-work,dkim`: see docs/figures.md. With a DKIM signature; the next hop is one over the internet. */
const TIMES: ServiceTimes = { insert: 49, claim: 91, result: 85, worker: 328 + 254, nextHopMs: 150 }

/** The busiest hour has so many times the mails of a mean one: most newsletters go out on some mornings. */
const PEAK = 10
const TRANSACTIONAL = 0.2
const RECIPIENTS = 50_000
/** How busy each part may be in the mean of that hour. */
const MOST = 0.6
const SECONDS = 1800

/**
 * The machines that an installation of a given size needs in its busiest hour, by calculation, and how long its mail waits then, by simulation.
 * Nothing is sent, and the result is the same on any machine.
 */
export async function measureFleet(): Promise<readonly Figure[]> {
  return [1e6, 1e7, 1e8, 1e9].flatMap((perMonth) => {
    const rate = (PEAK * perMonth) / (30 * 24 * 3600)
    const campaigns = (1 - TRANSACTIONAL) * rate
    const load: Load = {
      transactional: TRANSACTIONAL * rate,
      campaignsAnHour: (3600 * campaigns) / RECIPIENTS,
      recipients: RECIPIENTS,
    }
    const fleet = fleetFor(load)
    const { busy, waits } = simulate(fleet, load, TIMES, SECONDS)
    const calculated = loadOf(fleet, load, TIMES)
    const what = `simulated: ${perMonth.toLocaleString('en')} a month`
    const part = (name: keyof typeof busy, unit: string): Figure => ({
      ...{ what: `${what}: ${name}`, value: fleet[name === 'database' ? 'databaseCores' : name], unit },
      note: `${percent(busy[name])} in use, ${percent(calculated[name])} by calculation`,
    })
    return [
      { what: `${what}: mails in the busiest hour`, value: rate, unit: 'mails/s' },
      part('database', 'cores'),
      part('workers', 'cores'),
      part('connections', 'of each worker'),
      { what: `${what}: a transactional mail waits, 95th percentile`, value: waits.p95, unit: 'ms' },
      { what: `${what}: the same, 99th percentile`, value: waits.p99, unit: 'ms' },
    ]
  })
}

/** The smallest that is in use for no more than `MOST` of the time. Fewer connections than the default are of no use. */
function fleetFor(load: Load): Fleet {
  const one = loadOf({ databaseCores: 1, workers: 1, connections: 1 }, load, TIMES)
  const [databaseCores, workers] = [Math.ceil(one.database / MOST), Math.ceil(one.workers / MOST)]
  return { databaseCores, workers, connections: Math.max(50, Math.ceil(one.connections / workers / MOST)) }
}

const percent = (part: number) => `${Math.round(100 * part)} %`
