import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { knowsItsFolder, pathsIn, requireWhole } from '../../.ci/whole.mjs'
import { nodeProblem } from '../../config/node-version.ts'
import { FITTING, OPTIONAL_PACKAGES } from '../../core/plugin/optional-packages.ts'
import { compiled } from '../support/compiled.ts'

interface LockedPackage {
  readonly dev?: boolean
  readonly gypfile?: boolean
  readonly hasInstallScript?: boolean
}

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
const run = promisify(execFile)
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

  it('of production has no compiler, tests or packages of optional parts, not even as the optional peer of another', () => {
    // "npm ci --omit=dev" takes whatever the lock file does not mark as for development alone
    const taken = Object.entries(locked).filter(([path, { dev }]) => path !== '' && !dev)
    const names = new Set(taken.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)))
    const { devDependencies, dependencies } = read('package.json')
    // better-sqlite3 and what it brings: all else is in the bundle
    expect(Object.keys(dependencies)).toEqual(['better-sqlite3'])
    expect([...Object.keys(devDependencies), '@smithy/core'].filter((name) => names.has(name))).toEqual([])
    expect([...names].filter((name) => /^@(typescript|aws-sdk|types)\//.test(name))).toEqual([])
    expect(names.size).toBeLessThan(5)
  })

  it('can be told to have each optional part, at the version the tests ran with', () => {
    const { devDependencies, peerDependencies } = read('package.json')
    for (const named of Object.values(OPTIONAL_PACKAGES).flat()) {
      const name = named.slice(0, named.lastIndexOf('@'))
      expect(named).toBe(`${name}@${devDependencies[name]}`)
      expect(Object.keys(FITTING)).toContain(name)
    }
    // a peer would keep the package out of a host that has another version of it
    expect(peerDependencies).toBeUndefined()
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
    const ended = await run(process.execPath, ['-e', older, compiled('server/bin.js').href]).catch((error) => error)
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^Mailwright needs Node .*\n$/) })
  })
})

describe('the build', () => {
  it.each([
    ["const r = createRequire(import.meta.url); r('./all.json')", 'dist/chunks/all.json'],
    ["export default createRequire(import.meta.url)('../all.json')", 'dist/all.json'],
    ["(0, node_module.createRequire)(import.meta.url)('./all.json')", 'dist/chunks/all.json'],
    ["__commonJS(() => { module.exports = __require('./lib/a') })", 'dist/chunks/lib/a'],
    ["__require.resolve('./a.node')", 'dist/chunks/a.node'],
    ["await import('./a.js')", 'dist/chunks/a.js'],
    ["import.meta.resolve('./a.js')", 'dist/chunks/a.js'],
    ["readFileSync(new URL('./a.txt', import.meta.url))", 'dist/chunks/a.txt'],
    ["new Worker(make('./a-thread', placeOf('core/mail/a.js')))", 'dist/core/mail/a-thread'],
  ])('sees the file that %s loads, and fails where there is none', (code, path) => {
    expect(pathsIn(code, 'chunks/all-1.js')).toEqual([path])
    const chunk = { type: 'chunk', fileName: 'chunks/all-1.js', code, modules: {} }
    expect(() => requireWhole([chunk])).toThrow(`dist/chunks/all-1.js reaches for ${path}, which is not there.`)
  })

  it.each([
    ["join(__dirname, 'lists')", true],
    ["readFileSync(import.meta.dirname + '/all.json')", true],
    ["typeof __filename === 'undefined' ? 'a' : __filename", false],
    ["'__dirname'", false],
  ])('sees whether %s asks for the folder of a package', (code, asks) => {
    expect(knowsItsFolder(code)).toBe(asks)
    const chunk = {
      type: 'chunk',
      fileName: 'chunks/a.js',
      code: '',
      modules: { '/node_modules/lists/a.js': { code } },
    }
    const whole = expect(() => requireWhole([chunk]))
    if (asks) whole.toThrow('/node_modules/lists/a.js reaches for files')
    else whole.not.toThrow()
  })
})

describe('npm start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-build-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  /** Runs what comes before the start, and answers what it printed: "compiled" by the compiler, or why there is none. */
  const prestart = () =>
    run(process.execPath, [join(folder, '.ci/build.mjs'), '--if-changed']).then(
      ({ stdout }) => stdout,
      (error) => String(error.stderr),
    )

  it('compiles after a change of any source, whatever its date, and only then', async () => {
    cpSync(new URL('../../.ci/build.mjs', import.meta.url), join(folder, '.ci/build.mjs'))
    write('.ci/bundle.mjs', "export const bundle = () => (console.log('compiled'), [])")
    for (const name of ['whole', 'finish', 'repeated-comments']) write(`.ci/${name}.mjs`, '')
    write('.ci/dashboard.mjs', 'export const buildDashboard = () => []')
    write('.ci/sbom.mjs', 'export const writeContents = () => {}')
    const compiling = "execFileSync(process.execPath, [compiler], { stdio: 'inherit' }); return []"
    write(
      '.ci/declarations.mjs',
      `import { execFileSync } from 'node:child_process'\nexport const writeDeclarations = (compiler) => { ${compiling} }`,
    )
    write('package.json', '{}')
    write('package-lock.json', '{}')
    write('tsconfig.json', '{ "include": ["core"] }')
    write('core/room/a.ts', '1')
    expect(await prestart()).toContain('dist/ is not compiled yet')
    write('node_modules/typescript/package.json', '{}')
    write('node_modules/typescript/bin/tsc', "require('fs').cpSync('package.json', 'dist/server/bin.js')")
    for (const name of ['package.json', 'swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE'])
      write(`node_modules/swagger-ui-dist/${name}`, '{}')
    expect(await prestart()).toBe('compiled\n')
    expect(await prestart()).toBe('')
    write('core/room/a.ts', '2')
    utimesSync(join(folder, 'core/room/a.ts'), 1, 1)
    expect(await prestart()).toBe('compiled\n')
    write('core/b.ts', '')
    expect(await prestart()).toBe('compiled\n')
    rmSync(join(folder, 'core/b.ts'))
    expect(await prestart()).toBe('compiled\n')
    write('package-lock.json', '{ "lockfileVersion": 3 }')
    expect(await prestart()).toBe('compiled\n')
    rmSync(join(folder, 'dist/server/bin.js'))
    expect(await prestart()).toBe('compiled\n')
    expect(await prestart()).toBe('')
    rmSync(join(folder, 'node_modules/typescript'), { recursive: true })
    expect(await prestart()).toBe('')
    write('core/room/a.ts', '3')
    expect(await prestart()).toContain('run "npm ci" and then "npm run build"')
  })
})
