import { createRequire } from 'node:module'

// The product as it is packed: compiled, with its threads and pages. What browser tests show is then what is run. By `require`,
// since the test runner would compile it once more.
const compiled = createRequire(import.meta.url)
const library: typeof import('../../config/library.ts') = compiled('../../dist/config/library.js')
const server: typeof import('../../server/index.ts') = compiled('../../dist/server/index.js')

export const { createEngine, silentLog } = library
export const { createApp } = server
