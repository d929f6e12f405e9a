import { afterAll, beforeAll, describe } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { storeContract } from '../contracts/store/store.ts'
import { emptier } from '../support/empty-database.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { storeSubject } from '../support/store-subject.ts'
import { until } from '../support/until.ts'

// The whole contract of the store where a standby takes the reads of many rows: none may miss what was written just before.

let primary: Postgres
let standby: Postgres

beforeAll(async () => {
  primary = await startPostgres({ own: true })
  standby = await primary.standby()
})
afterAll(async () => {
  await standby.stop()
  await primary.stop()
})

describe('the PostgreSQL store with a standby', () => {
  storeContract(async () => {
    const url = await primary.database()
    const readUrl = url.replace(new URL(url).host, new URL(standby.url).host)
    const open = () => postgres({ url, readUrl }).open({ log: silentLog, clock: systemClock })
    await until('the standby has the database', () =>
      open().then(
        ({ close }) => close?.().then(() => true),
        () => false,
      ),
    )
    return storeSubject(open, () => emptier(url))
  })
})
