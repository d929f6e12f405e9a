import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const HOUSES = ['core', 'plugins', 'server', 'config', 'examples', 'bench', 'test'] as const

export interface SourceFile {
  /** Path from the root, with `/`. */
  readonly path: string
  readonly text: string
  /** The text without comments. */
  readonly code: string
  readonly imports: readonly Import[]
}

export interface Import {
  /** A path from the root for files of this project, else the package's or module's name. */
  readonly target: string
  readonly isOwn: boolean
  readonly typeOnly: boolean
}

/** Every TypeScript file of the project, those with JSX as well. */
export function sourceFiles(): readonly SourceFile[] {
  return HOUSES.flatMap((house) =>
    readdirSync(join(ROOT, house), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => read(join(entry.parentPath, entry.name))),
  )
}

function read(file: string): SourceFile {
  const text = readFileSync(file, 'utf8')
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  const path = relative(ROOT, file).replaceAll('\\', '/')
  return { path, text, code, imports: importsOf(code, path) }
}

const STATEMENT = /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm
const DYNAMIC = /\bimport\(\s*'([^']+)'\s*\)/g

function importsOf(code: string, path: string): readonly Import[] {
  const found: { specifier: string; typeOnly: boolean }[] = []
  for (const [, type, specifier] of code.matchAll(STATEMENT)) {
    if (specifier) found.push({ specifier, typeOnly: type !== undefined })
  }
  for (const [, specifier] of code.matchAll(DYNAMIC)) if (specifier) found.push({ specifier, typeOnly: false })
  return found.map(({ specifier, typeOnly }) => {
    const isOwn = specifier.startsWith('.')
    const target = isOwn ? normalize(join(dirname(path), specifier)).replaceAll('\\', '/') : packageOf(specifier)
    return { target, isOwn, typeOnly }
  })
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
