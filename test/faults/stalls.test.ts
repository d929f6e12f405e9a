import { letsNobodyWait, WORK, WORK_OF_THE_STORE } from '../support/stalls.ts'

letsNobodyWait({ name: 'SQLite', store: async () => ({}), work: () => [...WORK, ...WORK_OF_THE_STORE] })
