import { execFile } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { editorIn, type Offered } from '../support/editor.ts'

// The package in programs of others: what it brings them, what it asks of them, and what their compilers say of its types.

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const QUIET = ['--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']

let folder: string
/** A host that has this package alone. */
let host: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-hosts-'))
  host = made('host')
  await run('npm', ['install', ...QUIET, inject('tarball')], { cwd: host })
}, 300_000)

afterAll(() => {
  if (folder) rmSync(folder, { recursive: true, force: true })
})

/** A folder of a program that depends on these packages; nothing is installed, also not by an earlier try of a test. */
function made(name: string, dependencies: Readonly<Record<string, string>> = {}): string {
  const place = join(folder, name)
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name, private: true, type: 'module', dependencies }))
  return place
}

/** Of what others made, the first version for every change, and at night the others, too. */
const first = <T>(all: readonly T[]) => (process.env.ALL_VERSIONS === '1' ? all : all.slice(0, 1))

describe('a host', () => {
  const neighbours = [
    {
      '@modelcontextprotocol/sdk': '1.20.0',
      '@mikro-orm/core': '6.4.0',
      '@aws-sdk/client-s3': '3.600.0',
    },
    { vitest: '3.2.4', '@opentelemetry/sdk-node': '0.200.0', '@opentelemetry/api': '1.9.0' },
    { vitest: '4.0.0', 'graphile-worker': '0.16.6', pg: '8.11.0' },
  ]

  it.each(first(neighbours))('with %o can install it', async (dependencies) => {
    const place = made(Object.keys(dependencies).join('-').replaceAll(/[@/]/g, ''), dependencies)
    await run('npm', ['install', '--package-lock-only', ...QUIET, inject('tarball')], { cwd: place })
    const { packages } = JSON.parse(readFileSync(join(place, 'package-lock.json'), 'utf8'))
    expect(packages).toHaveProperty('node_modules/mailwright')
    for (const [name, version] of Object.entries(dependencies))
      expect(packages[`node_modules/${name}`]).toMatchObject({ version })
  }, 180_000)

  it('gets at most 15 packages and 49 MB for SQLite and SMTP', () => {
    const manifests = globSync('node_modules/{*,@*/*}/package.json', { cwd: host })
    expect(manifests.length).toBeLessThanOrEqual(15)
    const files = globSync('node_modules/**', { cwd: host }).map((file) => statSync(join(host, file)))
    const bytes = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
    // as docs/production.md says
    // 1 for mail servers that are set in the dashboard, with their presets and source maps, 1 for inboxes and for webhooks as
    // other services write them, 1 for events, search and rules of inboxes, and for moving whole projects,
    // 1 for rules of routing, reports of receivers, records of domains and seed lists
    expect(Math.round(bytes / 1e6)).toBeLessThanOrEqual(49)
    expect(bytes / 1e6).toBeGreaterThan(30)
  })
})

describe('a package of the host that does not work here', () => {
  let place: string

  beforeAll(async () => {
    place = made('wrong', { pg: '8.11.0', 'graphile-worker': '0.16.6' })
    const manifest = join(place, 'package.json')
    const overrides = { 'better-sqlite3': '12.11.1' }
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), overrides }))
    await run('npm', ['install', ...QUIET, inject('tarball')], { cwd: place })
    // of packages with very many others the first look is all that is tried
    for (const name of ['@aws-sdk/client-sesv2', '@aws-sdk/client-s3']) {
      mkdirSync(join(place, 'node_modules', name), { recursive: true })
      const found = { name, version: '3.599.0', main: 'index.js' }
      writeFileSync(join(place, 'node_modules', name, 'package.json'), JSON.stringify(found))
    }
  }, 180_000)

  const problemOf = async (plugin: string, maker: string, options: object) => {
    const program = `import { ${maker} } from 'mailwright/plugins/${plugin}'
      const log = { debug() {}, info() {}, warn() {}, error() {} }
      const plugin = ${maker}(${JSON.stringify(options)})
      await plugin.open({ log }).then(() => console.log('opened'), ({ code, message }) => console.log(code + ' ' + message))`
    return (await run(process.execPath, ['--input-type=module', '-e', program], { cwd: place })).stdout
  }
  const url = { url: 'postgres://a:b@127.0.0.1:1/c' }
  const inEurope = { region: 'eu-central-1' }

  it.each([
    ['store-sqlite', 'sqlite', { file: ':memory:' }, 'better-sqlite3', '12.11.1', '13.0.0 or newer, below 14'],
    ['store-postgres', 'postgres', url, 'pg', '8.11.0', '8.16.0 or newer, below 9'],
    ['queue-postgres', 'postgresQueue', url, 'pg', '8.11.0', '8.16.0 or newer, below 9'],
    ['scheduler-postgres', 'postgresScheduler', url, 'pg', '8.11.0', '8.16.0 or newer, below 9'],
    ['mail-ses', 'ses', inEurope, '@aws-sdk/client-sesv2', '3.599.0', '3.950.0 or newer, below 4'],
    ['identity-ses', 'sesIdentity', inEurope, '@aws-sdk/client-sesv2', '3.599.0', '3.950.0 or newer, below 4'],
    ['blobs-s3', 's3', { bucket: 'acme', ...inEurope }, '@aws-sdk/client-s3', '3.599.0', '3.600.0 or newer, below 4'],
  ])('is named by %s with the version found and those that work', async (plugin, maker, options, name, found, wanted) => {
    const folder = join(realpathSync(place), 'node_modules', name)
    expect(await problemOf(plugin, maker, options)).toContain(
      `CONFIG_INVALID ${plugin}: needs ${name} ${wanted}, and found ${found} in ${folder}`,
    )
  })

  it('is asked for by what uses it alone', async () => {
    await run('npm', ['install', ...QUIET, 'pg@8.16.0'], { cwd: place })
    expect(await problemOf('store-postgres', 'postgres', url)).toContain(
      'cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
    )
    expect(await problemOf('queue-postgres', 'postgresQueue', url)).toMatch(
      /^CONFIG_INVALID queue-postgres: needs graphile-worker 0\.17\.3 or newer, below 0\.19, and found 0\.16\.6 in /,
    )
  })
})

