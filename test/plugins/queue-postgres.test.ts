import { AsyncLocalStorage } from 'node:async_hooks'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Log } from '../../core/ports/log.ts'
import { type Job, LANES, type Lane, type Queue, type Worker } from '../../core/ports/queue.ts'
import { postgresQueue } from '../../plugins/queue-postgres/index.ts'
import { queueContract } from '../contracts/queue.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { startPostgres } from '../support/postgres.ts'
import { freePort } from '../support/server-process.ts'
import { until } from '../support/until.ts'

let url: string
let client: Client

beforeAll(async () => {
  url = await freshDatabase()
  client = new Client({ connectionString: url })
  await client.connect()
  await open().then(({ queue }) => queue.stop(0))
})
afterAll(() => client.end())

describe('the PostgreSQL queue', () => {
  queueContract(async () => {
    const { queue } = await open()
    return { queue, close: clear }
  })

  describe('with several processes', () => {
    it('calls an idle one at once when another adds', async () => {
      const [{ queue: adds }, { queue: works }] = [await open(), await open()]
      const begun: number[] = []
      await works.work([worker('mail', 1, async () => void begun.push(performance.now()))])
      await listening(3)
      const waits: number[] = []
      for (let i = 0; i < 20; i++) {
        const start = performance.now()
        await adds.add([job(`m${i}`)])
        waits.push((await until('it is begun', () => begun[i])) - start)
      }
      expect(Math.max(...waits)).toBeLessThan(500)
    })

    it('leaves one process so much of a backlog that the other has work, too', async () => {
      const [{ queue: one }, { queue: other }] = [await open(), await open()]
      const shares = [0, 0]
      const share = (i: number) =>
        worker('mail', 200, async (ids) => {
          shares[i] = (shares[i] ?? 0) + ids.length
          await new Promise((done) => setTimeout(done, 20))
        })
      await one.add(Array.from({ length: 10 }, (_, i) => job('', { ids: numbered(`n${i}`, 1000), lane: 'campaign' })))
      await Promise.all([one.work([share(0)]), other.work([share(1)])])
      await until('all have run', () => (shares[0] ?? 0) + (shares[1] ?? 0) === 10_000)
      expect(Math.min(...shares)).toBeGreaterThan(2_000)
    })

    it('makes its tables once when all start on an empty database', async () => {
      const empty = await freshDatabase()
      const queues = await Promise.all([open({ url: empty }), open({ url: empty }), open({ url: empty })])
      for (const { queue } of queues) await expect(queue.check()).resolves.toBeUndefined()
      for (const { queue } of queues) await queue.stop(0)
    })

    it('gives what has not begun to the others when it stops', async () => {
      const [{ queue: stops }, { queue: stays }] = [await open({ concurrency: 1 }), await open()]
      const held = hold(stops, 1)
      await held.start()
      await stops.add(numbered('m', 60).map((id) => job(id)))
      await until('one has begun', () => held.runs.length === 1)
      const seen: string[] = []
      await stays.work([worker('mail', 10, async (ids) => void seen.push(...ids))])
      const stopped = stops.stop(10_000)
      await until('the rest has run elsewhere', () => new Set(seen).size === 59)
      held.release()
      await stopped
      expect(held.runs.flat()).toHaveLength(1)
      expect(seen).not.toContain(held.runs.flat()[0])
    })
  })

  describe('lanes', () => {
    it('begins a password mail at once while slow campaign handlers hold every runner they may', async () => {
      const { queue } = await open({ concurrency: 20 })
      const held = hold(queue, 1)
      await held.start()
      const count = (lane: Lane) => held.lanes.filter((of) => of === lane).length
      await queue.add(numbered('c', 300).map((id) => job(id, { lane: 'campaign' })))
      await until('campaign handlers hold their runners', () => count('campaign') === 16)
      await queue.add(numbered('w', 300).map((id) => job(id, { lane: 'workflow' })))
      await until('workflow handlers hold theirs', () => count('workflow') === 2)
      const start = performance.now()
      await queue.add([job('password')])
      await until('it is begun', () => count('transactional') === 1)
      expect(performance.now() - start).toBeLessThan(500)
      expect(LANES.map(count)).toEqual([1, 2, 16])
      held.release()
      await until('all have run', () => held.runs.length === 601)
    })
  })

  describe('a restart of PostgreSQL', () => {
    it('refuses jobs meanwhile, ends no handler, and goes on by itself', async () => {
      const server = await startPostgres({ own: true })
      try {
        const { queue, lines } = await open({ url: await server.database() })
        const held = hold(queue, 50)
        await held.start()
        // More than handlers take and more than is fetched ahead: some rows are in each place they can be.
        await queue.add(Array.from({ length: 4 }, (_, i) => job('', { ids: numbered(`before${i}`, 1000) })))
        await until('all runners are taken', () => held.runs.length === 20)
        await server.restart(async () => {
          await expect(queue.add([job('down')])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
          await expect(queue.waiting()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
          await expect(queue.check()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
        })
        held.release()
        await until('it answers again', () =>
          queue.check().then(
            () => true,
            () => false,
          ),
        )
        await queue.add([job('after')])
        const seen = () => new Set(held.runs.flat())
        await until('all have run', () => seen().size === 4001, 10_000)
        await until('nothing waits', async () => (await queue.waiting()) === 0)
        expect(lines).toEqual([
          'warn queue: it has lost its database and tries to reach it again',
          'info queue: it works again',
        ])
        await queue.stop(1000)
      } finally {
        await server.stop()
      }
    })

    it('can be stopped while the server is away', async () => {
      const server = await startPostgres({ own: true })
      const { queue } = await open({ url: await server.database() })
      const held = hold(queue, 1)
      await held.start()
      await queue.add([job('', { ids: numbered('a', 1000) }), job('', { ids: numbered('b', 1000) })])
      await until('all runners are taken', () => held.runs.length === 20)
      await server.stop()
      await until('it has seen it', () =>
        queue.check().then(
          () => false,
          () => true,
        ),
      )
      const stopped = queue.stop(100)
      await expect(stopped).resolves.toBeUndefined()
    })
  })

  it('runs handlers outside the async context of whoever added the ids', async () => {
    const { queue } = await open()
    const transaction = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    await transaction.run('open', async () => {
      await queue.work([worker('mail', 1, async () => void seen.push(transaction.getStore()))])
      await queue.add([job('a')])
    })
    await until('it has run', () => seen.length === 1)
    expect(seen).toEqual([undefined])
  })

  it('takes keys of any length, and of a key added twice at once the last', async () => {
    const { queue } = await open()
    const long = (end: string) => 'k'.repeat(2000) + end
    await queue.add([
      ...['a1', 'a2'].map((id) => job(id, { key: long('a'), lane: 'campaign' })),
      ...['b1', 'b2'].map((id) => job(id, { key: long('b'), lane: 'workflow' })),
      job('b3', { key: long('b') }),
    ])
    const seen: string[] = []
    await queue.work([worker('mail', 1, async (ids) => void seen.push(...ids))])
    await until('they have run', () => seen.length >= 2)
    await queue.add([job('end')]).then(() => until('nothing else runs', () => seen.includes('end')))
    expect(seen.sort()).toEqual(['a2', 'b3', 'end'])
  })

  it('keeps a job for the end of all days', async () => {
    const { queue } = await open()
    await expect(queue.add([job('a', { notBefore: new Date(8.64e15) })])).resolves.toBeUndefined()
    expect(await queue.waiting()).toBe(0)
  })

  it('refuses two workers for one task and a batch of nothing, and takes workers later', async () => {
    const { queue } = await open()
    const seen: string[] = []
    const mail = worker('mail', 1, async () => {})
    await queue.work([mail])
    await expect(queue.work([mail])).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(queue.work([{ ...mail, task: 'other', batch: 0 }])).rejects.toThrow('at least 1')
    await queue.work([worker('other', 1, async (ids) => void seen.push(...ids))])
    await queue.add([{ ...job('a'), task: 'other' }])
    await until('the later worker has run', () => seen.length === 1)
  })

  it('says that it cannot reach its database, without the password', async () => {
    const nobody = `postgres://mailwright:secret@127.0.0.1:${await freePort()}/mail`
    const error: Error = await open({ url: nobody }).then(
      () => expect.unreachable(),
      (thrown) => thrown,
    )
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(error.message).toMatch(/^queue: it cannot open its database: .*ECONNREFUSED/)
    expect(error.message).not.toContain('secret')
  })

  it('names wrong options', () => {
    const wrong = postgresQueue({ url: 'mysql://localhost', concurrency: 0, retryPauseMs: -1, schema: 'Mail Queue' })
    expect(wrong.problems().map(({ field }) => field)).toEqual(['url', 'concurrency', 'retryPauseMs', 'schema'])
    expect(postgresQueue({ url: 'postgres://localhost/mail' }).problems()).toEqual([])
  })
})

const opened: Queue[] = []
const clear = async () => {
  await Promise.all(opened.splice(0).map((queue) => queue.stop(0)))
  for (const lane of LANES) await client.query(`truncate mailwright_queue_${lane}._private_jobs`)
}
afterEach(clear)

async function open(options: { url?: string; concurrency?: number } = {}) {
  const lines: string[] = []
  const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
  const log: Log = { debug: () => {}, info: at('info'), warn: at('warn'), error: at('error'), with: () => log }
  const plugin = postgresQueue({ url, retryPauseMs: 60, ...options })
  const { queue } = await plugin.open({ log, clock: { now: () => new Date() } })
  opened.push(queue)
  return { queue, lines }
}

/** Waits until so many connections of worker processes listen. */
async function listening(count: number): Promise<void> {
  const ask = `select count(*)::int from pg_stat_activity
    where datname = current_database() and application_name = 'mailwright queue worker' and query = 'select 1'`
  await until('they listen', async () => (await client.query(ask)).rows[0].count >= count)
}

/** A worker of `mail` whose handlers wait until they are released. */
function hold(queue: Queue, batch: number) {
  const runs: (readonly string[])[] = []
  const lanes: Lane[] = []
  const waiting: (() => void)[] = []
  let open = false
  const handle: Worker['handle'] = async (ids, { lane, signal }) => {
    runs.push(ids)
    lanes.push(lane)
    if (open) return
    await new Promise<void>((done) => {
      waiting.push(done)
      signal.addEventListener('abort', () => done())
    })
  }
  const release = () => {
    open = true
    for (const done of waiting.splice(0)) done()
  }
  return { runs, lanes, start: () => queue.work([worker('mail', batch, handle)]), release }
}

function worker(task: string, batch: number, handle: Worker['handle']): Worker {
  return { task, batch, handle }
}

function job(id: string, given: Partial<Job> = {}): Job {
  return { task: 'mail', lane: 'transactional', ids: [id], ...given }
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`)
}
