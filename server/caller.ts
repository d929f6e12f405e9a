import { EngineError } from '../core/errors.ts'
import { type Caller, requireScope } from '../core/projects/caller.ts'
import type { Projects } from '../core/projects/projects.ts'
import { type KeyRoute, scopeOf } from './route.ts'

const BEARER = /^bearer +(\S.*)$/i
const HOW = 'Send "Authorization: Bearer sk_…" with a key of this server.'

/**
 * Finds the caller by the request's `Authorization: Bearer` field (RFC 6750, section 2.1). Throws EngineError
 * `MISSING_AUTH`, `INVALID_API_KEY`.
 */
export async function callerOf(authorization: string | null, projects: Projects): Promise<Caller> {
  const key = authorization === null ? undefined : BEARER.exec(authorization)?.[1]
  if (key === undefined) throw new EngineError('MISSING_AUTH', 'The request has no API key.', { suggestion: HOW })
  return projects.caller(key.trimEnd())
}

/**
 * The one place where what a caller may do meets what a route needs. Throws EngineError `FORBIDDEN` when a public key asks
 * for something only secret keys may do, or the caller lacks the scope.
 */
export function requireAccess(caller: Caller, route: KeyRoute): void {
  if (caller.kind === 'public' && route.access !== 'public') {
    throw new EngineError('FORBIDDEN', 'A public key can only track events.', {
      suggestion: 'Use a secret key (sk_…), and keep it on your server.',
    })
  }
  const scope = scopeOf(route)
  if (scope !== 'any') requireScope(caller, scope)
}
