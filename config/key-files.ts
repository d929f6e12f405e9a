import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { FieldProblem } from '../core/errors.ts'
import { errorCode } from '../core/values/error-code.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/values/json.ts'

/** A config with the text of each key file instead of its path. */
export interface ConfigWithKeys {
  readonly config: JsonObject
  readonly problems: readonly FieldProblem[]
  /** Moves a problem of a key's text to the file it was read from. */
  place(problem: FieldProblem): FieldProblem
}

/** Reads the files that `dkim[].privateKeyFile` names; paths start at `directory`. */
export async function readKeyFiles(config: JsonObject, directory: string): Promise<ConfigWithKeys> {
  const { dkim } = config
  const problems: FieldProblem[] = []
  const files = new Map<string, string>()

  async function read(key: Json, i: number): Promise<Json> {
    if (!isJsonObject(key) || key.privateKeyFile === undefined) return key
    const { privateKeyFile: path, ...rest } = key
    const field = `dkim[${i}].privateKeyFile`
    const refuse = (message: string) => {
      problems.push({ field, code: 'custom', message })
      return rest
    }
    if (rest.privateKey !== undefined) return refuse('must be left out beside privateKey')
    files.set(`dkim[${i}].privateKey`, field)
    if (typeof path !== 'string' || path.trim() === '') return refuse('must be the path of a file')
    const file = resolve(directory, path)
    try {
      return { ...rest, privateKey: await readFile(file, 'utf8') }
    } catch (error) {
      const code = errorCode(error) ?? error
      return refuse(code === 'ENOENT' ? `there is no file ${file}` : `${file} cannot be read (${code})`)
    }
  }

  return {
    config: Array.isArray(dkim) ? { ...config, dkim: await Promise.all(dkim.map(read)) } : config,
    problems,
    place: (problem) => ({ ...problem, field: files.get(problem.field) ?? problem.field }),
  }
}
