import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// apart from the package's name, which would lead to the compiled files: the defaults of vitest, as authors of plugins have them
export default defineConfig({
  resolve: {
    alias: [{ find: /^mailwright$/, replacement: fileURLToPath(new URL('../../config/library.ts', import.meta.url)) }],
  },
  test: { include: ['test/wrong-plugins/*.wrong.ts'], pool: 'forks', maxWorkers: 1, isolate: false },
})
