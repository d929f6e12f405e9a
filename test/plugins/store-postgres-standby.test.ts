import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { firstIdAt, NIL_ID } from '../../core/values/id.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { at, event, project, putContact } from '../contracts/store/records.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { freePort } from '../support/server-process.ts'
import { until } from '../support/until.ts'

// A real standby by streaming replication: catches reads that miss what was just written, and reads that fail or wait without it.

let primary: Postgres
let standby: Postgres
let url: string
let readUrl: string

beforeAll(async () => {
  primary = await startPostgres({ own: true })
  standby = await primary.standby()
  url = await primary.database()
  readUrl = onStandby(url)
  // the database itself comes with the log as well
  const name = new URL(url).pathname.slice(1)
  await until('the standby has the database', async () => {
    return (await ask(standby.url, `select 1 from pg_database where datname = '${name}'`))[0]
  })
})
afterAll(async () => {
  await standby.stop()
  await primary.stop()
})

const onStandby = (address: string) => address.replace(new URL(address).host, new URL(standby.url).host)

async function open(options: object = {}) {
  const lines: string[] = []
  const log = {
    ...silentLog,
    warn: (message: string) => void lines.push(message),
    info: (message: string) => void lines.push(message),
  }
  const { store, ...opened } = await postgres({ url, readUrl, ...options }).open({ log, clock: systemClock })
  let closed: Promise<void> | undefined
  const close = () => (closed ??= opened.close?.() ?? Promise.resolve())
  onTestFinished(close)
  const saved = project()
  await store.projects.save(saved)
  return { store, lines, close, projectId: saved.id }
}

async function ask(address: string, sql: string) {
  const client = new Client(address)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** How many transactions of this database the standby has ended. */
const ended = async () => {
  const name = new URL(url).pathname.slice(1)
  const [row] = await ask(standby.url, `select xact_commit as n from pg_stat_database where datname = '${name}'`)
  return Number(row.n)
}

it('takes the reads of many rows, which see what was written just before', async () => {
  const { store, projectId, close } = await open()
  const before = await ended()
  for (let i = 1; i <= 60; i++) {
    await putContact(store, projectId, { email: `ada${i}@example.org` })
    expect(await store.contacts.count(projectId, { search: 'ada' })).toBe(i)
  }
  // a process tells what it did when it ends
  await close()
  await until('the standby has answered', async () => (await ended()) >= before + 60)
})

it('sees at once what retention has removed', async () => {
  const { store, projectId } = await open()
  const ada = await putContact(store, projectId)
  await store.events.record(Array.from({ length: 20 }, () => event(projectId, ada.id)))
  const stretch = { after: NIL_ID, before: firstIdAt(at(60)), limit: 1 }
  for (let left = 19; left > 0; left--) {
    await store.retention.removeEvents(stretch)
    expect(await store.events.names(projectId)).toEqual([{ name: 'signed.up', count: left }])
  }
})

it('leaves them to the primary while it is behind, and while it is away, and takes them again', async () => {
  const { store, projectId, lines } = await open()
  const add = async (email: string, expected: number) => {
    await putContact(store, projectId, { email })
    expect(await store.contacts.count(projectId, { search: 'ada' })).toBe(expected)
  }
  await ask(readUrl, 'select pg_wal_replay_pause()')
  await add('ada1@example.org', 1)
  expect(lines).toContain('the standby of PostgreSQL is behind: the primary takes its reads')
  await ask(readUrl, 'select pg_wal_replay_resume()')
  await until('it takes reads again', async () => {
    await store.contacts.count(projectId, { search: 'ada' })
    return lines.includes('the standby of PostgreSQL takes reads again')
  })
  await standby.restart(() => add('ada2@example.org', 2))
  await add('ada3@example.org', 3)
})

it('need not be there at the start', async () => {
  const away = readUrl.replace(/:\d+\//, `:${await freePort()}/`)
  const { store, projectId, lines } = await open({ readUrl: away })
  expect(lines).toContain('the standby of PostgreSQL cannot be used: the primary takes its reads')
  await putContact(store, projectId, { email: 'ada@example.org' })
  expect(await store.contacts.count(projectId, { search: 'ada' })).toBe(1)
})

it('is refused when it is none, one of another server, or one that refuses the password', async () => {
  const refused = (message: RegExp) => ({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) })
  await expect(open({ readUrl: url })).rejects.toMatchObject(refused(/^store\.options\.readUrl: .* is no standby/))
  const other = await startPostgres({ own: true, unlike: true })
  onTestFinished(() => other.stop())
  const elsewhere = await other.database()
  await ask(primary.url, `create database ${new URL(elsewhere).pathname.slice(1)}`)
  const given = { url: elsewhere, readUrl: onStandby(elsewhere) }
  await until('the standby has the database', () => ask(given.readUrl, 'select 1').catch(() => undefined))
  await expect(open(given)).rejects.toMatchObject(refused(/is a standby of another server than that of the store$/))
  const wrong = readUrl.replace(/:[^:@]+@/, ':wrong@')
  await expect(open({ readUrl: wrong })).rejects.toMatchObject(refused(/does not accept this password/))
  await expect(open({ readUrl: 'mysql://a/b' })).rejects.toThrow(/readUrl: must be a URL/)
})
