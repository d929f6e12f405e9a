import { describe, expect, it } from 'vitest'
import { type Import, type SourceFile, sourceFiles } from './source-files.ts'

const files = sourceFiles()

/** Which houses a house may import from. */
const ALLOWED: Record<string, readonly string[]> = {
  core: ['core'],
  plugins: ['core', 'plugins'],
  server: ['core', 'server', 'client', 'config'],
  // translations of other services' APIs know our own API's types and nothing else of the server
  compat: ['core', 'compat', 'client'],
  client: ['client', 'core'],
  config: ['core', 'plugins', 'compat', 'config'],
  bench: ['core', 'plugins', 'server', 'client', 'config', 'bench', 'test'],
  // the tests of examples, which begin plugins of others
  examples: ['examples'],
  test: ['core', 'plugins', 'server', 'client', 'compat', 'config', 'examples', 'test'],
  // how measures are chosen and their figures kept, without measuring any
  'test/bench': ['bench', 'test'],
}

/** The packages that core may load: pure libraries only. */
const PURE = new Set([
  'valibot',
  'liquidjs',
  'html-to-text',
  'htmlparser2',
  'isbot',
  'p-queue',
  'standardwebhooks',
  'tsyringe',
  'reflect-metadata',
  'csv-parse',
  'csv-stringify',
  'fast-xml-parser',
  'tldts',
  'disposable-email-domains-js',
  'email-providers',
  'fakefilter',
  'jose',
  'otpauth',
  'file-type',
  'markdown-it',
  'mrml',
  '@css-inline/css-inline-wasm',
  '@react-email/render',
])
/** Shared with the client: it imports nothing but the errors. */
const RUNS_ANYWHERE = 'core/values/react-element.ts'
/** Of its many parts only the parser of addresses is, and it is loaded in one place. */
const ADDRESS_PARSER = { path: 'core/values/mailbox.ts', target: 'nodemailer' }
/** Files of code, not of data, are looked at in these places alone. */
const CODE_READERS: ReadonlyMap<string, readonly string[]> = new Map([
  // WebAssembly beside the code of a package
  ['core/mail/formats/format-thread.ts', ['node:fs']],
  // whether the code of a thread is there: a bundle that took the package in has left it behind
  ['core/work/thread.ts', ['node:fs']],
  // which version of a package is there
  ['core/plugin/optional-packages.ts', ['node:fs', 'node:module', 'node:path']],
])
/** Reads and judges received mail: loaded when there is some, given bytes and a resolver, and asked in these places alone. */
const MAIL_READERS = new Map([
  ['core/inbound/inbound-thread.ts', 'mailparser'],
  ['core/inbound/authenticate.ts', 'mailauth'],
  ['core/reports/unpack.ts', 'yauzl'],
])
/**
 * The order of core, from the ground up: each imports only what stands before it, types included. What two rooms need of each
 * other goes down to one before both, or is handed in as a function. docs/decisions.md says why the order is this one.
 */
const ORDER = [
  ...['errors.ts', 'di.ts', 'values', 'ports', 'plugin', 'settings', 'kit.ts', 'work'],
  ...['bounces', 'mail', 'filters', 'references', 'projects'],
  ...['contacts', 'suppressions', 'subscriptions', 'events', 'templates', 'segments', 'tracking', 'feedback'],
  ...['mails', 'sandbox', 'delivery', 'installation', 'campaigns', 'seeds', 'webhooks', 'workflows'],
  ...[
    'reports',
    'domains',
    'inboxes',
    'assistant',
    'inbound',
    'simulator',
    'submission',
    'verification',
    'uploads',
    'checks',
    'analytics',
    'accounts',
    'retention',
  ],
  ...['start', 'engine.ts'],
]
/** The rooms a plugin may know. */
const OPEN = new Set(['ports', 'values', 'plugin'])
/**
 * Rules of rooms that plugins are held to as well: what a provider calls permanent is judged by its words, as a bounce
 * is, and SQLite asks of a list what a filter asks of it.
 */
const SHARED_RULES = new Set(['core/bounces/judge.ts', 'core/filters/data-tests.ts'])
const PURE_MODULES = new Set([
  'node:crypto',
  'node:url',
  'node:buffer',
  'node:stream',
  'node:worker_threads',
  'node:zlib',
])