describe('what is in the bundle', () => {
  const read = (path: string) => readFileSync(join(host, 'node_modules/mailwright', path), 'utf8')

  it('is listed with versions, and is not installed a second time', () => {
    const { bomFormat, components } = JSON.parse(read('dist/sbom.cdx.json')) as Sbom
    expect(bomFormat).toBe('CycloneDX')
    const names = new Map(components.map(({ name, version }) => [name, version]))
    const locked = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages
    // of the engine, of the dashboard, and of the page of the interface
    for (const name of ['valibot', '@mikro-orm/core', 'nodemailer', 'react', 'swagger-ui-dist'])
      expect(names.get(name), name).toBe(locked[`node_modules/${name}`].version)
    expect(components.filter(({ licenses }) => licenses === undefined)).toEqual([])
    const installed = globSync('node_modules/{*,@*/*}', { cwd: host }).map((path) => path.slice('node_modules/'.length))
    expect(installed.filter((name) => names.has(name))).toEqual([])
    expect(read('dist/LICENSES.txt').length).toBeGreaterThan(100_000)
  })

  it('is listed with its license whatever file it is in, and every file is loaded by another', () => {
    const { components } = JSON.parse(read('dist/sbom.cdx.json')) as Sbom
    const licenses = read('dist/LICENSES.txt')
    const files = globSync('dist/**/*.js', { cwd: join(host, 'node_modules/mailwright') })
    const code = files.filter((file) => !/dashboard|swagger-ui/.test(file)).map((file) => ({ file, text: read(file) }))
    const named = code.flatMap(({ text }) =>
      [...text.matchAll(/^\/\/ \S*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm)].map(([, name = '']) => name),
    )
    const packages = [...new Set(named)]
    expect(packages.length).toBeGreaterThan(90)
    expect(packages.filter((each) => !components.some(({ name }) => name === each))).toEqual([])
    expect(components.filter(({ name, version }) => !licenses.includes(`${name} ${version}: `))).toEqual([])
    // a chunk of the benchmarks would be of no use in a package
    const chunks = code.map(({ file }) => basename(file)).filter((name) => /-[\w-]{8}\.js$/.test(name))
    expect(chunks.filter((name) => !code.some(({ text }) => text.includes(`/${name}`)))).toEqual([])
    const ofRepository = code.filter(({ file, text }) => file.includes('chunks') && /^\/\/ bench\//m.test(text))
    expect(ofRepository.map(({ file }) => file)).toEqual([])
  })

  it('has declarations that name no package which is not there', () => {
    const files = globSync('dist/**/*.d.ts', { cwd: join(host, 'node_modules/mailwright') })
    expect(files.length).toBeGreaterThan(20)
    const named = files.flatMap((file) =>
      [...read(file).matchAll(/(?:from|import\(|import|declare module) ?["']([@\w][\w@/.:-]*)["']/g)].map(
        ([, name]) => name,
      ),
    )
    const missing = named.filter((name = '') => !builtinModules.includes(name.replace(/^node:/, '')))
    // an author who tests a plugin by the contracts has it
    expect(missing.filter((name) => name !== 'vitest')).toEqual([])
  })
})

describe('a bundle that has taken the package in', () => {
  it('says at once that its threads are missing, and how to build it', async () => {
    const place = join(host, 'bundle')
    writeFileSync(join(host, 'app.js'), APP)
    const bundle = await rolldown({ input: join(host, 'app.js'), platform: 'node', external: 'better-sqlite3' })
    await bundle.write({ dir: place, format: 'esm', codeSplitting: false })
    const { stdout } = await run(process.execPath, [join(place, 'app.js')], { cwd: place })
    expect(stdout).toMatch(/CONFIG_INVALID: The code of a thread is missing: file:.*thread\.js/)
    expect(stdout).toContain('Leave the package outside the bundle')
  })
})

describe('the globals of a host', () => {
  it('get what docs/embedding.md says, and nothing else', async () => {
    writeFileSync(join(host, 'globals.js'), GLOBALS)
    const { stdout } = await run(process.execPath, ['globals.js'], { cwd: host })
    const { imported, used, signals } = JSON.parse(stdout) as Record<string, string[]>
    const ofReflect = /^Reflect (?:\w*[mM]etadata\w*|decorate|Symbol\(@reflect-metadata:\w+\))$/
    const ofFetch = /^globalThis Symbol\(undici\.globalDispatcher\.\d\)$/
    expect(imported?.filter((name) => !ofReflect.test(name) && !ofFetch.test(name))).toEqual([])
    expect(imported).toContain('Reflect defineMetadata')
    const ofStore = /^(?:globalThis (?:mikro-orm-metadata|Symbol\(@mikro-orm\/.*)|env MIKRO_ORM_COLORS)$/
    expect(used?.filter((name) => !ofStore.test(name) && !ofFetch.test(name))).toEqual([])
    expect(used).toContain('globalThis mikro-orm-metadata')
    expect(signals).toEqual([])
  })
})

/** Prints what of globals and of their prototypes is new or changed after an import, and after an engine has sent a mail. */
const GLOBALS = `
const NAMES = ['Object', 'Function', 'Array', 'String', 'Number', 'Symbol', 'BigInt', 'Promise', 'Map', 'Set', 'WeakMap', 'Date', 'RegExp', 'Error', 'Buffer', 'URL', 'Uint8Array', 'EventTarget']
const PLACES = {
  globalThis, Reflect, Math, JSON, process, env: process.env,
  ...Object.fromEntries(NAMES.flatMap((name) => [[name, globalThis[name]], [name + '.prototype', globalThis[name].prototype]])),
}
const keysOf = (place) => new Map(Reflect.ownKeys(place).map((key) => {
  const { value, get } = Reflect.getOwnPropertyDescriptor(place, key)
  return [String(key), get ?? value]
}))
const seen = () => new Map(Object.entries(PLACES).map(([name, place]) => [name, keysOf(place)]))
const changes = (before, after) => [...after].flatMap(([place, keys]) =>
  [...new Set([...keys.keys(), ...before.get(place).keys()])]
    .filter((key) => !Object.is(keys.get(key), before.get(place).get(key)))
    .map((key) => place + ' ' + key))
const signals = () => process.eventNames().map((name) => name + ' ' + process.listenerCount(name))

const before = seen()
const heard = signals()
const { createEngine } = await import('mailwright')
const imported = seen()
const engine = await createEngine({ projects: [{ name: 'A', trustedDomains: ['a.example'] }] })
await engine.start()
const more = signals().filter((each) => !heard.includes(each))
const [project] = await engine.projects.list()
await engine.sending.send(project, { to: 'a@b.example', from: 'a@a.example', subject: 'a', body: 'b' })
await engine.stop({ drain: true })
console.log(JSON.stringify({ imported: changes(before, imported), used: changes(imported, seen()), signals: more }))
`

const APP = `
import { createEngine } from 'mailwright'
import { sqlite } from 'mailwright/plugins/store-sqlite'

try {
  await createEngine({ store: sqlite({ file: ':memory:' }) })
  console.log('it was made')
} catch (error) {
  console.log(error.code + ': ' + error.message + ' ' + error.suggestion)
}
`

interface Sbom {
  readonly bomFormat: string
  readonly components: readonly { readonly name: string; readonly version: string; readonly licenses?: unknown }[]
}

const EMBEDDING = `
import { createServer } from 'node:http'
import { createEngine, type SendInput } from 'mailwright'
import * as client from 'mailwright/client'
import * as config from 'mailwright/config'
import { smtp } from 'mailwright/plugins/mail-smtp'
import { postgres } from 'mailwright/plugins/store-postgres'
import { sqlite } from 'mailwright/plugins/store-sqlite'
import { createApp, type HostCaller, serverMetrics, toNodeHandler } from 'mailwright/server'
import { createTestEngine } from 'mailwright/testing'

const engine = await createEngine({ store: sqlite({ file: 'mail.db' }), transports: [smtp({ host: 'smtp.example.com' })] })
const source = await serverMetrics()
const caller: HostCaller = async ({ headers }, node) =>
  headers.has('cookie') || node?.httpVersion === '1.0' ? { id: '1', email: 'a@example.com', projects: { p: 'ADMIN' } } : null
createServer(toNodeHandler(createApp(engine, { caller, metrics: { key: 'k', source } })))
const mail: SendInput = { to: 'a@example.com', from: 'b@example.com', subject: 'Hi', body: '<p>Hi</p>' }
for (const project of await engine.projects.list()) {
  const { answer } = await engine.sending.send(project, mail)
  const id: string | undefined = answer.emails[0]?.email
  // @ts-expect-error it is a text
  const wrong: number | undefined = answer.emails[0]?.email
  console.log(id, wrong, client, config, createTestEngine, postgres)
}
`

const DOUBLES = `
import type { Engine, Sending } from 'mailwright'

declare const anything: never
const fails = (): never => { throw new Error('not expected') }

/** As in a program that sends: it asks for what it uses, and a test gives it that. */
async function welcome({ sending }: { readonly sending: Pick<Sending, 'send'> }, to: string) {
  return sending.send(anything, { to, template: 'welcome' })
}
const sent: unknown[] = []
await welcome(
  { sending: { send: async (_project, input) => { sent.push(input); return { answer: { emails: [], timestamp: '' }, replayed: false } } } },
  'ada@example.com',
)
`

/** The names that an editor offers on the engine, on each room and on each room within one, by their paths. */
function offeredOn(
  path: string,
  offer: ReturnType<typeof editorIn>,
): readonly (readonly [string, readonly Offered[]])[] {
  const offered = offer(path)
  const rooms = offered.filter(({ shown }) => /^\(property\) \w+\.\w+: [A-Z]\w+$/.test(shown))
  return [[path, offered], ...rooms.flatMap(({ name }) => offeredOn(`${path}.${name}`, offer))]
}

/** An object in the place of this room whose methods throw, written as in a test of a host. */
function doubleOf(path: string, offered: ReadonlyMap<string, readonly Offered[]>): string {
  const members = (offered.get(path) ?? []).map(({ name, shown }) => {
    if (shown.startsWith('(method)')) return `${name}: fails`
    const room = `${path}.${name}`
    return `${name}: ${offered.has(room) ? doubleOf(room, offered) : 'anything'}`
  })
  return `{ ${members.join(', ')} }`
}

describe('the types', () => {
  let offered: ReadonlyMap<string, readonly Offered[]>

  beforeAll(() => {
    for (const name of ['@types/node', 'undici-types'])
      cpSync(join(ROOT, 'node_modules', name), join(host, 'node_modules', name), { recursive: true })
    const head = "import { createEngine } from 'mailwright'\nconst engine = await createEngine()"
    offered = new Map(offeredOn('engine', editorIn(host, head)))
  })

  it('offer the rooms, each with what it says of itself, and nothing that is inside them', async () => {
    const rooms = [...offered].map(([path, members]) => `${path}: ${members.map(({ name }) => name).join(', ')}\n`)
    await expect(rooms.join('')).toMatchFileSnapshot('rooms.txt')
    const all = [...offered].flatMap(([path, members]) => members.map((each) => ({ ...each, path })))
    expect(all.length).toBeGreaterThan(250)
    const inside = all.filter(
      ({ name, shown }) =>
        /^(#|_|(tasks|tick|claim|forget|settled)$)/.test(name) ||
        /\b(Kit|Store|Doorbell|Queue|Repositories|__\w+)\b|\$\d/.test(shown),
    )
    expect(inside.map(({ path, name, shown }) => `${path}.${name}: ${shown}`)).toEqual([])
    expect(all.filter(({ comment }) => comment === '').map(({ path, name }) => `${path}.${name}`)).toEqual([])
  })

  it.each(
    first(['typescript', 'typescript-5', 'typescript-6']),
  )('hold with %s in a host that checks those of its packages, too', async (compiler) => {
    const options = { target: 'es2023', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true }
    const compilerOptions = { ...options, noEmit: true, skipLibCheck: false, types: ['node'] }
    writeFileSync(join(host, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts', 'doubles.ts'] }))
    writeFileSync(join(host, 'main.ts'), EMBEDDING)
    writeFileSync(join(host, 'doubles.ts'), `${DOUBLES}\nexport const whole: Engine = ${doubleOf('engine', offered)}\n`)
    const tsc = join(ROOT, 'node_modules', compiler, 'bin/tsc')
    const said = await run(process.execPath, [tsc, '-p', host]).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    )
    expect(said).toBe('')
  })
})
