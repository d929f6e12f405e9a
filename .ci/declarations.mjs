// Writes the declarations of what package.json exports, whole: with the types of the packages that are in the bundle, which a
// program that uses this one does not have. So they hold with any version of these packages, and with "skipLibCheck": false.
import { execFileSync } from 'node:child_process'
import { globSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

/** Where the compiler writes a declaration file for each source; beside the packages, so that both come and go together. */
const FOLDER = resolve('node_modules/.cache/mailwright-declarations')

const ENTRIES = [
  'config/{library,index,testing}',
  'server/index',
  'server/client/index',
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

/** Checks the types of all sources, and writes dist/**.d.ts. Answers the files it made them of. */
export async function writeDeclarations(compiler) {
  execFileSync(
    process.execPath,
    [compiler, '--declarationDir', FOLDER, '--tsBuildInfoFile', join(FOLDER, '.tsbuildinfo')],
    { stdio: 'inherit' },
  )
  const files = globSync(
    ENTRIES.map((entry) => `${entry}.d.ts`),
    { cwd: FOLDER },
  )
  const bundle = await rolldown({
    input: Object.fromEntries(files.map((file) => [file.replace(/\.d\.ts$/, ''), join(FOLDER, file)])),
    platform: 'node',
    external: /^vitest(\/|$)/,
    plugins: [dts({ dtsInput: true, oxc: true, tsconfig: 'tsconfig.json' }), TIDY],
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
