import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { email, NOON, newProjectId, put } from '../contracts/store/records.ts'
import { freshDatabase } from '../support/fresh-database.ts'

it('leaves most mails on their page when their variables go, so that no index has to change', async () => {
  const url = await freshDatabase()
  const { store, close } = await postgres({ url }).open({ log: silentLog, clock: systemClock })
  onTestFinished(async () => close?.())
  const client = new Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
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
