import type { IncomingMessage } from 'node:http'
import * as v from 'valibot'
import type { Engine } from '../../core/engine.ts'
import { EngineError } from '../../core/errors.ts'
import type { MemberCaller, Person } from '../../core/projects/caller.ts'
import { EmailAddress } from '../../core/values/email-address.ts'
import { headerText } from '../../core/values/header-text.ts'
import { untrusted } from '../../core/values/input.ts'
import { isJsonObject } from '../../core/values/json.ts'
import { MEMBER_ROLES, type MemberRole } from '../../core/values/member-roles.ts'
import { parse } from '../../core/values/parse.ts'
import { LATE, within } from '../../core/values/within.ts'

/** A person who is logged in at the app that mounts this one. */
export interface HostPerson {
  /** The person's id in your app, 1 to 150 characters. The audit log keeps it as `host:<id>`. */
  readonly id: string
  /** The person's address, which counts as confirmed. The audit log and the versions of templates name the person by it. */
  readonly email: string
  readonly name?: string | undefined
  /** The person's roles, by the ids of projects: at most 100. There is nothing else for the person. */
  readonly projects: Readonly<Record<string, MemberRole>>
}

/**
 * Says who is logged in at your app: undefined or null for no user. `request` has the method, the address, the header
 * fields and a signal, and no body; `node` is the request of `node:http`, Express or Fastify, where it came by one.
 */
export type HostCaller = (
  request: Request,
  node: IncomingMessage | undefined,
) => HostPerson | null | undefined | Promise<HostPerson | null | undefined>

/** Where your app logs people in and out: paths such as `/login`, or http(s) URLs. The dashboard leads there. */
export interface HostPages {
  /** `{returnTo}` in it becomes the path of the dashboard's page to come back to, encoded. */
  readonly logIn?: string | undefined
  /** The dashboard shows no way to log out without it. */
  readonly logOut?: string | undefined
}

/** A person who is logged in at the host, as it was checked. */
export interface HostUser extends Person {
  readonly roles: ReadonlyMap<string, MemberRole>
}

/** The question to the host: the parts of a request that say who it comes from. */
interface HostRequest {
  readonly method: string
  readonly headers: Headers
  readonly url: URL
  readonly node?: IncomingMessage | undefined
}

const OPTION = 'The option `caller` of createApp'
/** How long the host may take. */
const LIMIT_MS = 10_000
const MAX_PROJECTS = 100
/** So that no id of the host's is that of a user. */
const PREFIX = 'host:'
const RETRY = 'Nobody is let in meanwhile. The log of the server says more.'

const Answer = v.object({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(150)),
  email: EmailAddress,
  name: v.nullish(v.pipe(v.string(), headerText(0, 200))),
  projects: v.pipe(
    // the keys of a Map or a list would be read as none, or as something else
    v.custom<Record<string, unknown>>(isJsonObject, 'must be a plain object such as { "<id of a project>": "ADMIN" }'),
    v.record(v.string(), v.picklist(MEMBER_ROLES)),
    v.maxEntries(MAX_PROJECTS, `must have at most ${MAX_PROJECTS} projects`),
  ),
})

/** People who are logged in at the app around this one. */
export class HostLogin {
  constructor(
    private readonly ask: HostCaller,
    private readonly engine: Pick<Engine, 'log' | 'now' | 'projects'>,
  ) {}

  /**
   * Who is logged in at the host; undefined for no user. Throws EngineError `SERVICE_UNAVAILABLE` when the host throws,
   * takes too long or answers something else: then no cookie of ours opens anything either.
   */
  async userOf({ method, headers, url, node }: HostRequest): Promise<HostUser | undefined> {
    const limit = new AbortController()
    // its own request: the body is read once, and not by the host
    const request = new Request(url, { method, headers: new Headers([...headers]), signal: limit.signal })
    try {
      // also what throws at once
      const answer = await within(
        LIMIT_MS,
        Promise.resolve().then(async () => this.ask(request, node)),
      )
      if (answer === LATE) {
        limit.abort(new Error(`it took longer than ${LIMIT_MS / 1000} seconds`))
        throw limit.signal.reason
      }
      return answer === undefined || answer === null ? undefined : this.#read(answer)
    } catch (error) {
      if (EngineError.is(error) && error.isTold) throw error
      throw this.#failed('could not say who is logged in', error)
    }
  }

  /** The person as a caller for this project. Throws EngineError `PROJECT_NOT_FOUND`, also for projects of others. */
  async callerOf(user: HostUser, id: string): Promise<MemberCaller> {
    const role = user.roles.get(id)
    if (role === undefined) throw new EngineError('PROJECT_NOT_FOUND', `There is no project ${id.slice(0, 100)}.`)
    return { kind: 'member', project: await this.engine.projects.get(id), role, user }
  }

  #read(answer: HostPerson): HostUser {
    try {
      const { id, email, name, projects } = parse(Answer, untrusted(answer))
      const named = name ? { name } : {}
      // the host proves it
      const known = { id: `${PREFIX}${id}`, email, verifiedAt: this.engine.now() }
      return { ...known, ...named, roles: new Map(Object.entries(projects)) }
    } catch (error) {
      const problems = EngineError.is(error)
        ? error.fields.map(({ field, message }) => `${field || 'it'} ${message}`)
        : []
      throw this.#failed(`answered something else than { id, email, name, projects }: ${problems.join(', ')}`, error)
    }
  }

  #failed(what: string, error: unknown): EngineError {
    const message = `${OPTION} ${what}.`
    this.engine.log.error(message, { error })
    return new EngineError('SERVICE_UNAVAILABLE', message, { suggestion: RETRY, cause: error, isTold: true })
  }
}

/** Whether the person is logged in at the host, and has no account here. */
export function isOfHost(person: Person): person is HostUser {
  return person.id.startsWith(PREFIX)
}

/** Refuses what needs an account here. */
export function noAccount(): EngineError {
  return new EngineError('FORBIDDEN', 'You are logged in at the app around this server, and have no account here.', {
    suggestion: 'Your name, your login and your projects are kept by that app.',
  })
}

const HostPage = v.pipe(
  v.string(),
  v.maxLength(2000),
  v.check((page) => /^\/(?![/\\])/.test(page) || /^https?:$/.test(URL.parse(page)?.protocol ?? '')),
)

/** Makes sure that pages of the host are such. Throws EngineError `CONFIG_INVALID`. */
export function requireHostPages(pages: HostPages): void {
  for (const name of ['logIn', 'logOut'] as const) {
    if (pages[name] === undefined || v.is(HostPage, pages[name])) continue
    const message = `createApp: hostPages.${name}: must be a path such as /login, or an http(s) URL of at most 2000 characters.`
    throw new EngineError('CONFIG_INVALID', message)
  }
}
