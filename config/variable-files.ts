import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { FieldProblem } from '../core/errors.ts'
import { errorCode } from '../core/values/error-code.ts'
import type { Environment } from './substitute.ts'

/** The largest file of a variable, in bytes. */
const MAX_BYTES = 64 * 1024

/** The environment, and what is wrong with the files it names. */
export interface EnvironmentWithFiles {
  readonly env: Environment
  readonly problems: readonly FieldProblem[]
}

/**
 * For each of these variables `X` whose value is in a file that `X_FILE` names, as container platforms hand out secrets:
 * the environment with the file's text as `X`, without a line end at its end. Paths start at `directory`.
 */
export async function readVariableFiles(
  given: Environment,
  names: Iterable<string>,
  directory: string,
): Promise<EnvironmentWithFiles> {
  const problems: FieldProblem[] = []
  const env: Record<string, string | undefined> = { ...given }
  for (const name of new Set(names)) {
    const variable = `${name}_FILE`
    const path = given[variable]?.trim()
    if (!path) continue
    const refuse = (message: string) => problems.push({ field: variable, code: 'custom', message })
    if (given[name]) {
      refuse(`must be left out beside ${name}`)
      continue
    }
    const read = await textOf(resolve(directory, path))
    if ('problem' in read) refuse(read.problem)
    else env[name] = read.text
  }
  return { env, problems }
}

async function textOf(file: string): Promise<{ readonly text: string } | { readonly problem: string }> {
  try {
    const handle = await open(file)
    try {
      // not all at once, since the path may name anything
      const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(MAX_BYTES + 1) })
      if (bytesRead > MAX_BYTES) return { problem: `${file} has more than ${MAX_BYTES / 1024} KB` }
      const text = buffer.toString('utf8', 0, bytesRead).replace(/\r?\n$/, '')
      return text === '' ? { problem: `${file} is empty` } : { text }
    } finally {
      await handle.close()
    }
  } catch (error) {
    const code = errorCode(error) ?? error
    return { problem: code === 'ENOENT' ? `there is no file ${file}` : `${file} cannot be read (${code})` }
  }
}
