import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The environment of this process without what `npm run` and the test runner gave it. */
export const PLAIN_ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_(?!EXTRA_CA_CERTS)|VITEST|TEST$)/.test(name)),
)

/** Makes a folder of another program and installs these packages there, without their scripts. Answers its path. */
export async function hostWith(folder: string, name: string, packages: readonly string[]): Promise<string> {
  const host = join(folder, name)
  mkdirSync(host)
  writeFileSync(join(host, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }))
  const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', ['install', ...quiet, ...packages], { cwd: host, env: PLAIN_ENV, maxBuffer: 1e8 })
  return host
}
