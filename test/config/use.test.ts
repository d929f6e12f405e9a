import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { configFolder, loadJson, problemsOf } from './config-folder.ts'

const TRANSPORT = `
export interface Options { readonly label: string }
export default function acme(options: Options) {
  return {
    name: 'acme ' + options.label,
    provides: ['transport'] as const,
    problems: () => options.label === 'bad' ? [{ field: 'label', code: 'custom', message: 'must not be bad' }] : [],
    open: async () => ({ transport: { concurrency: 1, send: async () => ({ outcome: 'accepted' }) } }),
  }
}`
const READY = `export const log = { name: 'ready', provides: ['transport'], problems: () => [], open: async () => ({}) }`

async function load(files: Readonly<Record<string, string>>, document: unknown) {
  const cwd = await configFolder({ ...files, 'etc/mail.json': JSON.stringify(document) })
  return loadConfig({ cwd, env: {}, path: 'etc/mail.json' })
}

describe('use', () => {
  it.each([
    ['store', 'sqlite', 'store-sqlite', { file: 'x.db' }],
    ['queue', 'in-process', 'queue-in-process', {}],
    ['scheduler', 'node-cron', 'scheduler-cron', {}],
    ['blobs', 'disk', 'blobs-disk', { directory: 'x' }],
    ['blobs', 'file', 'blobs-disk', { directory: 'x' }],
    ['blobs', 's3', 'blobs-s3', { bucket: 'acme-mail', region: 'eu-central-1' }],
    ['dns', 'node', 'dns-node', {}],
  ] as const)('%s knows the built-in %s', async (socket, use, name, options) => {
    const { engine } = await loadJson({ [socket]: { use, options } })
    expect(engine[socket]).toMatchObject({ name, provides: [socket] })
    expect(engine[socket].problems()).toEqual([])
  })

  it('may stand alone, without options', async () => {
    const { engine } = await loadJson({ queue: 'in-process', transports: ['outbox'] })
    expect(engine.queue.name).toBe('queue-in-process')
    expect(engine.transports).toMatchObject([{ name: 'mail-outbox' }])
  })

  it('may be left out for the resolver', async () => {
    const { engine } = await loadJson({ dns: { servers: ['127.0.0.1:5353'] } })
    expect(engine.dns.name).toBe('dns-node')
    expect(await problemsOf(loadJson({ dns: { servers: 'x' } }))).toEqual([expect.stringMatching(/^dns\.servers: /)])
  })

  it('names a TypeScript module, relative to the config file', async () => {
    const { engine } = await load(
      { 'etc/plugins/acme.ts': TRANSPORT },
      { transports: [{ name: 'main', use: './plugins/acme.ts', options: { label: 'one' } }] },
    )
    expect(engine.transports).toMatchObject([{ name: 'main', plugin: { name: 'acme one' } }])
  })

  it.each([
    [
      'a factory as the only function',
      'export const VERSION = 1\nexport const acme = (o) => ({ ...READY, name: o.label })',
    ],
    ['an async factory', 'export default async (o) => ({ ...READY, name: o.label })'],
  ])('takes %s', async (_, text) => {
    const module = `const READY = { provides: ['transport'], problems: () => [], open: async () => ({}) }\n${text}`
    const transports = [{ use: './acme.mjs', options: { label: 'two' } }]
    const { engine } = await load({ 'etc/acme.mjs': module }, { transports })
    expect(engine.transports).toMatchObject([{ plugin: { name: 'two' } }])
  })

  it('takes a module that exports a ready plugin, but no options for it', async () => {
    const files = { 'etc/ready.mjs': READY }
    const { engine } = await load(files, { transports: [{ use: './ready.mjs' }] })
    expect(engine.transports).toMatchObject([{ plugin: { name: 'ready' } }])
    expect(await problemsOf(load(files, { transports: [{ use: './ready.mjs', options: {} }] }))).toEqual([
      'transports[0].options: must be left out: the module exports a ready plugin',
    ])
  })

  it('names an export after a #, of a file or a package', async () => {
    const plugin = (name: string) =>
      `{ name: '${name}', provides: ['transport'], problems: () => [], open: async () => ({}) }`
    const code = `export default () => (${plugin('first')})\nexport const second = () => (${plugin('second')})\nexport const VERSION = 1\n`
    const files = {
      'etc/acme.mjs': code,
      'etc/two.mjs': code.replace('export default', 'export const first ='),
      'node_modules/acme-mail/package.json': JSON.stringify({ name: 'acme-mail', exports: './index.mjs' }),
      'node_modules/acme-mail/index.mjs': code,
    }
    const transports = ['./acme.mjs', './acme.mjs#second', 'acme-mail#second']
    const { engine } = await load(files, { transports: transports.map((use, i) => ({ name: `${i}`, use })) })
    expect(engine.transports).toMatchObject(['first', 'second', 'second'].map((name) => ({ plugin: { name } })))
    const problem = (use: string) => problemsOf(load(files, { transports: [{ use }] }))
    expect(await problem('./acme.mjs#secnd')).toEqual([
      'transports[0].use: ./acme.mjs exports no plugin secnd (did you mean second?)',
    ])
    expect(await problem('./acme.mjs#VERSION')).toEqual([
      'transports[0].use: ./acme.mjs exports no plugin VERSION (it exports default, second)',
    ])
    expect(await problem('./two.mjs')).toEqual([
      'transports[0].use: ./two.mjs exports no default but first, second: name one of them, such as ./two.mjs#first',
    ])
  })

  it.each([
    ['main', { main: 'index.cjs' }],
    ['exports', { type: 'module', exports: './index.mjs' }],
    ['exports for import alone', { type: 'module', exports: { '.': { import: './index.mjs' } } }],
  ])('names a package found from the config file by its %s', async (_, manifest) => {
    const files = {
      'node_modules/acme-mail/package.json': JSON.stringify({ name: 'acme-mail', ...manifest }),
      'node_modules/acme-mail/index.mjs': READY.replace('log', 'default_').concat('\nexport default () => default_'),
      'node_modules/acme-mail/index.cjs': `module.exports = () => (${READY.replace('export const log =', '')})`,
    }
    const { engine } = await load(files, { transports: ['acme-mail'] })
    expect(engine.transports).toMatchObject([{ name: 'ready' }])
  })

  it('may be a plugin value in a module config, with or without a name', async () => {
    const cwd = await configFolder({
      'mailwright.config.mjs': `${READY}
        export default { transports: [log, { name: 'second', plugin: log }] }`,
    })
    const { engine } = await loadConfig({ cwd, env: {} })
    expect(engine.transports).toMatchObject([{ name: 'ready' }, { name: 'second', plugin: { name: 'ready' } }])
  })
})

