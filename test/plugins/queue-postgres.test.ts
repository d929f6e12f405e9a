import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Log } from '../../core/ports/log.ts'
import type { Queue, Wake } from '../../core/ports/queue.ts'
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
  await open().then(({ queue }) => queue.stop())
})
afterAll(() => client.end())

describe('the PostgreSQL queue', () => {
  queueContract(async () => {
    const { queue } = await open()
    return { queue, other: async () => (await open()).queue, close: clear }
  })

  it('wakes an idle process at once when another rings', async () => {
    const [{ queue: rings }, { queue: works }] = [await open(), await open()]
    const woken: number[] = []
    await works.listen(['mail'], async () => void woken.push(performance.now()))
    await listening(1)
    const waits: number[] = []
    for (let i = 0; i < 20; i++) {
      const start = performance.now()
      await rings.ring('mail')
      waits.push((await until('it is woken', () => woken[i])) - start)
    }
    expect(Math.max(...waits)).toBeLessThan(500)
  })

  it('wakes for many rings a second a few times, and always after the last', async () => {
    const [{ queue: rings }, { queue: works }] = [await open(), await open()]
    let [stored, seen, wakes] = [0, 0, 0]
    await works.listen(['mail'], async () => {
      wakes++
      seen = stored
    })
    await listening(1)
    await Promise.all(
      Array.from({ length: 2000 }, async (_, i) => {
        await new Promise((resolve) => setTimeout(resolve, i % 100))
        stored++
        await rings.ring('mail')
      }),
    )
    await until('all is seen', () => seen === 2000)
    expect(wakes).toBeLessThan(500)
    // rows that are being finished may be there a moment longer
    await until('hardly a row is left', async () => {
      const { rows } = await client.query('select count(*)::int from mailwright_queue.jobs')
      return rows[0].count < 3
    })
  })

  it('takes a ring of a process that was killed while it took one', async () => {
    const { queue } = await open()
    await queue.ring('mail')
    // graphile-worker's mark of a row that a worker has taken
    await client.query(`update mailwright_queue._private_jobs set locked_at = now(), locked_by = 'dead'`)
    await queue.ring('mail')
    let wakes = 0
    await queue.listen(['mail'], async () => void wakes++)
    await until('it wakes', () => wakes === 1)
  })

  it('makes its tables once when all start on an empty database', async () => {
    const empty = await freshDatabase()
    const queues = await Promise.all([open({ url: empty }), open({ url: empty }), open({ url: empty })])
    for (const { queue } of queues) await expect(queue.check()).resolves.toBeUndefined()
    for (const { queue } of queues) await queue.stop()
  })

  describe('a restart of PostgreSQL', () => {
    it('refuses rings meanwhile, ends no wake, and goes on by itself', async () => {
      const server = await startPostgres({ own: true })
      try {
        const { queue, lines } = await open({ url: await server.database() })
        const held = Promise.withResolvers<void>()
        const topics: string[] = []
        const wake: Wake = async (topic) => {
          topics.push(topic)
          if (topic === 'slow') await held.promise
        }
        await queue.listen(['slow', 'mail'], wake)
        await queue.ring('slow')
        await until('it has begun', () => topics.length === 1)
        await server.restart(async () => {
          await expect(queue.ring('mail')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
          await expect(queue.check()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
        })
        await until('it answers again', () => answers(queue))
        await queue.ring('mail')
        await until('it wakes again', () => topics.includes('mail'), 10_000)
        held.resolve()
        expect(lines).toEqual([
          'warn queue: it has lost its database and tries to reach it again',
          'info queue: it works again',
        ])
        await queue.stop()
      } finally {
        await server.stop()
      }
    })

    it('can be stopped while the server is away', async () => {
      const server = await startPostgres({ own: true })
      const { queue } = await open({ url: await server.database() })
      await queue.listen(['mail'], async () => {})
      await queue.ring('mail', { at: new Date(Date.now() + 60_000) })
      await server.stop()
      await until('it has seen it', async () => !(await answers(queue)))
      await expect(queue.stop()).resolves.toBeUndefined()
    })
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
    const wrong = postgresQueue({ url: 'mysql://localhost', schema: 'Mail Queue' })
    expect(wrong.problems().map(({ field }) => field)).toEqual(['url', 'schema'])
    expect(postgresQueue({ url: 'postgres://localhost/mail' }).problems()).toEqual([])
  })
})

const opened: Queue[] = []
const clear = async () => {
  await Promise.all(opened.splice(0).map((queue) => queue.stop()))
  await client.query('truncate mailwright_queue._private_jobs')
}
afterEach(clear)

async function open(options: { url?: string } = {}) {
  const lines: string[] = []
  const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
  const log: Log = { debug: () => {}, info: at('info'), warn: at('warn'), error: at('error'), with: () => log }
  const { queue } = await postgresQueue({ url, ...options }).open({ log, clock: { now: () => new Date() } })
  opened.push(queue)
  return { queue, lines }
}

function answers(queue: Queue): Promise<boolean> {
  return queue.check().then(
    () => true,
    () => false,
  )
}

/** Waits until so many worker processes listen. */
async function listening(count: number): Promise<void> {
  const ask = `select count(*)::int from pg_stat_activity
    where datname = current_database() and application_name = 'mailwright queue worker' and query = 'select 1'`
  await until('they listen', async () => (await client.query(ask)).rows[0].count >= count)
}
