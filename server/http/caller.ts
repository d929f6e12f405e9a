import type { IncomingMessage } from 'node:http'
import type { Engine } from '../../core/engine.ts'
import { EngineError, invalidField } from '../../core/errors.ts'
import type { User } from '../../core/ports/store/users.ts'
import type { Caller } from '../../core/projects/caller.ts'
import { isSecure, sessionToken } from './cookies.ts'
import type { HostLogin, HostUser } from './host-login.ts'
import { type Sender, senderOf, type TrustedOrigins } from './same-origin.ts'

const BEARER = /^bearer +(\S.*)$/i
const HOW = 'Send "Authorization: Bearer sk_…" with a key of this server.'
/** Methods that change nothing (RFC 9110, section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A request, as far as its caller is found by it. */
export interface CallingRequest {
  readonly method: string
  readonly headers: Headers
  readonly url: URL
  /** The id of the project in its path, if that names one. */
  readonly project?: string | undefined
  /** The client's whole address. */
  readonly address?: string | undefined
  /** The request of `node:http`, where it came by that. */
  readonly node?: IncomingMessage | undefined
}

/** Where callers are known. */
export interface Doors {
  readonly engine: Engine
  /** Whose pages may act for people who are logged in. */
  readonly origins: TrustedOrigins
  /** The logins of the app around this one; undefined: it has none. */
  readonly host: HostLogin | undefined
}

/**
 * Finds the caller by the key in the `Authorization` field (RFC 6750, section 2.1); without that field by the login at the
 * host, else by the session in the cookies, for the project in the path or in `X-Project-Id`. Throws EngineError
 * `MISSING_AUTH`, `INVALID_API_KEY`, `INVALID_SESSION`, `FORBIDDEN` (a change from another site's page),
 * `VALIDATION_ERROR` (no project is named), `PROJECT_NOT_FOUND`, `SERVICE_UNAVAILABLE` (the host fails).
 */
export async function callerOf(request: CallingRequest, doors: Doors): Promise<Caller> {
  const { headers, project } = request
  const { engine, origins, host } = doors
  const authorization = headers.get('authorization')
  const idOf = () => {
    const id = project ?? headers.get('x-project-id')
    if (id) return id
    throw invalidField('X-Project-Id', 'required', 'is required with a session: the id of the project to act for')
  }
  if (authorization === null) {
    const guest = host && (await hostUserOf(request, host, origins))
    if (guest) return host.callerOf(guest, idOf())
    if (sessionOf(request, origins) !== undefined) {
      const user = await sessionUserOf(request, engine, origins)
      return engine.accounts.members.caller(user, idOf())
    }
  }
  const key = authorization === null ? undefined : BEARER.exec(authorization)?.[1]
  if (key === undefined) throw new EngineError('MISSING_AUTH', 'The request has no API key.', { suggestion: HOW })
  const caller = await engine.projects.caller(key.trimEnd())
  if (project === undefined || project === caller.project.id) return caller
  throw new EngineError('PROJECT_NOT_FOUND', `There is no project ${project.slice(0, 100)}.`)
}

/**
 * Finds the person by the login at the host, else by the session in the cookies. Throws EngineError `MISSING_AUTH`,
 * `INVALID_SESSION`, `FORBIDDEN` (a change from another site's page, or a key instead of a session),
 * `SERVICE_UNAVAILABLE` (the host fails).
 */
export async function userOf(request: CallingRequest, doors: Doors): Promise<User | HostUser> {
  const { engine, origins, host } = doors
  if (request.headers.has('authorization')) {
    // a wrong key is reported as such
    await callerOf({ ...request, project: undefined }, doors)
    throw new EngineError('FORBIDDEN', 'This endpoint needs a logged-in user; keys are not accepted.', {
      suggestion: 'Log in with POST /auth/login.',
    })
  }
  const guest = host && (await hostUserOf(request, host, origins))
  return guest ?? sessionUserOf(request, engine, origins)
}

/**
 * The user who is logged in at the host; undefined for none. Its cookie may go with other sites' requests, as ours may.
 */
async function hostUserOf(
  request: CallingRequest,
  host: HostLogin,
  origins: TrustedOrigins,
): Promise<HostUser | undefined> {
  const guest = await host.userOf(request)
  if (guest && !SAFE.has(request.method)) requireOwnPage(senderOf(request, origins))
  return guest
}

async function sessionUserOf(request: CallingRequest, engine: Engine, origins: TrustedOrigins): Promise<User> {
  const token = sessionOf(request, origins)
  if (token === undefined) {
    throw new EngineError('MISSING_AUTH', 'You are not logged in.', { suggestion: 'Log in with POST /auth/login.' })
  }
  const user = await engine.accounts.userOf(token, {
    address: request.address,
    agent: request.headers.get('user-agent') ?? undefined,
  })
  if (!SAFE.has(request.method)) requireOwnPage(senderOf(request, origins))
  return user
}

/** Throws EngineError `FORBIDDEN` unless the browser says that a page of ours sent the request. */
export function requireOwnPage(sender: Sender): void {
  if (sender === 'own') return
  throw new EngineError('FORBIDDEN', 'This request does not come from a page of this server.', {
    suggestion:
      'Open it at the address in server.publicUrl (PUBLIC_URL) and send the Origin field of that address, or list the origin of your dashboard in server.corsOrigins.',
  })
}

/** The token of the session in the cookies of a request. */
export function sessionOf(
  { headers, url }: Pick<CallingRequest, 'headers' | 'url'>,
  origins: TrustedOrigins,
): string | undefined {
  return sessionToken(headers, isSecure(origins, url))
}
