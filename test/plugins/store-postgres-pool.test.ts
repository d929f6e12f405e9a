import { Pool, type PoolClient, type PoolConfig } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../config/library.ts'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { postgresQueue } from '../../plugins/queue-postgres/index.ts'
import { postgresScheduler } from '../../plugins/scheduler-postgres/index.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { project, putContact } from '../contracts/store/records.ts'
import { engineWithSink } from '../support/engine.ts'
import { bareDatabase, freshDatabase } from '../support/fresh-database.ts'

const MAIL = { from: 'hi@example.com', subject: 'Hi', body: 'Hi' }

describe('the PostgreSQL store on a pool of the host', () => {
  it('uses at most half of it, gives every connection back as it was, and never ends it', async () => {
    const url = await bareDatabase()
    const pool = poolOf({
      connectionString: url,
      max: 6,
      onConnect: async (client) => void (await client.query(HOSTS_OWN)),
    })
    // all are there, so that none is quicker than another
    for (const client of await Promise.all(Array.from({ length: 6 }, () => pool.connect()))) client.release()
    let [lent, most] = [0, 0]
    pool.on('acquire', () => {
      lent++
      most = Math.max(most, lent)
    })
    pool.on('release', () => lent--)
    const { store, close } = await postgres({ pool }).open({ log: silentLog, clock: systemClock })
    const [saved] = [project()]
    await store.projects.save(saved)
    await Promise.all(Array.from({ length: 30 }, (_, i) => putContact(store, saved.id, { email: `${i}@example.org` })))
    await Promise.all(Array.from({ length: 20 }, () => store.projects.list()))
    await Promise.all(Array.from({ length: 10 }, () => store.contacts.count(saved.id, { search: 'EXAMPLE' })))
    await expect(
      store.transaction(async (tx) => {
        await tx.projects.save(project())
        throw new Error('mine')
      }),
    ).rejects.toThrow('mine')
    await store.check()
    expect(await store.projects.list()).toHaveLength(1)
    expect(most).toBe(3)
    // a second one on the same connections, with statements of the same names
    const other = await postgres({ pool, schema: 'other' }).open({ log: silentLog, clock: systemClock })
    await other.store.projects.save(project())
    await Promise.all(
      Array.from({ length: 9 }, () => Promise.all([store.projects.list(), other.store.projects.list()])),
    )
    expect(await other.store.contacts.find(saved.id, saved.id)).toBeUndefined()
    await Promise.all([close?.(), other.close?.()])
    const clients = await Promise.all(Array.from({ length: 6 }, () => pool.connect()))
    for (const client of clients) expect(await settingsOf(client)).toEqual(HAD)
    for (const client of clients) client.release()
    expect(lent).toBe(0)
  })

  it('has it for the queue and the scheduler, too, which connect as the pool does by themselves', async () => {
    const url = new URL(await freshDatabase())
    const pool = poolOf({
      ...{ host: url.hostname, port: Number(url.port), user: url.username, database: url.pathname.slice(1), max: 4 },
      // a token that is asked for, as cloud databases have
      password: async () => url.password,
    })
    const { engine, project, sink } = await engineWithSink({
      store: postgres({ pool, maxConnections: 3 }),
      queue: postgresQueue({ pool }),
      scheduler: postgresScheduler({ pool }),
    })
    await engine.start()
    // three of four are the host's at the moment: one is left for the engine
    const held = await Promise.all(Array.from({ length: 3 }, () => pool.connect()))
    await engine.sending.send(project, { ...MAIL, to: 'a@example.org' })
    await sink.waitFor(1)
    await held[0]?.query('begin')
    await engine.sending.send(project, { ...MAIL, to: 'b@example.org' }, { client: held[0] })
    await held[0]?.query('commit')
    await sink.waitFor(2)
    for (const client of held) client.release()
    expect(pool.totalCount).toBeLessThanOrEqual(4)
    expect((await engine.health()).ok).toBe(true)
    await engine.stop()
    expect((await pool.query('select 1 as "one"')).rows).toEqual([{ one: 1 }])
  })

  it('gets over connections that die in the pool', async () => {
    const url = await freshDatabase()
    const pool = poolOf({ connectionString: url, max: 4 })
    pool.on('error', () => {})
    const { store, close } = await postgres({ pool }).open({ log: silentLog, clock: systemClock })
    onTestFinished(() => close?.())
    const killer = poolOf({ connectionString: url, max: 1 })
    const kill =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
    const refused = expect(
      store.transaction(async (tx) => {
        await tx.projects.save(project())
        await killer.query(kill)
        await tx.projects.save(project())
      }),
    ).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await refused
    await expect.poll(() => store.projects.list().catch(() => undefined)).toEqual([])
  })

  it('names the pool when its database cannot be opened, or when it has been ended', async () => {
    const url = new URL(await bareDatabase())
    const opening = (pool: Pool) => postgres({ pool }).open({ log: silentLog, clock: systemClock })
    const at = { host: url.hostname, port: Number(url.port), user: url.username, password: url.password, max: 2 }
    await expect(opening(poolOf({ ...at, database: 'nowhere' }))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/^store\.options\.pool: database "nowhere" .* does not exist/),
      fields: [{ field: 'store.options.pool' }],
    })
    await expect(opening(poolOf({ ...at, port: 1 }))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringMatching(/^store\.options\.pool: .* cannot be reached/),
    })
    const ended = new Pool({ connectionString: url.href, max: 2 })
    await ended.end()
    for (const plugin of [
      postgres({ pool: ended }),
      postgresQueue({ pool: ended }),
      postgresScheduler({ pool: ended }),
    ]) {
      expect(plugin.problems()).toMatchObject([{ field: 'pool', message: expect.stringMatching(/^has been ended/) }])
    }
    const engine = createEngine({ store: postgres({ pool: ended }) })
    await expect(engine).rejects.toMatchObject({ fields: [{ field: 'store.options.pool' }] })
  })

  it('says that the database is away once the pool is ended under it, and stops all the same', async () => {
    const pool = new Pool({ connectionString: await freshDatabase(), max: 4 })
    const { engine, project } = await engineWithSink({ store: postgres({ pool }) })
    await engine.start()
    await pool.end()
    await expect(engine.sending.send(project, { ...MAIL, to: 'a@example.org' })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })
    expect(await engine.health()).toMatchObject({ ok: false, parts: { store: { ok: false } } })
    await engine.stop()
  })

  it('is refused with the field that is wrong', () => {
    const [url, pool] = ['postgres://u:p@localhost/db', poolOf({ max: 4 })]
    expect(postgres({}).problems()).toEqual([{ field: 'url', code: 'required', message: 'is required' }])
    expect(postgres({ url, pool }).problems()).toMatchObject([
      { field: 'url', message: 'cannot be given together with pool' },
    ])
    expect(postgres({ pool: {} as never }).problems()).toMatchObject([
      { field: 'pool', message: 'must be a Pool of pg' },
    ])
    expect(postgres({ pool: poolOf({ max: 1 }) }).problems()).toMatchObject([{ field: 'pool' }])
    expect(postgresQueue({}).problems()).toMatchObject([{ field: 'url', code: 'required' }])
    expect(postgresScheduler({}).problems()).toMatchObject([{ field: 'url', code: 'required' }])
    expect(postgres({ pool: poolOf({ max: 2 }) }).problems()).toEqual([])
  })
})

const HOSTS_OWN = `set search_path to public; set timezone to 'Asia/Tokyo'; set statement_timeout to 1234`
const HAD = { path: 'public', zone: 'Asia/Tokyo', timeout: '1234ms', scans: 'on', jit: 'on' }

async function settingsOf(client: PoolClient): Promise<unknown> {
  const settings = `select current_setting('search_path') as path, current_setting('timezone') as zone,
    current_setting('statement_timeout') as timeout, current_setting('enable_seqscan') as scans, current_setting('jit') as jit`
  return (await client.query(settings)).rows[0]
}

function poolOf(config: PoolConfig): Pool {
  const pool = new Pool(config)
  onTestFinished(() => pool.end())
  return pool
}
