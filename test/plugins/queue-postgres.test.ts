import { describe } from 'vitest'
import { silentLog } from '../../core/ports/log.ts'
import { postgresQueue } from '../../plugins/queue-postgres/index.ts'
import { queueContract } from '../contracts/queue.ts'
import { freshDatabase } from '../support/fresh-database.ts'

describe('the PostgreSQL queue', () => {
  queueContract(async () => {
    const url = await freshDatabase()
    const { queue, close } = await postgresQueue({ url, retryPauseMs: 60 }).open({
      log: silentLog,
      clock: { now: () => new Date() },
    })
    return { queue, close: async () => close?.() }
  })
})
