import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // the examples name the package; its own name would lead to the compiled files
  resolve: {
    alias: [{ find: /^mailwright$/, replacement: fileURLToPath(new URL('config/library.ts', import.meta.url)) }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/postgres-for-all.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // much of the time is spent waiting for servers and clocks
    maxWorkers: 4,
    dangerouslyIgnoreUnhandledErrors: false,
  },
})
