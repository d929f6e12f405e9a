import { defineConfig } from 'vitest/config'

// the defaults of vitest, as authors of plugins have them
export default defineConfig({
  test: { include: ['test/wrong-plugins/*.wrong.ts'], pool: 'forks', maxWorkers: 1, isolate: false },
})