describe('a plugin that does not fit', () => {
  const files = {
    'etc/acme.ts': TRANSPORT,
    'etc/broken.mjs': 'import "./nowhere.mjs"',
    'etc/nothing.mjs': 'export const a = () => 1\nexport const b = () => 2',
    'etc/number.mjs': 'export default () => 7',
    'etc/throws.mjs': 'export default () => { throw new Error("no licence") }',
  }

  it.each([
    ['there is no such file', { store: { use: './none.ts' } }, /^store\.use: there is no file \/.*etc\/none\.ts$/],
    [
      'its module cannot be loaded',
      { queue: './broken.mjs' },
      /^queue: cannot load \/.*etc\/broken\.mjs: .*nowhere\.mjs/,
    ],
    [
      'there is no such package',
      { store: 'acme-store' },
      /^store: no built-in plugin and no package of the name acme-store \(from \/.*etc\); built in are sqlite, postgres$/,
    ],
    ['the folder of a built-in is meant', { inbound: ['inbound-smtp'] }, /; built in are smtp-server, imap$/],
    ['a built-in is mistyped', { store: 'sqllite' }, /^store: .*; did you mean sqlite\?$/],
    ['a module of Node is meant', { store: 'fs' }, /^store: no built-in plugin and no package of the name fs/],
    [
      'its module exports several functions',
      { queue: './nothing.mjs' },
      /^queue: .*nothing\.mjs exports no default but a, b: name one/,
    ],
    [
      'its factory answers something else',
      { queue: './number.mjs' },
      /^queue: is no plugin: make it with definePlugin$/,
    ],
    ['its factory throws', { queue: { use: './throws.mjs' } }, /^queue\.use: cannot make the plugin: no licence$/],
    [
      'it is for another socket',
      { blobs: { use: './acme.ts', options: { label: 'x' } } },
      /^blobs\.use: acme x is not a blobs plugin \(it provides transport\)$/,
    ],
    [
      'a built-in is for another socket',
      { store: 'outbox' },
      /^store: outbox is not a store plugin \(it provides transport\)$/,
    ],
    ['it lacks a region', { transports: ['ses'] }, /^transports\[0\]\.options\.region: is required$/],
    ['it lacks an option', { store: { use: 'postgres' } }, /^store\.options\.url: is required$/],
    [
      'it does not know an option',
      { store: { use: 'postgres', options: { url: 'postgres://h/db', file: 'x' } } },
      /^store\.options\.file: is not a known option \(there are .*\burl\b.*\)$/,
    ],
    [
      'its own check refuses',
      { transports: [{ use: './acme.ts', options: { label: 'bad' } }] },
      /^transports\[0\]\.options\.label: must not be bad$/,
    ],
    ['the socket is empty', { store: null }, /^store: must be an object, not null$/],
    ['use is no text', { store: { use: 5 } }, /^store\.use: must be a string, not a number$/],
    ['options are no object', { store: { use: 'sqlite', options: [] } }, /^store\.options: must be an object$/],
    [
      'the name is empty',
      { transports: [{ name: '', use: 'outbox', options: { directory: 'o' } }] },
      /^transports\[0\]\.name: must have at least 1/,
    ],
    ['transports are no list', { transports: { use: 'smtp' } }, /^transports: must be an array$/],
    [
      'plugin is not a plugin',
      { transports: [{ name: 'a', plugin: 'x' }] },
      /^transports\[0\]\.plugin: must be a plugin$/,
    ],
    [
      'a socket has an unknown key',
      { queue: { use: 'in-process', option: {} } },
      /^queue\.option: is not a known key \(did you mean options\?\)$/,
    ],
  ])('is told by its key: %s', async (_, document, told) => {
    expect(await problemsOf(load(files, document))).toEqual([expect.stringMatching(told)])
  })

  it('does not hide the problems of its neighbours', async () => {
    const problems = await problemsOf(load(files, { transports: ['./none.mjs', './gone.mjs', 'smtp'], store: 'nope' }))
    expect(problems.map((line) => line.split(':')[0])).toEqual([
      'store',
      'transports[0]',
      'transports[1]',
      'transports[2].options.host',
    ])
  })
})
