import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { SlowFirst } from './test/support/slow-first.ts'

export default defineConfig({
  // the examples name the package; its own name would lead to the compiled files
  resolve: {
    alias: [{ find: /^mailwright$/, replacement: fileURLToPath(new URL('config/library.ts', import.meta.url)) }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/databases-for-all.ts'],
    setupFiles: ['test/support/each-file.ts'],
    // only what hangs takes so long, also on a machine that is three times slower
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    // a worker loads the modules once for all files it runs, which takes longer than most files
    isolate: false,
    // much of the time is spent waiting for servers and clocks
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    dangerouslyIgnoreUnhandledErrors: false,
  },
})
