import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Figure } from './figure.ts'

/** Run in a process that has loaded nothing, in an empty folder. Prints milliseconds. */
const APP = (dist: string) => `
  const begun = performance.now()
  const { createEngine } = await import('${dist}config/library.js')
  const { sqlite } = await import('${dist}plugins/store-sqlite/index.js')
  const times = [performance.now() - begun]
  for (const file of ['first.db', 'again.db', ':memory:']) {
    const from = performance.now()
    const engine = await createEngine({ store: sqlite({ file }) })
    times.push(performance.now() - from)
    await engine.stop()
  }
  console.log(JSON.stringify(times))
`

/** The waiting time of an app that embeds the engine: the import, and an engine on a new file and in memory. */
export async function measureEmbedding(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-embedding-'))
  const script = APP(new URL('../', import.meta.url).href)
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: folder })
  rmSync(folder, { recursive: true, force: true })
  const [imported, first, again, memory] = JSON.parse(stdout) as [number, number, number, number]
  return [
    { what: 'import of the package', value: imported, unit: 'ms' },
    { what: 'createEngine on a new file', value: first, unit: 'ms', note: 'first engine of a process' },
    { what: 'createEngine on another new file', value: again, unit: 'ms' },
    { what: 'createEngine in memory', value: memory, unit: 'ms', note: 'third engine of a process' },
  ]
}
