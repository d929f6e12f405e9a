import type { H3Event } from 'h3'
import { EngineError } from '../../core/errors.ts'

/**
 * Refuses a request with several `Host` fields (RFC 9112, section 3.2), since a proxy in front may have used another of
 * them, and one whose target is neither a path nor a URL, which would pass for one of `/`. Throws EngineError
 * `BAD_REQUEST`.
 */
export function requirePlainRequest({ runtime }: H3Event['req']): void {
  const request = runtime?.node?.req
  // Only the raw fields show both: Node keeps the first, and web Headers join them
  const raw = request?.rawHeaders ?? []
  let hosts = 0
  for (let i = 0; i < raw.length; i += 2) if (raw[i]?.length === 4 && raw[i]?.toLowerCase() === 'host') hosts++
  if (hosts > 1) throw new EngineError('BAD_REQUEST', 'The request has several Host fields; it must have one.')
  const target = request?.url ?? '/'
  if (!target.startsWith('/') && target !== '*' && !URL.canParse(target)) {
    throw new EngineError(
      'BAD_REQUEST',
      'The target of the request is no path and no URL; send a path such as /health.',
    )
  }
}
