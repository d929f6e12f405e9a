import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { configFolder } from './config-folder.ts'

const SCRIPT = `
const { loadConfig } = await import(process.argv[1])
const { server, engine } = await loadConfig({ cwd: process.argv[2], env: {} })
console.log(JSON.stringify({ port: server.port, transports: engine.transports.map(({ name, plugin }) => [name, plugin.name]) }))
`

it('Node itself reads a TypeScript config and its TypeScript plugin, without a compiler', async () => {
  const cwd = await configFolder({
    'mailwright.config.ts': `
      interface Config { readonly server: { readonly port: number }; readonly transports: readonly unknown[] }
      const config: Config = { server: { port: 4000 }, transports: [{ name: 'main', use: './acme.ts' }] }
      export default config`,
    'acme.ts': `
      type Problem = { readonly field: string }
      export default () => ({ name: 'acme', provides: ['transport'] as const, problems: (): Problem[] => [], open() {} })`,
    'package.json': '{"type":"module"}',
  })
  const door = new URL('../../config/index.ts', import.meta.url).href
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    SCRIPT,
    door,
    cwd,
  ])
  expect({ stderr, ...JSON.parse(stdout) }).toEqual({ stderr: '', port: 4000, transports: [['main', 'acme']] })
})
