import { beforeAll, describe } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { storeContract } from '../contracts/store.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { freshDatabase } from '../support/fresh-database.ts'

describe('the PostgreSQL store', () => {
  let url: string

  beforeAll(async () => {
    url = await freshDatabase()
  })

  storeContract(async () => {
    const open = () => postgres({ url }).open({ log: silentLog, clock: systemClock })
    let opened = await open()
    await emptyDatabase(url)
    return {
      store: opened.store,
      reopen: async () => {
        await opened.close?.()
        opened = await open()
        return opened.store
      },
      close: async () => opened.close?.(),
    }
  })
})
