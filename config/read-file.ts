import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import type { FieldProblem } from '../core/errors.ts'
import { configInvalid } from '../core/start/check-settings.ts'
import { errorCode } from '../core/values/error-code.ts'
import { firstLine, importFile } from './load-module.ts'

/** Where a config is looked for when none is named, in this order. */
const DEFAULT_FILES = ['ts', 'js', 'mjs', 'json', 'yaml', 'yml'].map((type) => `mailwright.config.${type}`)

/** A config file's content, not yet checked. Without a file, an empty config. */
export interface ConfigSource {
  readonly file: string | undefined
  readonly document: unknown
}

/**
 * Reads the named file, or the first of DEFAULT_FILES in `cwd`, or nothing. Throws EngineError `CONFIG_INVALID` when
 * the file is missing, has an unknown type, or cannot be read; JSON and YAML errors include the line.
 */
export async function readConfigFile(path: string | undefined, cwd: string): Promise<ConfigSource> {
  const file = path === undefined ? findFile(cwd) : resolve(cwd, path)
  if (file === undefined) return { file, document: {} }
  return { file, document: (await readDocument(file)) ?? {} }
}

function findFile(cwd: string): string | undefined {
  return DEFAULT_FILES.map((name) => resolve(cwd, name)).find((file) => existsSync(file))
}

function readDocument(file: string): Promise<unknown> {
  switch (extname(file).toLowerCase()) {
    case '.ts':
    case '.js':
    case '.mjs':
      return readModule(file)
    case '.json':
      return readJson(file)
    case '.yaml':
    case '.yml':
      return readYaml(file)
    default:
      throw broken(file, 'must end in .ts, .js, .mjs, .json, .yaml or .yml')
  }
}

async function readModule(file: string): Promise<unknown> {
  const module = await importFile(file)
  if ('problem' in module) throw broken(file, module.problem)
  const exported = module.exports.default
  if (exported === undefined) throw broken(file, 'has no default export: export default defineConfig({ … })')
  try {
    return await (typeof exported === 'function' ? exported() : exported)
  } catch (error) {
    throw broken(file, `its function failed: ${firstLine(error)}`)
  }
}

async function readJson(file: string): Promise<unknown> {
  const text = await readText(file)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw broken(file, firstLine(error))
  }
}

async function readYaml(file: string): Promise<unknown> {
  const { LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(await readText(file), { lineCounter: lines, prettyErrors: false, merge: true })
  if (document.errors.length > 0) {
    throw configInvalid(
      document.errors.map(({ pos, message }) => {
        const { line, col } = lines.linePos(pos[0])
        return problem(file, `line ${line}, column ${col}: ${firstLine(new Error(message))}`)
      }),
    )
  }
  try {
    return document.toJS()
  } catch (error) {
    throw broken(file, firstLine(error))
  }
}

async function readText(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    const missing = errorCode(error) === 'ENOENT'
    throw broken(file, missing ? `there is no file ${file}` : `cannot be read: ${firstLine(error)}`)
  }
}

function broken(file: string, message: string): Error {
  return configInvalid([problem(file, message)])
}

function problem(file: string, message: string): FieldProblem {
  return { field: basename(file), code: 'custom', message }
}
