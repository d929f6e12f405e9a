import { readDmarcXml } from './dmarc-xml.ts'
import type { ReceivedReport } from './report.ts'
import { readTlsJson } from './tls-json.ts'
import { unpack } from './unpack.ts'
import { unreadable } from './unreadable-report.ts'

/**
 * Reads a report on DMARC or TLS from the bytes of a file, packed or not. Told by what stands in it, not by its name.
 * Throws EngineError `VALIDATION_ERROR` on `file`, which says why it is none.
 */
export async function readReport(bytes: Uint8Array): Promise<ReceivedReport> {
  const text = await unpack(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const start = text.replace(/^[\uFEFF\s]+/, '').slice(0, 1)
  if (start === '<') return readDmarcXml(text)
  if (start === '{') return readTlsJson(text)
  if (start === '') throw unreadable('is empty')
  throw unreadable('is neither a DMARC report (XML) nor a TLS report (JSON), nor one of them packed as gzip or zip')
}
