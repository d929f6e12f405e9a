import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// The steps of docs/production.md to install are done as they stand there, in a copy of the repository that has nothing
// but the packages. Those are what `npm ci` left here: it takes longer than all the rest, and `.ci/run` has begun with
// it on a bare machine.

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const [, section = ''] =
  /^## Installing\n(.*?)^## /ms.exec(readFileSync(join(ROOT, 'docs/production.md'), 'utf8')) ?? []
const BLOCKS = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block.trim().split('\n'))
/** The page's place for a package. */
const PLACE = '/opt/mailwright'

/** The machine's own Node, old as it may be, and none of what `npm run` gave this process, but for the network's certificates. */
const PATH = process.env.PATH?.split(':').filter((place) => !place.includes('node_modules'))
const ENV = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_(?!EXTRA_CA_CERTS)|VITEST)/.test(name)),
  ),
  npm_config_prefer_offline: 'true',
}

let folder: string
let clone: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-installing-'))
  clone = join(folder, 'clone')
  const listed = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  for (const path of listed.split('\0').filter(Boolean)) cpSync(join(ROOT, path), join(clone, path))
  // more than a gigabyte, so its files are linked where they can be; npm and the build replace files, but for these
  const [from, to] = [join(ROOT, 'node_modules'), join(clone, 'node_modules')]
  await run('cp', ['-al', from, to]).catch(async () => {
    rmSync(to, { recursive: true, force: true })
    await run('cp', ['-a', from, to])
  })
  for (const written of ['.package-lock.json', '.cache', '.vite']) {
    rmSync(join(to, written), { recursive: true, force: true })
    if (existsSync(join(from, written))) cpSync(join(from, written), join(to, written), { recursive: true })
  }
  // compiled once more only where the sources here have changed since; the copy is packed without doing so again
  cpSync(join(ROOT, 'dist'), join(clone, 'dist'), { recursive: true })
  await run(process.execPath, ['.ci/build.mjs', '--if-changed'], { cwd: clone })
}, 600_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('what docs/production.md says of installing', { timeout: 900_000 }, () => {
  it('has a way with a clone and one with a package, each with the command that starts it', () => {
    expect(BLOCKS.map((lines) => lines.at(-1))).toEqual(['npm start', `${PLACE}/node_modules/.bin/mailwright`])
  })

  // the package first: it is made with the packages for developers, and the clone is then compiled already
  it.each([
    {
      lines: (BLOCKS[1] ?? []).map((line) => line.replace('npm pack', 'npm pack --ignore-scripts')),
      done: 'npm ci && ',
    },
    { lines: BLOCKS[0] ?? [], done: 'npm ci && npm run build && ' },
  ])('$lines', async ({ lines, done }) => {
    const place = join(folder, 'opt')
    expect(lines[0]?.slice(0, done.length)).toBe(done)
    const left = [lines[0]?.slice(done.length) ?? '', ...lines.slice(1)]
    const [start = '', ...before] = left.map((line) => line.replaceAll(PLACE, place)).toReversed()
    await run('sh', ['-ec', before.toReversed().join('\n')], { cwd: clone, env: { ...ENV, PATH: PATH?.join(':') } })
    const isPackage = start.includes(place)
    // a package runs on the system's Node, which has to be new enough
    const path = isPackage ? [dirname(process.execPath), ...(PATH ?? [])] : PATH
    const home = isPackage ? join(folder, 'home') : clone
    mkdirSync(home, { recursive: true })
    const child = spawn('sh', ['-c', start], {
      ...{ cwd: home, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
      env: { ...ENV, PATH: path?.join(':'), PORT: '0' },
    })
    const ended = once(child, 'exit')
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
    try {
      while (!printed.includes('Mailwright is ready')) {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${printed}`)
        await pause(100)
      }
      const [, key] = /Bearer (sk_\w+)/.exec(printed) ?? []
      const [, url] = /"url":"(http[^"]+)"/.exec(printed) ?? []
      const answer = await fetch(`${url}/v1/verify`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'ada@gmial.com' }),
      })
      expect(await answer.json()).toMatchObject({ data: { suggestedEmail: 'ada@gmail.com' } })
    } finally {
      // with all it started
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
      await ended
    }
  })
  it('adds parts to those that were added before, in the clone', async () => {
    const env = { ...ENV, PATH: PATH?.join(':') }
    await run('npm', ['run', 'add', 'mcp'], { cwd: clone, env })
    const there = (name: string) => existsSync(join(clone, 'node_modules', name))
    expect(['node', '@modelcontextprotocol/sdk', 'typescript'].filter(there)).toEqual([
      'node',
      '@modelcontextprotocol/sdk',
    ])
    const { stdout } = await run('npm', ['run', 'add', 'node', 'mcp'], { cwd: clone, env })
    expect(stdout).toContain('Installed already: node@')
  })
})
