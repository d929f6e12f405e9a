import { EngineError } from '../core/errors.ts'
import type { Caller } from '../core/projects/caller.ts'
import type { Projects } from '../core/projects/projects.ts'

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
