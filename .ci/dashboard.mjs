// Builds the dashboard into dist/server/dashboard, and writes each file compressed, so that a server has nothing to compress. Answers the files it is made of.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'vite'

const FOLDER = 'dist/server/dashboard'

export async function buildDashboard() {
  const { output } = await build({ configFile: 'server/dashboard/vite.config.ts' })
  for (const name of readdirSync(FOLDER, { recursive: true })) {
    if (!/\.(js|css|svg)$/.test(name)) continue
    const bytes = readFileSync(join(FOLDER, name))
    writeFileSync(join(FOLDER, `${name}.gz`), gzipSync(bytes, { level: 9 }))
    writeFileSync(join(FOLDER, `${name}.br`), brotliCompressSync(bytes))
    // the server unpacks it for the few that take neither
    rmSync(join(FOLDER, name))
  }
  return output.flatMap(({ moduleIds = [] }) => moduleIds)
}
