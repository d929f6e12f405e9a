import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { batches } from '../../plugins/kit/sql/copy/copy-rows.ts'
import { postgresSide } from '../../plugins/store-postgres/copy-side.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { sqliteSide } from '../../plugins/store-sqlite/copy-side.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'

/** Opens the store as an engine does. */
export async function within<T>(place: string, work: (store: Store) => Promise<T>): Promise<T> {
  const plugin = place.startsWith('postgres') ? postgres({ url: place }) : sqlite({ file: place })
  const { store, close } = await plugin.open({ log: silentLog, clock: systemClock })
  try {
    return await work(store)
  } finally {
    await close?.()
  }
}

/** All rows as records, by table. */
export async function dump(place: string): Promise<Map<string, object[]>> {
  // an unfinished copy can be looked at as a target only
  const end = (await isUnfinished(place)) ? 'to' : 'from'
  const side = await (place.startsWith('postgres') ? postgresSide(place, end) : sqliteSide(place, end))
  try {
    const rows = new Map<string, object[]>()
    for (const table of side.tables) {
      const records: object[] = []
      for await (const batch of batches(side.database, table, undefined)) records.push(...batch)
      rows.set(table.name.replaceAll('"', ''), records)
    }
    return rows
  } finally {
    await side.close()
  }
}

async function isUnfinished(place: string): Promise<boolean> {
  return within(place, async () => false).catch((error) => error.code === 'STORE_LOCKED')
}
