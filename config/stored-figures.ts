import { systemClock } from '../core/ports/clock.ts'
import { silentLog } from '../core/ports/log.ts'
import type { FigureDifference } from '../core/ports/store/analytics.ts'
import { OpenPlugins } from '../core/start/open-plugins.ts'
import { loadConfig } from './load.ts'
import { requireDatabase } from './require-database.ts'

/** The result of a recount of one project. */
export interface Recounted {
  readonly project: string
  readonly differences: readonly FigureDifference[]
}

/**
 * Counts the figures of every project of the configured store anew, with `mend` puts right what differs, and tells of
 * each project as soon as it is counted. Only the store is opened. Throws EngineError, `STORE_LOCKED` while another
 * process has a file of SQLite open.
 */
export async function recountFigures(
  path: string | undefined,
  mend: boolean,
  told: (recounted: Recounted) => void,
): Promise<void> {
  const { engine } = await loadConfig({ path })
  await requireDatabase(engine)
  const plugins = new OpenPlugins({ log: silentLog, clock: systemClock })
  try {
    const { store } = await plugins.open('store', engine.store)
    for (const { id, name } of await store.projects.list()) {
      told({ project: name, differences: await store.analytics.recount(id, mend) })
    }
  } finally {
    await plugins.close()
  }
}
