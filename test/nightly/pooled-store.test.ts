import { afterAll, beforeAll, describe, inject } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { storeContract } from '../contracts/store/store.ts'
import { emptier } from '../support/empty-database.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { storeSubject } from '../support/store-subject.ts'

// The whole contract of the store where each transaction may have another session; test/faults/pooler.test.ts sends through one.

let pooler: PgBouncer

beforeAll(async () => {
  pooler = await startPgBouncer(inject('postgresUrl'))
})
afterAll(() => pooler.stop())

describe('the PostgreSQL store through PgBouncer in transaction mode', () => {
  storeContract(async () => {
    const url = await freshDatabase()
    const open = () => postgres({ url: pooler.through(url) }).open({ log: silentLog, clock: systemClock })
    return storeSubject(open, () => emptier(url))
  })
})
