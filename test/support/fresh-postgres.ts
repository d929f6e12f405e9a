import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { freshDatabase } from './fresh-database.ts'

/** The PostgreSQL store over its own empty database, which is made on opening. */
export const freshPostgres = definePlugin({
  name: 'store-postgres',
  provides: ['store'],
  options: v.object({}),
  open: async (_options, kit) => postgres({ url: await freshDatabase() }).open(kit),
})
