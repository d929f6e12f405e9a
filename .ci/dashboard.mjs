// Builds the dashboard into dist/server/dashboard, and writes each file compressed beside it, so that a server has nothing to compress.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'vite'

const FOLDER = 'dist/server/dashboard'

export async function buildDashboard() {
  await build({ configFile: 'server/dashboard/vite.config.ts' })
  for (const name of readdirSync(FOLDER, { recursive: true })) {
    if (!/\.(js|css|svg)$/.test(name)) continue
    const bytes = readFileSync(join(FOLDER, name))
    writeFileSync(join(FOLDER, `${name}.gz`), gzipSync(bytes, { level: 9 }))
    writeFileSync(join(FOLDER, `${name}.br`), brotliCompressSync(bytes))
  }
}
