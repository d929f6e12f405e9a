import TinyQueue from 'tinyqueue'

/**
 * A simulation of an installation on PostgreSQL with several workers: mail arrives, waits for a worker, for PostgreSQL, and for
 * a connection to the next hop. It shows how long mail waits when all of these are shared, which a sum of loads does not.
 */

/** The processor time of each mail, in µs, and the time of the next hop. */
export interface ServiceTimes {
  /** Of PostgreSQL's processes, for the insert, the claim and the result. */
  readonly insert: number
  readonly claim: number
  readonly result: number
  /** Of a worker, to compose, sign and hand over. */
  readonly worker: number
  /** From the first byte to the next hop's answer, in ms. */
  readonly nextHopMs: number
}

export interface Fleet {
  /** Cores of the machine with the database. */
  readonly databaseCores: number
  /** Workers, each with a core of its own. */
  readonly workers: number
  /** Connections to the next hop, of each worker. */
  readonly connections: number
}

/** The mails that arrive, in the mean. */
export interface Load {
  /** Transactional mails a second, one by one. */
  readonly transactional: number
  /** Campaigns an hour, each at a moment of its own. */
  readonly campaignsAnHour: number
  readonly recipients: number
}

export interface Simulated {
  /** The part of their time that the cores of the database, those of the workers, and the connections were in use. */
  readonly busy: { readonly database: number; readonly workers: number; readonly connections: number }
  /** From the commit of a transactional mail until its first byte goes to the next hop, in ms: the most that half, 95 and 99 of 100 wait. */
  readonly waits: { readonly median: number; readonly p95: number; readonly p99: number }
  /** Mails handed over a second. */
  readonly rate: number
  /** Mails that waited at the end. */
  readonly left: number
}

/** As the engine does it: see core/delivery and core/campaigns. */
const CLAIM = 80
const PAGE = 200
const RESULTS = 25

/** The load that each part has in the mean, without any waiting: above 1 it cannot keep up. */
export function loadOf(fleet: Fleet, load: Load, times: ServiceTimes): Simulated['busy'] {
  const rate = load.transactional + (load.campaignsAnHour * load.recipients) / 3600
  return {
    database: (rate * (times.insert + times.claim + times.result)) / 1e6 / fleet.databaseCores,
    workers: (rate * times.worker) / 1e6 / fleet.workers,
    connections: (rate * (times.nextHopMs + times.worker / 1000)) / 1000 / (fleet.workers * fleet.connections),
  }
}

/**
 * Simulates so many seconds. Times of service vary as those of exponential servers do, which is more than those measured; the
 * same seed gives the same result.
 */
export function simulate(fleet: Fleet, load: Load, times: ServiceTimes, seconds: number, seed = 1): Simulated {
  const random = randomOf(seed)
  const varied = (mean: number) => -mean * Math.log(1 - random())
  const events = new Agenda()
  const database = new Servers(fleet.databaseCores)
  const ledger = { transactional: [] as number[], campaign: 0, taken: 0 }
  const workers = Array.from({ length: fleet.workers }, () => new Worker(fleet.connections))
  const used = { worker: 0, connection: 0 }
  const waits: number[] = []
  let sent = 0

  const wake = (now: number) => {
    for (const worker of workers) if (!worker.isClaiming) claim(worker, now)
  }
  const claim = (worker: Worker, now: number) => {
    const due = ledger.transactional.length - ledger.taken
    const count = Math.min(CLAIM, worker.free, due + ledger.campaign)
    if (count === 0) return
    const urgent = Math.min(count, due)
    const arrived = ledger.transactional.slice(ledger.taken, ledger.taken + urgent)
    ledger.taken += urgent
    ledger.campaign -= count - urgent
    worker.free -= count
    worker.isClaiming = true
    events.at(database.serve(now, varied(count * times.claim) / 1e6), (claimed) => {
      worker.isClaiming = false
      for (let i = 0; i < count; i++) send(worker, claimed, arrived[i])
      claim(worker, claimed)
    })
  }
  const send = (worker: Worker, claimed: number, arrived: number | undefined) => {
    const work = varied(times.worker) / 1e6
    used.worker += work
    const hop = varied(times.nextHopMs) / 1000
    used.connection += work + hop
    events.at(worker.core.serve(claimed, work) + hop, (done) => {
      if (arrived !== undefined) waits.push(1000 * (done - hop - arrived))
      sent++
      worker.free++
      if (++worker.results === RESULTS) {
        worker.results = 0
        database.serve(done, varied(RESULTS * times.result) / 1e6)
      }
      if (!worker.isClaiming) claim(worker, done)
    })
  }
  const fanOut = (now: number, left: number) => {
    const count = Math.min(PAGE, left)
    if (count === 0) return
    events.at(database.serve(now, varied(count * times.insert) / 1e6), (written) => {
      ledger.campaign += count
      wake(written)
      fanOut(written, left - count)
    })
  }
  const arrive = (now: number) => {
    events.at(now + varied(1 / load.transactional), arrive)
    events.at(database.serve(now, varied(times.insert) / 1e6), (written) => {
      ledger.transactional.push(written)
      wake(written)
    })
  }
  const begin = (now: number) => {
    events.at(now + varied(3600 / load.campaignsAnHour), begin)
    fanOut(now, load.recipients)
  }
  if (load.transactional > 0) arrive(0)
  if (load.campaignsAnHour > 0) begin(0)
  events.runUntil(seconds)

  waits.sort((a, b) => a - b)
  const part = (of: number) => waits[Math.floor(of * waits.length)] ?? Number.NaN
  return {
    busy: {
      database: database.used / seconds / fleet.databaseCores,
      workers: used.worker / seconds / fleet.workers,
      connections: used.connection / seconds / (fleet.workers * fleet.connections),
    },
    waits: { median: part(0.5), p95: part(0.95), p99: part(0.99) },
    rate: sent / seconds,
    left: ledger.transactional.length - ledger.taken + ledger.campaign,
  }
}

class Worker {
  readonly core = new Servers(1)
  isClaiming = false
  results = 0
  /** Connections without a mail. */
  free: number

  constructor(connections: number) {
    this.free = connections
  }
}

/** Some servers with one queue, in the order of arrival. */
class Servers {
  used = 0
  /** The times when each is free again. */
  readonly #free: TinyQueue<number>

  constructor(count: number) {
    this.#free = new TinyQueue(Array.from({ length: count }, () => 0))
  }

  /** Answers when a job that arrives now, and takes so many seconds, is done. */
  serve(now: number, seconds: number): number {
    const done = Math.max(now, this.#free.pop() ?? now) + seconds
    this.#free.push(done)
    this.used += seconds
    return done
  }
}

/** The events to come, each at its time. */
class Agenda {
  readonly #events = new TinyQueue<Event>([], (a, b) => a.time - b.time)

  at(time: number, happens: Event['happens']): void {
    this.#events.push({ time, happens })
  }

  runUntil(end: number): void {
    for (let next = this.#events.pop(); next !== undefined && next.time < end; next = this.#events.pop()) {
      next.happens(next.time)
    }
  }
}

interface Event {
  readonly time: number
  readonly happens: (now: number) => void
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
