// Compiles to dist/: the code in few large files (bundle.mjs), the declarations of what package.json exports (declarations.mjs),
// the dashboard, and a list of the packages in all of them (sbom.mjs). With --if-changed only when a source differs from what was compiled last, told by the contents of
// all sources: dates say nothing after "git checkout" or "cp -p". With --clean what has no source any more goes first.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

process.chdir(dirname(import.meta.dirname))
const STAMP = 'dist/.sources'
const require = createRequire(import.meta.url)
const sources = hashOfSources()

if (!process.argv.includes('--if-changed') || !isBuilt()) await build()

function isBuilt() {
  return existsSync('dist/server/bin.js') && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources
}

function hashOfSources() {
  const { include } = JSON.parse(readFileSync('tsconfig.json', 'utf8'))
  const inside = (folder) => readdirSync(folder, { recursive: true }).map((path) => join(folder, path))
  const files = [
    ...include.flatMap(inside).filter((path) => /\.(tsx?|css|html|svg)$/.test(path)),
    'tsconfig.json',
    'package.json',
    'package-lock.json',
    ...['build', 'bundle', 'declarations', 'repeated-comments', 'finish', 'sbom', 'whole', 'dashboard'].map(
      (name) => `.ci/${name}.mjs`,
    ),
  ]
  const hash = createHash('sha256')
  for (const file of files.sort()) hash.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

async function build() {
  if (compilerPath() === undefined) {
    const why = existsSync('dist/server/bin.js')
      ? 'The sources have changed since dist/ was compiled'
      : 'dist/ is not compiled yet'
    console.error(`${why}, and the compiler is not installed: run "npm ci" and then "npm run build".`)
    process.exit(1)
  }
  // a first start would look as if it hung
  if (process.argv.includes('--if-changed'))
    console.error(
      `${existsSync(STAMP) ? 'The sources have changed: compiling' : 'Compiling for the first start'} … (about 20 seconds)`,
    )
  rmSync(STAMP, { force: true })
  if (process.argv.includes('--clean')) rmSync('dist', { recursive: true, force: true })
  const { buildDashboard } = await import('./dashboard.mjs')
  const modules = [...copySwagger(), ...(await buildDashboard())]
  const { bundle } = await import('./bundle.mjs')
  modules.push(...(await bundle()))
  const { writeDeclarations } = await import('./declarations.mjs')
  try {
    modules.push(...(await writeDeclarations(compilerPath())))
  } catch (error) {
    if (typeof error.status !== 'number') throw error
    process.exit(1) // the compiler has said why
  }
  const { writeContents } = await import('./sbom.mjs')
  writeContents(modules)
  writeFileSync(STAMP, sources)
}

function compilerPath() {
  try {
    return join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')
  } catch {
    return undefined
  }
}

/** Swagger UI's package is 11 MB, of which the page of the interface needs two files; packed, they are a quarter of their size. */
function copySwagger() {
  const from = dirname(require.resolve('swagger-ui-dist/package.json'))
  rmSync('dist/server/swagger-ui', { recursive: true, force: true })
  mkdirSync('dist/server/swagger-ui', { recursive: true })
  for (const name of ['LICENSE', 'NOTICE']) cpSync(join(from, name), join('dist/server/swagger-ui', name))
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js'])
    writeFileSync(`dist/server/swagger-ui/${name}.gz`, gzipSync(readFileSync(join(from, name)), { level: 9 }))
  return [join(from, 'swagger-ui-bundle.js')]
}
