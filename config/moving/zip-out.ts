import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { EngineError } from '../../core/errors.ts'
import { makePrivateFile } from '../../plugins/kit/files/private-files.ts'

/** A zip that is being written, one file after the other. */
export interface ZipOut {
  /** Writes one file. Resolves when it was read to its end. */
  add(name: string, chunks: AsyncIterable<string | Uint8Array>): Promise<void>
}

/**
 * Writes a zip, which is there under its name once it is whole. Throws EngineError `CONFLICT` when the name is taken and
 * `force` is false, `CONFIG_INVALID` when it cannot be written.
 */
export async function writeZip(target: string, force: boolean, fill: (zip: ZipOut) => Promise<void>): Promise<void> {
  if (!force && (await stat(target).catch(() => undefined))) {
    throw new EngineError('CONFLICT', `${target} exists already: name another file, or write over it with --force.`)
  }
  const draft = `${target}.${createHash('sha256').update(`${process.pid} ${target}`).digest('hex').slice(0, 8)}.part`
  try {
    await makePrivateFile(draft)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new EngineError('CONFIG_INVALID', `${target} cannot be made: ${why}`, { cause })
  }
  try {
    const zip = new ZipFile()
    const failed = new Promise<never>((_resolve, reject) => zip.once('error', reject))
    failed.catch(() => {})
    const written = pipeline(zip.outputStream, createWriteStream(draft))
    written.catch(() => {})
    const stopped = Promise.race([failed, written.then(() => new Promise<never>(() => {}))])
    stopped.catch(() => {})
    const add = (name: string, chunks: AsyncIterable<string | Uint8Array>) => {
      const stream = Readable.from(chunks, { objectMode: false })
      const done = new Promise<void>((ended, broken) => stream.once('end', ended).once('error', broken))
      zip.addReadStream(stream, name, { mode: 0o100600 })
      return Promise.race([done, stopped])
    }
    await fill({ add })
    zip.end()
    await Promise.race([written, failed])
    await synced(draft)
    await rename(draft, target)
    if (process.platform !== 'win32') await synced(dirname(resolve(target)))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function synced(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
