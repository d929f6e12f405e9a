import { describe } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { storeContract } from '../contracts/store/store.ts'
import { emptier } from '../support/empty-database.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { storeSubject } from '../support/store-subject.ts'

describe('the PostgreSQL store', () => {
  storeContract(async () => {
    const url = await freshDatabase()
    const open = () => postgres({ url }).open({ log: silentLog, clock: systemClock })
    return storeSubject(open, () => emptier(url))
  })
})
