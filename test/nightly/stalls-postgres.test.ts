import { freshDatabase } from '../support/fresh-database.ts'
import { letsNobodyWait, WORK_OF_THE_STORE } from '../support/stalls.ts'

letsNobodyWait({
  name: 'PostgreSQL',
  store: async () => ({ store: { use: 'postgres', options: { url: await freshDatabase() } } }),
  work: () => WORK_OF_THE_STORE,
})
