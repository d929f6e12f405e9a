import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** None of what `npm run` gave this process. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_(?!EXTRA_CA_CERTS)|VITEST)/.test(name)),
)

let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-plugin-'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'host', private: true }))
  await npm(folder, 'install', '--omit=dev', '--omit=optional', inject('tarball'))
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const npm = (cwd: string, ...words: string[]) =>
  run('npm', [...words, '--prefer-offline', '--no-audit', '--no-fund'], { cwd, env, maxBuffer: 1e8 })
const mailwright = (...words: string[]) =>
  run(process.execPath, [join(folder, 'node_modules/mailwright/dist/server/bin.js'), ...words], { cwd: folder, env })

describe('mailwright plugin new', { timeout: 600_000 }, () => {
  it('writes a plugin of every port that passes its contract', async () => {
    const ports = portsOfOutsiders()
    for (const port of ports) {
      const { stdout } = await mailwright('plugin', 'new', port, `my-${port}`)
      expect(stdout).toContain(`"use": "./my-${port}/plugin.ts"`)
      const own = join(folder, `my-${port}`)
      const manifest = join(own, 'package.json')
      const written = JSON.parse(readFileSync(manifest, 'utf8'))
      expect(written).toMatchObject({ name: `mailwright-my-${port}`, private: true, scripts: { test: 'vitest run' } })
      expect(readFileSync(join(own, 'plugin.ts'), 'utf8')).toMatch(/export const my\w+ = definePlugin/)
      // this version is in no registry yet
      written.devDependencies.mailwright = `file:${inject('tarball')}`
      writeFileSync(manifest, JSON.stringify(written))
    }
    const workspaces = ports.map((port) => `my-${port}`)
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'host', private: true, workspaces }))
    await npm(folder, 'install')
    const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
    const args = [vitest, 'run', '--reporter=json', '--outputFile=result.json']
    const printed = await run(process.execPath, args, { cwd: folder, env, maxBuffer: 1e8 }).catch((error) => error)
    const { testResults } = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as Results
    expect(
      testResults.filter(({ status }) => status !== 'passed'),
      printed.stderr,
    ).toEqual([])
    expect(testResults.map(({ name }) => basename(dirname(name))).sort()).toEqual(workspaces.sort())
  })

  it('overwrites nothing, and says what is wrong', async () => {
    const file = join(folder, 'taken')
    writeFileSync(file, 'mine')
    await expect(mailwright('plugin', 'new', 'transport', 'taken')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is a folder taken already'),
    })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    await expect(mailwright('plugin', 'new', 'transport', '../escape')).rejects.toMatchObject({
      stderr: expect.stringContaining('small letters'),
    })
    await expect(mailwright('plugin', 'new', 'store', 'mine')).rejects.toMatchObject({
      stderr: expect.stringContaining(portsOfOutsiders()[0] ?? 'none'),
    })
  })
})

interface Results {
  readonly testResults: readonly { readonly name: string; readonly status: string }[]
}

/** The ports of the table in docs/plugins.md, without the store. */
function portsOfOutsiders(): string[] {
  const table = readFileSync(join(ROOT, 'docs/plugins.md'), 'utf8').matchAll(/^\| `(\w+)` \| `\w+`.*Contract` \|$/gm)
  return [...table].flatMap(([, port = '']) => (port === 'store' ? [] : [port]))
}
