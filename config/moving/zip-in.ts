import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { EngineError } from '../../core/errors.ts'
import { errorCode } from '../../core/values/error-code.ts'
import type { Line } from '../../plugins/kit/sql/moving/import-rows.ts'

/** A zip whose directory was read. */
export interface ZipIn {
  readonly names: readonly string[]
  /** How many bytes a file has, as the directory says. */
  size(name: string): number
  /** The bytes of a file, piece by piece. Throws EngineError `CONFIG_INVALID` when they are not those that were packed. */
  bytes(name: string): AsyncIterable<Buffer>
  /** The lines of a file that has them, a batch at a time; of a missing file none. */
  lines(name: string): AsyncIterable<readonly Line[]>
  close(): Promise<void>
}

/** As many files may a zip have. */
const MAX_FILES = 1_000_000
/** A line holds one row, at most a mail with all its files as Base64. */
const MAX_LINE = 128 * 1024 * 1024
/** Lines handed over together: as many, or as many bytes. */
const BATCH_LINES = 1_000
const BATCH_BYTES = 8 * 1024 * 1024
/** Nothing that people wrote is packed tighter: text comes to a twentieth. */
const MAX_RATIO = 200
/** Below this size no ratio matters. */
const SMALL = 100 * 1024 * 1024

/** Opens a zip. Throws EngineError `CONFIG_INVALID` when it is none, is cut off, or would unpack to far too much. */
export async function openZip(path: string): Promise<ZipIn> {
  const options = { autoClose: false, strictFileNames: true } as const
  const zip = await openPromise(path, options).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') throw new EngineError('CONFIG_INVALID', `There is no file ${path}.`)
    throw unreadable(path, error)
  })
  try {
    return new Zip(zip, await entriesOf(path, zip))
  } catch (error) {
    zip.close()
    throw error
  }
}

async function entriesOf(path: string, zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > MAX_FILES) {
    throw new EngineError('CONFIG_INVALID', `${path} has ${zip.entryCount} files; it may have ${MAX_FILES}.`)
  }
  const entries = new Map<string, Entry>()
  let [packed, unpacked] = [0, 0]
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.has(entry.fileName)) throw new Error(`it has ${entry.fileName} twice`)
      if (!entry.canDecodeFileData()) throw new Error(`${entry.fileName} is packed in a way that is not read here`)
      entries.set(entry.fileName, entry)
      packed += entry.compressedSize
      unpacked += entry.uncompressedSize
    }
  } catch (error) {
    throw unreadable(path, error)
  }
  if (unpacked > SMALL && unpacked > packed * MAX_RATIO) {
    const message = `${path} would unpack to ${unpacked} bytes, ${Math.round(unpacked / packed)} times as many as it has: no export does. Nothing was read.`
    throw new EngineError('CONFIG_INVALID', message)
  }
  return entries
}

class Zip implements ZipIn {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>

  constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()]
  }

  size(name: string): number {
    return this.#entries.get(name)?.uncompressedSize ?? 0
  }

  async *bytes(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name)
    if (entry === undefined) return
    let sum = 0
    try {
      for await (const chunk of await this.#zip.openReadStreamPromise(entry)) {
        sum = crc32(chunk, sum)
        yield chunk
      }
    } catch (error) {
      throw unreadable(name, error)
    }
    if (sum !== entry.crc32) throw unreadable(name, new Error('its bytes are not those that were packed'))
  }

  async *lines(name: string): AsyncGenerator<readonly Line[]> {
    let lines: Line[] = []
    let bytes = 0
    let number = 0
    let parts: Buffer[] = []
    let length = 0
    const ended = () => {
      number++
      bytes += length
      const text = decoded(parts, name, number)
      ;[parts, length] = [[], 0]
      lines.push({ number, text })
    }
    for await (const chunk of this.bytes(name)) {
      let from = 0
      for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, from)) {
        parts.push(chunk.subarray(from, at))
        length += at - from
        ended()
        from = at + 1
        if (lines.length < BATCH_LINES && bytes < BATCH_BYTES) continue
        yield lines
        ;[lines, bytes] = [[], 0]
      }
      if (from === chunk.length) continue
      parts.push(chunk.subarray(from))
      length += chunk.length - from
      if (length > MAX_LINE)
        throw new EngineError('CONFIG_INVALID', `${name}, line ${number + 1}: it is longer than 128 MB.`)
    }
    if (length > 0) ended()
    if (lines.length > 0) yield lines
  }

  async close(): Promise<void> {
    this.#zip.close()
  }
}

const LINE_END = 10

function decoded(parts: readonly Buffer[], name: string, line: number): string {
  const [first = Buffer.alloc(0), ...more] = parts
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(more.length === 0 ? first : Buffer.concat(parts))
  } catch {
    throw new EngineError('CONFIG_INVALID', `${name}, line ${line}: it is not UTF-8. Nothing was changed.`)
  }
}

function unreadable(what: string, error: unknown): EngineError {
  const why = error instanceof Error ? error.message : String(error)
  return new EngineError('CONFIG_INVALID', `${what} is no whole zip file: ${why}. Nothing was changed.`, {
    cause: error,
  })
}