describe('imports', () => {
  it('run one way between the houses', () => {
    // what builds the product is no house, and is tried where installing is
    const wrong = eachImport(
      (file, { isOwn, target }) =>
        isOwn && !target.startsWith('.ci/') && !ALLOWED[house(file.path)]?.includes(house(target)),
    )
    expect(wrong).toEqual([])
  })

  it('of core are pure: no sockets, files, databases or HTTP', () => {
    const wrong = eachImport(
      (file, { isOwn, target }) =>
        house(file.path) === 'core' &&
        !isOwn &&
        !PURE.has(target) &&
        !PURE_MODULES.has(target) &&
        MAIL_READERS.get(file.path) !== target &&
        !CODE_READERS.get(file.path)?.includes(target) &&
        !(file.path === ADDRESS_PARSER.path && target === ADDRESS_PARSER.target),
    )
    expect(wrong).toEqual([])
  })

  it('of the container library are in core/di.ts alone', () => {
    const wrong = eachImport(
      (file, { target }) => /^(tsyringe|reflect-metadata)$/.test(target) && file.path !== 'core/di.ts',
    )
    expect(wrong).toEqual([])
  })

  it('of a plugin reach ports, values, core/plugin and the kit, types as well, never a room or a sibling', () => {
    const wrong = eachImport((file, { isOwn, target }) => {
      const [, plugin] = file.path.split('/')
      if (house(file.path) !== 'plugins' || !isOwn) return false
      if (house(target) === 'plugins')
        return !target.startsWith(`plugins/${plugin}/`) && !target.startsWith('plugins/kit/')
      const [, room, ...rest] = target.split('/')
      return rest.length > 0 && !OPEN.has(room ?? '') && !SHARED_RULES.has(target)
    })
    expect(wrong).toEqual([])
  })

  it('of ports, types as well, reach values and each other alone, so that a plugin author reads one folder', () => {
    const wrong = eachImport(
      (file, { isOwn, target }) =>
        file.path.startsWith('core/ports/') && isOwn && !/^core\/(ports|values)\//.test(target),
    )
    expect(wrong).toEqual([])
  })

  it('of core follow the order of its rooms, types as well', () => {
    const place = (path: string) => ORDER.indexOf(path.split('/')[1] ?? '')
    const unknown = files.filter(({ path }) => house(path) === 'core' && place(path) < 0)
    expect(unknown.map(({ path }) => path)).toEqual([])
    const gone = ORDER.filter(
      (room) => !files.some(({ path }) => path === `core/${room}` || path.startsWith(`core/${room}/`)),
    )
    expect(gone).toEqual([])
    const wrong = eachImport((file, { isOwn, target }) => {
      return isOwn && house(file.path) === 'core' && house(target) === 'core' && place(target) > place(file.path)
    })
    expect(wrong).toEqual([])
  })

  it('of the client reach nothing of the server, so that it runs in a browser', () => {
    const wrong = eachImport(
      (file, { isOwn, target }) =>
        file.path.startsWith('server/client/') &&
        (isOwn ? !target.startsWith('server/client/') && target !== RUNS_ANYWHERE : target !== 'openapi-fetch'),
    )
    expect(wrong).toEqual([])
  })

  it('make no circle, types as well', () => {
    expect(circles(new Map(files.map((file) => [file.path, file])))).toEqual([])
  })
})

function house(path: string): string {
  if (path.startsWith('test/bench/')) return 'test/bench'
  const [first = '', second = ''] = path.split('/')
  return first === 'server' && (second === 'compat' || second === 'client') ? second : first
}

function eachImport(isWrong: (file: SourceFile, given: Import) => boolean): string[] {
  return files.flatMap((file) =>
    file.imports.filter((given) => isWrong(file, given)).map(({ target }) => `${file.path} → ${target}`),
  )
}

/** Files that import each other: a reader of one of them has to read them all. */
function circles(byPath: ReadonlyMap<string, SourceFile>): string[] {
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]) => {
    const at = trail.indexOf(path)
    if (at >= 0) found.push([...trail.slice(at), path].join(' → '))
    if (at >= 0 || done.has(path)) return
    done.add(path)
    for (const { target, isOwn } of byPath.get(path)?.imports ?? []) {
      if (isOwn) visit(target, [...trail, path])
    }
  }
  for (const path of byPath.keys()) visit(path, [])
  return found
}
