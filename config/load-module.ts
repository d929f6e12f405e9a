import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { errorCode } from '../core/values/error-code.ts'
import { isJsonObject } from '../core/values/json.ts'

/** A module's exports, or why it cannot be loaded. */
export type LoadedModule = { readonly exports: Readonly<Record<string, unknown>> } | { readonly problem: string }

/** Whether a `use` is a path: it begins with `./`, `../` or `/`. */
export function isPath(use: string): boolean {
  return /^\.{1,2}[/\\]/.test(use) || isAbsolute(use)
}

/** Loads a module for a config: a path relative to `directory`, or a package found from there. */
export async function loadModule(use: string, directory: string): Promise<LoadedModule> {
  const file = isPath(use) ? resolve(directory, use) : await findPackage(use, directory)
  if (file === undefined) return { problem: `no built-in plugin and no package of the name ${use} (from ${directory})` }
  return importFile(file)
}

/** When each file had last changed as it was imported first. */
const importedAt = new Map<string, number>()

/**
 * Imports a file by its absolute path; TypeScript by Node's own type stripping. A file that has changed since it was
 * imported first is read anew, which Node would not do; what it imports itself is not.
 */
export async function importFile(file: string): Promise<LoadedModule> {
  if (!existsSync(file)) return { problem: `there is no file ${file}` }
  try {
    const { mtimeMs } = statSync(file)
    const first = importedAt.get(file) ?? mtimeMs
    importedAt.set(file, first)
    const url = pathToFileURL(file)
    if (mtimeMs !== first) url.search = `changed=${mtimeMs}`
    const exports: unknown = await import(/* @vite-ignore */ url.href)
    return { exports: { ...(exports as object) } }
  } catch (error) {
    return { problem: `cannot load ${file}: ${firstLine(error)}` }
  }
}

/** An error's message, in one line. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n')[0] ?? ''
}

async function findPackage(name: string, directory: string): Promise<string | undefined> {
  const base = join(directory, 'mailwright.config.js')
  try {
    const file = createRequire(base).resolve(name)
    return isAbsolute(file) ? file : undefined
  } catch (error) {
    return errorCode(error) === 'ERR_PACKAGE_PATH_NOT_EXPORTED' ? findImportOnly(name, base) : undefined
  }
}

/** `require.resolve` does not find packages that are only for `import`. */
async function findImportOnly(name: string, base: string): Promise<string | undefined> {
  // by hand, since Bun has no findPackageJSON
  const folders = createRequire(base).resolve.paths(name) ?? []
  const manifest = folders.map((folder) => join(folder, name, 'package.json')).find((file) => existsSync(file))
  if (manifest === undefined) return undefined
  const { exports }: { exports?: unknown } = JSON.parse(await readFile(manifest, 'utf8'))
  const target = importTarget(isJsonObject(exports) && '.' in exports ? exports['.'] : exports)
  return target === undefined ? undefined : join(dirname(manifest), target)
}

function importTarget(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports
  if (!isJsonObject(exports)) return undefined
  for (const condition of ['node', 'import', 'default']) {
    const target = importTarget(exports[condition])
    if (target !== undefined) return target
  }
  return undefined
}
