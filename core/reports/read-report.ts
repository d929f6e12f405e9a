import { MAX_PARSED_BYTES } from '../bounces/parse/mime.ts'
import { readDmarcXml } from './dmarc-xml.ts'
import { reportsInMail } from './files-in-mail.ts'
import type { ReceivedReport } from './report.ts'
import { readTlsJson } from './tls-json.ts'
import { unpack } from './unpack.ts'
import { unreadable } from './unreadable-report.ts'

/**
 * Reads a report on DMARC or TLS from the bytes of a file, packed or not, or of a whole mail that brings one. Told by what
 * stands in it, not by its name. Throws EngineError `VALIDATION_ERROR` on `file`, which says why it is none.
 */
export async function readReport(bytes: Uint8Array): Promise<ReceivedReport> {
  if (!isMail(bytes)) return readFile(bytes)
  if (bytes.length > MAX_PARSED_BYTES) throw unreadable('is a mail of more than 1 MB: add the report in it as a file')
  const [inMail = bytes, another] = reportsInMail(bytes)
  if (another) throw unreadable('is a mail with several reports: add them one by one')
  return readFile(inMail)
}

/** Whether it begins with a field, as every mail does. */
function isMail(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 2000)).toString('latin1')
  return /^\s{0,10}(?:From [^\n]{0,500}\n)?[a-z][a-z\d-]{0,99}:[ \t\r\n]/i.test(start)
}

async function readFile(bytes: Uint8Array): Promise<ReceivedReport> {
  const text = await unpack(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const start = text.replace(/^[\uFEFF\s]+/, '').slice(0, 1)
  if (start === '<') return readDmarcXml(text)
  if (start === '{') return readTlsJson(text)
  if (start === '') throw unreadable('is empty')
  throw unreadable(
    'is neither a DMARC report (XML) nor a TLS report (JSON), nor one of them packed as gzip or zip or in a mail',
  )
}
