import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'

/* Run on its own with a path and a URL: migrates the SQLite file and the PostgreSQL database to the current schema. */

const [file = '', url = ''] = process.argv.slice(2)
for (const plugin of [sqlite({ file }), postgres({ url })]) {
  const opened = await plugin.open({ log: silentLog, clock: systemClock })
  await opened.close?.()
}
