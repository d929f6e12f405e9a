// Writes the declarations of what package.json exports, whole: with the types of the packages that are in the bundle, which a
// program that uses this one does not have. So they hold with any version of these packages, and with "skipLibCheck": false.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { repeatComments } from './repeated-comments.mjs'

/** Where the compiler writes a declaration file for each source; beside the packages, so that both come and go together. */
const FOLDER = resolve('node_modules/.cache/mailwright-declarations')

/** The compiler's default is four, on any machine, and each checks for itself the types that it shares with the others. */
const CHECKERS = String(Math.min(4, availableParallelism()))

const ENTRIES = [
  'config/{library,index,testing}',
  'server/index',
  'server/{client,compat,nodemailer}/index',
  'plugins/*/index',
  'test/contracts/index',
]

/**
 * Puts each comment on a line of its own again: the printer leaves those of the members of an object type at the end of the line
 * before, where they belong to nothing and no editor shows them. And leaves out what is private in classes, with its comments.
 */
const TIDY = {
  name: 'tidy',
  generateBundle(_options, chunks) {
    for (const chunk of Object.values(chunks)) {
      chunk.code = chunk.code
        ?.replaceAll(/; (\/\*\*.*?\*\/)\n/gs, ';\n$1\n')
        .replaceAll(/^(?: {2}\/\*\*(?:(?!\*\/).)*\*\/\n)? {2}(?:private (?:readonly )?\w+|#private);\n/gms, '')
    }
  },
}

/**
 * Writes out the interface of each record, and gives the fields of its requests their sentences: of types that are
 * computed from the record of a noun, editors show neither. So the interface of each record is written out, and the
 * fields of its requests get their sentences.
 */
function explainRecords() {
  const records = new Map()
  for (const path of globSync(join(FOLDER, 'core/ports/**/*.d.ts'))) {
    rewrite(path, (code) => {
      for (const [, noun, fields] of code.matchAll(RECORD)) records.set(noun, fieldsOf(noun, fields))
      return code.replaceAll(COMPUTED, (_whole, noun) => {
        const lines = records.get(noun).map(({ key, type, isOptional, sentence }) => {
          return `    /** ${sentence} */\n    readonly ${key}${isOptional ? '?' : ''}: ${type};`
        })
        return `export interface ${noun} {\n${lines.join('\n')}\n}`
      })
    })
  }
  for (const source of globSync('core/**/*.ts')) {
    const requests = readFileSync(source, 'utf8').matchAll(
      /^export const (\w+) = (?:(?!\n\n|\nexport )[\s\S])*?\b(?:creating|changing)\((\w+)\b/gm,
    )
    for (const [, request, noun] of requests) {
      const path = join(FOLDER, source.replace(/\.ts$/, '.d.ts'))
      rewrite(path, (code) => worded(code, request, records.get(noun) ?? []))
    }
  }
}

const RECORD = /^export declare const (\w+): \S*Noun<\{\n([\s\S]*?)\n\}>;/gm
const COMPUTED = /^export interface (\w+) extends RecordOf<typeof \1> \{\s*\}/gm

function fieldsOf(noun, fields) {
  return fields.split(/\n(?= {4}readonly )/).map((declared) => {
    const [, key, type, presence, sentence] = FIELD.exec(declared) ?? []
    if (key === undefined) throw new Error(`A field of ${noun} is not declared as expected:\n${declared}`)
    return {
      key,
      type,
      isOptional: presence === 'optional',
      sentence: sentence.slice(1, -1).replaceAll(/\\(.)/g, '$1'),
    }
  })
}

const FIELD =
  /^ {4}readonly (\w+): readonly \[\S*Kind<([\s\S]*), "(\w+)">, ((["'`])[\s\S]*?\5)(?:, "internal"|, \S*Given<[^>]*>)?\];$/

function worded(code, request, fields) {
  const start = code.indexOf(`export declare const ${request}:`)
  const end = code.indexOf('\n}', start)
  const block = fields.reduce(
    (all, { key, sentence }) =>
      all.replace(new RegExp(`(?<!\\*/)\\n {4}(?=(?:readonly )?${key}: )`), `\n    /** ${sentence} */\n    `),
    code.slice(start, end),
  )
  return code.slice(0, start) + block + code.slice(end)
}

/** Hands the bundler the declarations with their comments repeated; the files stay as the compiler and `explainRecords` left them. */
function withRepeatedComments() {
  const paths = globSync(join(FOLDER, '{config,core,plugins}/**/*.d.ts'))
  const repeated = repeatComments(new Map(paths.map((path) => [path, readFileSync(path, 'utf8')])))
  return { name: 'repeated-comments', load: (id) => repeated.get(id) }
}

/** The compiler writes only what has changed: a file that was rewritten before stays as it is. */
function rewrite(path, change) {
  const code = readFileSync(path, 'utf8')
  const changed = change(code)
  if (changed !== code) writeFileSync(path, changed)
}

/** Checks the types of all sources, and writes dist/**.d.ts. Answers the files it made them of. */
export async function writeDeclarations(compiler) {
  execFileSync(
    process.execPath,
    [compiler, '--declarationDir', FOLDER, '--tsBuildInfoFile', join(FOLDER, '.tsbuildinfo'), '--checkers', CHECKERS],
    { stdio: 'inherit' },
  )
  explainRecords()
  const files = globSync(
    ENTRIES.map((entry) => `${entry}.d.ts`),
    { cwd: FOLDER },
  )
  const bundle = await rolldown({
    input: Object.fromEntries(files.map((file) => [file.replace(/\.d\.ts$/, ''), join(FOLDER, file)])),
    platform: 'node',
    external: /^vitest(\/|$)/,
    plugins: [withRepeatedComments(), dts({ dtsInput: true, oxc: true, tsconfig: 'tsconfig.json' }), TIDY],
  })
  for (const file of globSync('dist/**/*.d.ts')) rmSync(file)
  const { output } = await bundle.write({
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].d.ts',
    chunkFileNames: 'chunks/[name]-[hash].d.ts',
  })
  return output.flatMap(({ moduleIds = [] }) => moduleIds)
}
