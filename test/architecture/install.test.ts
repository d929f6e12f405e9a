import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { nodeProblem } from '../../server/node-version.ts'

interface LockedPackage {
  readonly dev?: boolean
  readonly gypfile?: boolean
  readonly hasInstallScript?: boolean
}

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
const locked: Readonly<Record<string, LockedPackage>> = read('package-lock.json').packages

describe('an installation', () => {
  it('compiles nothing: the lock file says that better-sqlite3 ships its binaries', () => {
    // npm drops this when it writes the lock file, and "npm ci" then calls for Python and a compiler.
    expect(locked['node_modules/better-sqlite3'], 'run "npm run lock"').toMatchObject({ gypfile: false })
  })

  it('of an embedder needs no install script, so that ignore-scripts=true is safe', () => {
    const scripted = Object.entries(locked).filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev)
    expect(scripted.map(([path]) => path)).toEqual(['node_modules/better-sqlite3'])
  })

  it('names the Node it needs', async () => {
    const oldest = String(read('package.json').engines.node).replace('>=', '')
    expect(nodeProblem(`${oldest}.0`)).toBeUndefined()
    expect(nodeProblem('24.0.0')).toBeUndefined()
    expect(nodeProblem('22.17.9')).toContain(`needs Node ${oldest}`)
    expect(nodeProblem('20.20.2')).toContain('this is Node 20.20.2')
  })

  it('ends on an older Node with that line alone', async () => {
    const older = "Object.defineProperty(process.versions, 'node', { value: '20.1.0' }); import(process.argv[1])"
    const entry = new URL('../../dist/server/bin.js', import.meta.url).href
    const ended = await promisify(execFile)(process.execPath, ['-e', older, entry]).catch((error) => error)
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^Mailwright needs Node .*\n$/) })
  })
})
