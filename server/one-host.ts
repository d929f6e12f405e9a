import type { H3Event } from 'h3'
import { EngineError } from '../core/errors.ts'

/**
 * Refuses a request with several `Host` fields (RFC 9112, section 3.2), since a proxy in front may have used another of
 * them. Throws EngineError `BAD_REQUEST`.
 */
export function requireOneHost({ runtime }: H3Event['req']): void {
  // Only the raw fields show both: Node keeps the first, and web Headers join them
  const raw = runtime?.node?.req.rawHeaders ?? []
  let hosts = 0
  for (let i = 0; i < raw.length; i += 2) if (raw[i]?.length === 4 && raw[i]?.toLowerCase() === 'host') hosts++
  if (hosts > 1) throw new EngineError('BAD_REQUEST', 'The request has several Host fields; it must have one.')
}
