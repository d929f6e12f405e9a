import type { H3Event } from 'h3'
import type { Session } from '../../core/accounts/sessions.ts'
import type { User } from '../../core/ports/store/users.ts'
import type { UntrustedInput } from '../../core/values/input.ts'
import { queryOf } from './api-request.ts'
import { clientAddress } from './client-address.ts'
import { noSessionCookie, sessionCookie } from './session-cookie.ts'

/** A request of somebody who is logged in, for no project in particular. */
export class UserRequest {
  #query: UntrustedInput | undefined

  constructor(
    private readonly event: H3Event,
    readonly user: User,
    /** The JSON body; undefined when the route reads none. */
    readonly body: UntrustedInput,
    private readonly trustProxy: boolean,
    private readonly secure: boolean,
  ) {}

  /** A parameter of the path. */
  param(name: string): string {
    return this.event.context.params?.[name] ?? ''
  }

  /** The query as strings; of a repeated name, the last one counts. */
  get query(): UntrustedInput {
    // the same object each time: what it is warned of is kept with it
    this.#query ??= queryOf(this.event.url)
    return this.#query
  }

  /** The client's address. */
  get address(): string | undefined {
    return clientAddress(this.event, this.trustProxy)
  }

  /** The cookie of a new session. */
  sessionCookie(session: Session, now: Date): string {
    return sessionCookie(session, now, this.secure)
  }

  /** Removes the cookie of the session. */
  get noSessionCookie(): string {
    return noSessionCookie(this.secure)
  }
}
