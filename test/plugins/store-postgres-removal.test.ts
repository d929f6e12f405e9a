import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { email, event, NOON, newProjectId, put, putContact, removeWholly } from '../contracts/store/records.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { until } from '../support/until.ts'

it('leaves no event of a contact that is removed while an opening of its mail is written down', async () => {
  const url = await freshDatabase()
  const { store, close } = await postgres({ url }).open({ log: silentLog, clock: systemClock })
  onTestFinished(async () => close?.())
  const client = new Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
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
