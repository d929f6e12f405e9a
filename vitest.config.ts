import { defineConfig } from 'vitest/config'

export default defineConfig({
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
