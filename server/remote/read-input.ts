import { createReadStream } from 'node:fs'
import { errorCode } from '../../core/values/error-code.ts'
import { RemoteProblem } from './problem.ts'

/**
 * The bytes of a file, or with `-` of the standard input. Throws RemoteProblem when it cannot be read, and with `advice` when
 * it has more than `megabytes`.
 */
export async function readInput(file: string, megabytes: number, advice: string): Promise<Blob> {
  const name = file === '-' ? 'The standard input' : file
  const bytes: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      bytes.push(chunk)
      size += chunk.length
      if (size > megabytes * 1024 * 1024) break
    }
  } catch (error) {
    const code = errorCode(error) ?? error
    throw new RemoteProblem(code === 'ENOENT' ? `There is no file ${file}.` : `${name} cannot be read (${code}).`, 1)
  }
  if (size > megabytes * 1024 * 1024) throw new RemoteProblem(`${name} has more than ${megabytes} MB: ${advice}.`, 1)
  return new Blob(bytes)
}
