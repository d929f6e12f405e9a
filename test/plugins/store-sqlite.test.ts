import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { storeContract } from '../contracts/store.ts'

describe('the SQLite store', () => {
  describe('on a file', () =>
    storeContract(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'mailwright-store-'))
      const open = () => sqlite({ file: join(folder, 'test.db') }).open(kit)
      let opened = await open()
      return {
        store: opened.store,
        reopen: async () => {
          await opened.close?.()
          opened = await open()
          return opened.store
        },
        close: async () => {
          await opened.close?.()
          await rm(folder, { recursive: true })
        },
      }
    }))

  describe('in memory', () =>
    storeContract(async () => {
      const opened = await sqlite({ file: ':memory:' }).open(kit)
      return { store: opened.store, close: async () => opened.close?.() }
    }))
})

const kit = { log: silentLog, clock: systemClock }
