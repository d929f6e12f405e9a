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
    throw broken(file, jsonMistake(text) ?? firstLine(error))
  }
}

/** The usual mistakes of JSON by hand, of which the parser names a character at most, and often no line. */
const JSON_MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/^\/[/*]/, 'JSON has no comments; remove it, or use a .yaml, .ts or .mjs file'],
  [/^,/, 'a comma before a closing bracket; remove it'],
  [/^['‘’“”„]/, 'names and texts need straight double quotes'],
]

/** The first of the usual mistakes outside of texts, with its place. */
function jsonMistake(text: string): string | undefined {
  if (text.trim() === '') return 'is empty; it must hold an object, such as {}'
  for (const { 0: found, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|\/[/*]|['‘’“”„]|,(?=\s*[}\]])/g)) {
    const mistake = JSON_MISTAKES.find(([begins]) => begins.test(found))
    if (mistake === undefined) continue
    const before = text.slice(0, index).split('\n')
    return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: ${mistake[1]}`
  }
  return undefined
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
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    throw broken(file, unreadable(file, error))
  }
  // as editors and shells of Windows write it
  if (UTF_16.has(bytes.toString('hex', 0, 2))) throw broken(file, 'is in UTF-16; save it as UTF-8')
  return bytes.toString('utf8').replace(/^\uFEFF/, '')
}

/** The marks of the order of bytes. */
const UTF_16 = new Set(['fffe', 'feff'])

function unreadable(file: string, error: unknown): string {
  switch (errorCode(error)) {
    case 'ENOENT':
      return `there is no file ${file}`
    case 'EISDIR':
      return `${file} is a folder; name the file in it`
    case 'EACCES':
      return `this user may not read ${file}; run the program as the user who owns it, or let this one read it`
    default:
      return `cannot be read: ${firstLine(error)}`
  }
}

function broken(file: string, message: string): Error {
  return configInvalid([problem(file, message)])
}

function problem(file: string, message: string): FieldProblem {
  return { field: basename(file), code: 'custom', message }
}
