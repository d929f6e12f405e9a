import { isUtf8 } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { fromBufferPromise } from 'yauzl'
import { EngineError } from '../errors.ts'
import { decodeText } from '../values/decoded-words.ts'
import { unreadable } from './unreadable-report.ts'

/** How large a report may be when it is unpacked: the largest known have some megabytes. */
const MAX_UNPACKED = 16 * 1024 * 1024
/** How many times a file may be packed: one well-known reporter packs what it has packed. */
const MAX_LAYERS = 3

/**
 * The text of a report: as it is, or out of a gzip or zip file, whatever its name and type say. Throws EngineError
 * `VALIDATION_ERROR` on `file` for what cannot be unpacked, or would be too large.
 */
export async function unpack(given: Buffer): Promise<string> {
  let bytes = given
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    if (bytes.length > MAX_UNPACKED) throw tooLarge()
    if (isGzip(bytes)) bytes = gunzip(bytes)
    else if (isZip(bytes)) bytes = await unzip(bytes)
    else return textOf(bytes)
  }
  throw unreadable('is packed too many times')
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

function isZip(bytes: Buffer): boolean {
  return bytes.subarray(0, 4).equals(ZIP) || bytes.subarray(0, 4).equals(EMPTY_ZIP)
}

const ZIP = Buffer.from('PK\x03\x04', 'latin1')
const EMPTY_ZIP = Buffer.from('PK\x05\x06', 'latin1')

function gunzip(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes.subarray(0, endOf(bytes)), { maxOutputLength: MAX_UNPACKED })
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : unreadable('is a gzip file that is damaged or cut off')
  }
}

/** Where a gzip file ends: one well-known reporter adds a line end. Its own last byte is 0, of its size. */
function endOf(bytes: Buffer): number {
  let end = bytes.length
  while (end > 0 && (bytes[end - 1] === 0x0a || bytes[end - 1] === 0x0d)) end--
  return end
}

/** The one file of a zip. Folders, and what a Mac adds to each file, are none. */
async function unzip(bytes: Buffer): Promise<Buffer> {
  const zip = await fromBufferPromise(bytes).catch(() => {
    throw unreadable('is a zip file that is damaged or cut off')
  })
  try {
    let found: Buffer | undefined
    for await (const entry of zip.eachEntry()) {
      if (/\/$|^__MACOSX\//.test(entry.fileName)) continue
      if (found) throw unreadable('is a zip file with several files: unpack it, and add them one by one')
      if (entry.uncompressedSize > MAX_UNPACKED) throw tooLarge()
      // what is longer than its own size says ends with an error of the library
      const chunks: Buffer[] = []
      for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk)
      found = Buffer.concat(chunks)
    }
    if (found === undefined) throw unreadable('is a zip file without a file')
    return found
  } catch (error) {
    throw EngineError.is(error) ? error : unreadable('is a zip file that is damaged, cut off or locked')
  } finally {
    zip.close()
  }
}

/**
 * Reports are UTF-8, or else what they declare; the byte that is neither becomes a mark, so that one name costs no report.
 * UTF-16 is told by its mark, or by the zero beside its first character.
 */
function textOf(bytes: Buffer): string {
  return (decodeText(bytes, charsetOf(bytes)) ?? bytes.toString('utf8')).replaceAll('\0', '')
}

function charsetOf(bytes: Buffer): string {
  const [first = 0, second = 0] = bytes
  if ((first === 0xff && second === 0xfe) || (first > 0 && second === 0 && bytes.length > 1)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second > 0)) return 'utf-16be'
  if (isUtf8(bytes)) return 'utf-8'
  return (
    /^<\?xml[^>]{0,200}\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(bytes.toString('latin1', 0, 300))?.[1] ?? 'utf-8'
  )
}

function tooLarge() {
  return unreadable(`has more than ${MAX_UNPACKED / 1024 / 1024} MB when it is unpacked`)
}
