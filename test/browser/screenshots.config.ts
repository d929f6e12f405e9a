import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { include: ['test/browser/take-screenshots.ts'], testTimeout: 600_000 } })
