import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import { systemClock } from '../../core/ports/clock.ts'
import { type Log, silentLog } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import {
  at,
  contact,
  email,
  event,
  NOON,
  newId,
  newProjectId,
  project,
  put,
  putContact,
  putEmail,
  request,
  result,
  suppression,
  template,
} from '../contracts/store/records.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'

let server: Postgres

beforeAll(async () => {
  server = await startPostgres({ own: true })
})

afterAll(() => server.stop())

describe('the PostgreSQL store, while its server goes away', () => {
  it('answers SERVICE_UNAVAILABLE whatever is asked, and works again by itself', async () => {
    const store = await open(await server.database())
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const mail = await putEmail(store, projectId)
    const due = { lane: 'workflow', projectIds: [projectId], share: 9 } as const
    const unavailable = { code: 'SERVICE_UNAVAILABLE', retryAfter: expect.any(Number) }
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.check(),
      () => store.projects.list(),
      () => store.projects.find(projectId),
      () => store.projects.save(project()),
      () => store.projects.findKey('hash'),
      () => store.contacts.find(projectId, ada.id),
      () => store.contacts.update({ ...ada, updatedAt: at(1) }),
      () => store.contacts.remove(projectId, newId(), NOON),
      () => store.events.record([event(projectId, ada.id)]),
      () => store.templates.insert(template(projectId)),
      () => store.suppressions.put(suppression(projectId, 'a@example.com')),
      () =>
        store.writeBatch.commit(
          request(projectId, () => ({ contacts: [], contents: [], emails: [], events: [], answer: null })),
        ),
      () => store.writeBatch.remembered(projectId, 'key', NOON),
      () => store.emails.claimDue(due, NOON, { token: 't', until: at(300) }),
      () => store.emails.record([result(mail, 't')]),
      () => store.emails.waiting('workflow'),
      () => store.transaction((tx) => tx.templates.insert(template(projectId))),
    ]
    await server.restart(async () => {
      for (const call of calls) await expect(call()).rejects.toMatchObject(unavailable)
    })
    for (const call of calls) await call()
    expect(await store.contacts.find(projectId, ada.id)).toEqual({ ...ada, updatedAt: at(1) })
  })

  it('loses nothing it has answered for, and writes nothing by halves', async () => {
    const store = await open(await server.database())
    const projectId = newProjectId()
    const taken = new Set<string>()
    const refused: unknown[] = []
    let stopped = false
    const accept = async () => {
      const [to, mail] = [contact(projectId), email(projectId)]
      const records = { contacts: [to], emails: [{ ...mail, contactId: to.id }], events: [event(projectId, to.id)] }
      try {
        await put(store, projectId, records)
        taken.add(mail.id)
      } catch (error) {
        refused.push(error)
        await pause(5)
      }
    }
    const load = Array.from({ length: 30 }, async () => {
      while (!stopped) await accept()
    })
    for (let i = 0; i < 3; i++) {
      await until(() => taken.size > 200 * (i + 1))
      await server.restart(() => pause(50))
    }
    const before = taken.size
    await until(() => taken.size > before + 200)
    stopped = true
    await Promise.all(load)

    expect(refused.length).toBeGreaterThan(0)
    for (const error of refused) expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    const stored = await store.emails.page(projectId, {}, { limit: 100_000 })
    const ids = new Set(stored.map(({ id }) => id))
    expect([...taken].filter((id) => !ids.has(id))).toEqual([])
    // a commit whose answer was lost may have been written, but then all of it
    expect(await store.contacts.count(projectId, {})).toBe(stored.length)
    expect(await store.events.stats(projectId, {})).toMatchObject([{ count: stored.length }])
  })

  it('rolls back the transaction whose session was ended, and tells its caller', async () => {
    const url = await server.database()
    const store = await open(url)
    const projectId = newProjectId()
    const ada = await putContact(store, projectId, { data: { n: 1 } })
    const work = store.transaction(async (tx) => {
      await tx.contacts.lock(projectId, ada.id)
      await tx.contacts.update({ ...ada, data: { n: 2 } })
      await endSessions(url)
      await tx.contacts.update({ ...ada, data: { n: 3 } })
    })
    await expect(work).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect((await store.contacts.find(projectId, ada.id))?.data).toEqual({ n: 1 })
  })

  it('does not tell a transaction as written in which a statement failed, though its work went on', async () => {
    const store = await open(await server.database())
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const twice = event(projectId, ada.id)
    const work = store.transaction(async (tx) => {
      await tx.events.record([twice])
      await tx.events.record([twice]).catch(() => {})
    })
    await expect(work).rejects.toThrow(/nothing of it was written/)
    expect(await store.events.stats(projectId, {})).toEqual([])
  })

  it('tells in the log that a worker has lost it, and once that it is back', async () => {
    const url = await server.database()
    const lines: string[] = []
    const note = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
    const log: Log = { debug() {}, info: note('info'), warn: note('warn'), error: note('error'), with: () => log }
    const { workers } = await open(url, log)
    const member = await workers!.join()
    lines.length = 0
    await endSessions(url)
    await until(() => lines.some((line) => line.startsWith('info')))
    expect(lines).toEqual([
      'warn this worker has lost its database and sends nothing before it is back',
      'info this worker has its database back and sends again',
    ])
    await member.leave()
  })

  it('is closed without waiting for it', async () => {
    const store = await postgres({ url: await server.database() }).open(kit)
    await server.restart(async () => {
      await store.close?.()
      await expect(store.store.check()).rejects.toSatisfy(EngineError.is)
    })
  })
})

const kit = { log: silentLog, clock: systemClock }

async function open(url: string, log: Log = silentLog): Promise<Store> {
  const { store, close } = await postgres({ url }).open({ ...kit, log })
  onTestFinished(() => close?.())
  return store
}

/** Ends every other session of the database, as an operator may. */
async function endSessions(url: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(5)
}
