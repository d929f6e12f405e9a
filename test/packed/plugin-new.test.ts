import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** None of what `npm run` gave this process. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_(?!EXTRA_CA_CERTS)|VITEST)/.test(name)),
)

let folder: string
let tarball: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-plugin-'))
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [{ filename }] = JSON.parse((await run('npm', pack, { cwd: ROOT })).stdout) as [{ filename: string }]
  tarball = join(folder, filename)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'host', private: true }))
  await npm(folder, 'install', '--omit=dev', '--omit=optional', tarball)
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const npm = (cwd: string, ...words: string[]) =>
  run('npm', [...words, '--prefer-offline', '--no-audit', '--no-fund'], { cwd, env, maxBuffer: 1e8 })
const mailwright = (...words: string[]) =>
  run(process.execPath, [join(folder, 'node_modules/mailwright/dist/server/bin.js'), ...words], { cwd: folder, env })

describe('mailwright plugin new', { timeout: 600_000 }, () => {
  it.each(['transport', 'queue', 'blobs', 'hook'])('writes a %s that passes its contract', async (port) => {
    const { stdout } = await mailwright('plugin', 'new', port, `my-${port}`)
    expect(stdout).toContain(`"use": "./my-${port}/plugin.ts"`)
    const own = join(folder, `my-${port}`)
    // this version is in no registry yet
    const manifest = join(own, 'package.json')
    const written = JSON.parse(readFileSync(manifest, 'utf8'))
    expect(written).toMatchObject({ name: `mailwright-my-${port}`, private: true, scripts: { test: 'vitest run' } })
    written.devDependencies.mailwright = `file:${tarball}`
    writeFileSync(manifest, JSON.stringify(written))
    await npm(own, 'install')
    expect((await npm(own, 'test')).stdout).toMatch(/Tests\D+\d+ passed \(\d+\)|Tests.*passed/)
    expect(readFileSync(join(own, 'plugin.ts'), 'utf8')).toMatch(/export const my\w+ = definePlugin/)
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
      stderr: expect.stringContaining('transport, queue, blobs, hook'),
    })
  })
})
