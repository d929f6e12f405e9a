import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { email, event, NOON, newProjectId, put, putContact, removeWholly } from '../contracts/store/records.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { until } from '../support/until.ts'

it('leaves no event of a contact that is removed while an opening of its mail is written down', async () => {
  const { store, client } = await freshStore()
  const waits = async () => {
    const { rows } = await client.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return rows.length > 0
  }

  const projectId = newProjectId()
  const { id: contactId } = await putContact(store, projectId)
  const mail = email(projectId, { contactId, status: 'DELIVERED' })
  await put(store, projectId, { emails: [mail] })
  const opened = event(projectId, contactId, { name: 'email.open', emailId: mail.id })
  const opening = { projectId, emailId: mail.id, kind: 'open', at: NOON, machine: false, event: opened } as const

  const [written, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const writing = store.transaction(async (tx) => {
    expect(await tx.emails.recordActivity([opening])).toEqual(['first'])
    written.resolve()
    await mayEnd.promise
  })
  await written.promise
  const removal = removeWholly(store, projectId, contactId)
  await until('the removal waits for the mail', waits)
  mayEnd.resolve()
  await writing
  await removal
  expect(await store.events.stats(projectId, {})).toEqual([])
  expect(await store.events.page(projectId, {}, { limit: 9 })).toEqual([])
})

it('leaves most mails on their page when their variables go, so that no index has to change', async () => {
  const { store, client } = await freshStore()
  const projectId = newProjectId()
  const mails = Array.from({ length: 1000 }, () =>
    email(projectId, { status: 'DELIVERED', variables: { name: 'Ada' } }),
  )
  await put(store, projectId, { emails: mails })
  const pages = async () => {
    const { rows } = await client.query(`select id, (ctid::text::point)[0] as page, variables from emails order by id`)
    return rows
  }
  const before = await pages()
  await store.retention.removeVariables(
    before.map(({ id }) => id),
    NOON,
  )
  const after = await pages()
  expect(after.filter(({ variables }) => Object.keys(variables).length > 0)).toEqual([])
  const moved = after.filter(({ page }, place) => page !== before[place]?.page)
  // a fourth of them have to leave first
  expect(moved.length).toBeGreaterThan(100)
  expect(moved.length).toBeLessThan(500)
})

/** A store, and a connection of its own to the same database. */
async function freshStore() {
  const url = await freshDatabase()
  const { store, close } = await postgres({ url }).open({ log: silentLog, clock: systemClock })
  onTestFinished(async () => close?.())
  const client = new Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return { store, client }
}
