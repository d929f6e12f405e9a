import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderOfRun } from '../support/folder-of-run.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { until } from '../support/until.ts'

const SETUP = new URL('../support/folder-of-run.ts', import.meta.url).href

// a run that Ctrl-C ended had left hundreds of folders in the memory of the machine
it('has the folder of a test run go with it, however it ends', async () => {
  const parent = freshFolder()
  const { folder, remove } = folderOfRun(parent)
  writeFileSync(join(folder, 'file'), 'x')
  await remove()
  expect(existsSync(folder)).toBe(false)

  const code = `import { folderOfRun } from '${SETUP}'
console.log(folderOfRun(process.argv[1]).folder)
setInterval(() => {}, 1000)`
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    const run = spawn(process.execPath, ['--input-type=module', '-e', code, parent], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = await once(run.stdout, 'data')
    const of = String(said).trim()
    writeFileSync(join(of, 'file'), 'x')
    // as a terminal does it: the group gets it
    process.kill(-run.pid!, signal)
    await until(`the folder goes after ${signal}`, () => !existsSync(of))
  }
})
