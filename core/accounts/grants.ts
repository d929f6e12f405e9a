import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { EngineError, invalidField } from '../errors.ts'
import { namedInbox } from '../inboxes/inbox.ts'
import type { Kit } from '../kit.ts'
import { APPROVALS, type ApiKey, INBOX_RIGHTS, type InboxRight } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import { hashKey, requireRoom } from '../projects/api-keys.ts'
import { allows, authorOf, type Caller, type MemberCaller, requireArea } from '../projects/caller.ts'
import { isGivenStill } from '../projects/given-keys.ts'
import { requireEnabled } from '../projects/project.ts'
import type { Projects } from '../projects/projects.ts'
import { isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { distinct, listOf } from '../values/list.ts'
import { parse } from '../values/parse.ts'
import { shownId } from '../values/shown-id.ts'
import {
  Asked,
  type AskedGrant,
  AskGrant,
  Client,
  digestOf,
  hostOf,
  isOwnRedirect,
  isVerifierOf,
  RegisterClient,
  rightsIn,
} from './clients.ts'
import type { SignedClaims } from './signed-claims.ts'

/** How long a person may think, a code may take to come back, an access token and a refresh token are valid, in seconds. */
const ASKED_SECONDS = 600
const CODE_SECONDS = 60
const ACCESS_SECONDS = 3_600
const REFRESH_SECONDS = 30 * 86_400
/** How many inboxes a person allows at once. */
const MOST_INBOXES = 100

/** The body of `POST /projects/{id}/grants`. */
export const DecideGrant = v.object({
  /** The request of the client, as the server has signed it. */
  request: v.pipe(v.string(), v.minLength(1), v.maxLength(6_000)),
  /** False: the client gets nothing, and is told so. */
  allowed: v.boolean(),
  /** With `allowed`: the inboxes that the client works in. */
  inboxIds: v.optional(distinct(listOf(v.pipe(v.string(), v.uuid('must be a UUID')), 1, MOST_INBOXES))),
  /** With `allowed`: its rights there, of those that it asked for. */
  rights: v.optional(distinct(listOf(v.picklist(INBOX_RIGHTS), 1, 10))),
  /** Which of its mails wait for a person; by default all. */
  approval: v.optional(v.picklist(APPROVALS), 'always'),
})

/** A member's answer to a client. */
export interface DecideGrantInput extends InputOf<typeof DecideGrant> {}

/** A client that has registered. */
export interface RegisteredClient {
  /** Its id, which holds the rest, signed: nothing is stored. */
  readonly id: string
  /** Its name, which no one has verified. */
  readonly name: string
  /** Where it may be sent back to. */
  readonly uris: readonly string[]
  /** When it registered. */
  readonly at: Date
}

/** The tokens of a client. */
export interface ClientTokens {
  /** Opens `/mcp`, and nothing else. */
  readonly access: string
  /** After how many seconds the access token ends. */
  readonly seconds: number
  /** Gets the next tokens, once. */
  readonly refresh: string
  /** The rights in the inboxes. */
  readonly rights: readonly InboxRight[]
}

/** The reason why a client gets no tokens (RFC 6749, section 5.2; RFC 8707, section 2). */
export interface ClientRefusal {
  /** The code of OAuth for it. */
  readonly error: 'invalid_client' | 'invalid_grant' | 'invalid_scope' | 'invalid_target' | 'unsupported_grant_type'
  /** A sentence for the people who made the client. */
  readonly reason: string
}

/**
 * Clients of MCP that members let into inboxes, by OAuth 2.1: the rules of it, but for the requests. A grant is a key of
 * the project with the scope `inbox`, whose text each refresh replaces. A client stores its own registration.
 */
export class Grants {
  constructor(
    private readonly store: Store,
    private readonly projects: Projects,
    private readonly claims: SignedClaims,
    private readonly kit: Kit,
  ) {}

  /** Registers a client (RFC 7591). Throws EngineError `VALIDATION_ERROR`. */
  async register(input: UntrustedInput): Promise<RegisteredClient> {
    const { client_name: name, redirect_uris: uris } = parse(RegisterClient, input)
    const at = this.kit.now()
    // two programs of the same name are two clients
    const own = randomBytes(9).toString('base64url')
    const id = await this.claims.write('client', { name, uris: [...uris], own })
    return { id, name, uris, at }
  }

  /**
   * Reads what a client asks for; answers it signed, for the page where a person decides. `place` is this server and its
   * `/mcp`. Throws EngineError `VALIDATION_ERROR`.
   */
  async ask(
    query: UntrustedInput,
    { issuer, resource }: { readonly issuer: string; readonly resource: string },
  ): Promise<string> {
    const asked = parse(AskGrant, query)
    const client = await this.#client(asked.client_id)
    if (client === undefined) throw invalidField('client_id', 'custom', 'is of no client that registered here')
    if (!isOwnRedirect(client.uris, asked.redirect_uri)) {
      throw invalidField('redirect_uri', 'custom', 'is none that the client registered')
    }
    if (!isSameResource(asked.resource, resource)) throw invalidField('resource', 'custom', `must be ${resource}`)
    const rights = rightsIn(asked.scope)
    if (rights === undefined) throw invalidField('scope', 'custom', `must be some of ${INBOX_RIGHTS.join(' ')}`)
    const request = {
      client: digestOf(asked.client_id),
      name: client.name,
      host: hostOf(asked.redirect_uri),
      redirectUri: asked.redirect_uri,
      challenge: asked.code_challenge,
      ...(asked.state === undefined ? {} : { state: asked.state }),
      rights: [...rights],
      issuer,
      until: this.kit.now().getTime() + ASKED_SECONDS * 1000,
    }
    return this.claims.write('consent', request)
  }

  /**
   * A member's answer to a client: whether it may work in these inboxes, which the member must see. Answers where to go with
   * it. Throws EngineError `FORBIDDEN`, `VALIDATION_ERROR`, `INBOX_NOT_FOUND`, `CONFLICT` when the project has 100 keys,
   * `PROJECT_DISABLED`.
   */
  async decide(
    caller: Caller,
    input: DecideGrantInput | UntrustedInput,
  ): Promise<{ readonly grant?: ApiKey; readonly redirectTo: string }> {
    const { request, allowed, inboxIds, rights, approval } = parse(DecideGrant, input, function* (read) {
      if (read.allowed !== true) return
      if (read.inboxIds === undefined) yield { field: 'inboxIds', code: 'required', message: 'is required' }
      if (read.rights === undefined) yield { field: 'rights', code: 'required', message: 'is required' }
    })
    const member = requireAccount(caller)
    const asked = v.safeParse(Asked, await this.claims.read('consent', request))
    const now = this.kit.now()
    if (!asked.success || asked.output.until <= now.getTime()) {
      throw invalidField('request', 'custom', 'is no request of a client, or is too old: begin again in the client')
    }
    const { redirectUri, state, issuer } = asked.output
    const back = (name: string, value: string) => {
      const url = new URL(redirectUri)
      url.searchParams.set(name, value)
      if (state !== undefined) url.searchParams.set('state', state)
      url.searchParams.set('iss', issuer)
      return url.href
    }
    if (!allowed) return { redirectTo: back('error', 'access_denied') }
    requireEnabled(member.project)
    const excess = rights?.find((right) => right !== 'read' && !asked.output.rights.includes(right))
    if (excess !== undefined) throw invalidField('rights', 'custom', `has ${excess}, which the client did not ask for`)
    const inbox = { inboxIds: inboxIds ?? [], rights: rights ?? [], approval }
    const grant = await this.#add(member, asked.output, inbox, now)
    return { grant, redirectTo: back('code', await this.claims.write('turn', { id: grant.id, turn: 0 })) }
  }

  /** The clients that the caller let in; of who may manage keys, those of all members. Newest first. */
  async list(caller: Caller): Promise<readonly ApiKey[]> {
    requireArea(caller, 'grants')
    const own = caller.kind === 'member' ? caller.user.id : undefined
    const keys = await this.projects.keys.list(caller.project)
    return keys.filter(({ client, userId }) => client !== undefined && (userId === own || allows(caller, 'keys')))
  }

  /** Ends a grant, at once. Throws EngineError `KEY_NOT_FOUND`, `FORBIDDEN`. */
  async end(caller: Caller, id: string): Promise<void> {
    if (!(await this.list(caller)).some((key) => key.id === id)) {
      throw new EngineError('KEY_NOT_FOUND', `There is no client ${shownId(id)} that you could end.`)
    }
    await this.store.projects.changeKey(caller.project.id, id, { revokedAt: this.kit.now() })
  }

  /**
   * Gives a client its next tokens for a code or a refresh token, of which each works once: a second time ends the grant,
   * since one of the two has stolen it. `resource` is the address of `/mcp`.
   */
  async tokens(given: Readonly<Record<string, string>>, resource: string): Promise<ClientTokens | ClientRefusal> {
    const { grant_type: kind, client_id: clientId = '', resource: asked } = given
    if (kind !== 'authorization_code' && kind !== 'refresh_token') {
      return { error: 'unsupported_grant_type', reason: 'grant_type must be authorization_code or refresh_token.' }
    }
    if ((await this.#client(clientId)) === undefined) return UNKNOWN_CLIENT
    if (!isSameResource(asked, resource)) return { error: 'invalid_target', reason: `resource must be ${resource}.` }
    const text = (kind === 'authorization_code' ? given.code : given.refresh_token) ?? ''
    const turn = v.safeParse(Turn, await this.claims.read('turn', text))
    if (!turn.success) return INVALID
    const isCode = kind === 'authorization_code'
    const answer = await this.store.transaction(async (tx) => {
      const key = await tx.projects.lockKey(turn.output.id)
      if (!key?.client || !key.inbox) return INVALID
      const revoke = async (reason: string): Promise<ClientRefusal> => {
        await tx.projects.changeKey(key.projectId, key.id, { revokedAt: this.kit.now() })
        return { error: 'invalid_grant', reason }
      }
      if (turn.output.turn < key.client.turn) return revoke('This was used before, so the grant has ended. Ask again.')
      if (!isDue(key, turn.output.turn, isCode, clientId, this.kit.now())) return INVALID
      if (isCode && !isProven(key, given)) return INVALID
      if (!(await isGivenStill(tx, key))) return revoke('The member who allowed this may no longer do so.')
      const { rights } = key.inbox
      const named = rightsIn(given.scope)
      const asked = named === INBOX_RIGHTS ? undefined : named
      // each right contains this one
      if (named === undefined || asked?.some((right) => right !== 'read' && !rights.includes(right))) {
        return { error: 'invalid_scope', reason: `scope must be some of ${rights.join(' ')}.` } as const
      }
      // of this access token alone: the refresh token has those of the grant (RFC 6749, section 6)
      return { key, rights: asked ?? rights, access: await this.#renew(tx, key, turn.output.turn + 1, asked) }
    })
    if ('error' in answer) return answer
    const refresh = await this.claims.write('turn', { id: answer.key.id, turn: turn.output.turn + 1 })
    return { access: answer.access, seconds: ACCESS_SECONDS, refresh, rights: answer.rights }
  }

  /** Ends the grant of a token of this client (RFC 7009). A token that is none, or of another client, ends nothing. */
  async revoke({
    token = '',
    client_id: clientId = '',
  }: Readonly<Record<string, string>>): Promise<ClientRefusal | undefined> {
    if ((await this.#client(clientId)) === undefined) return UNKNOWN_CLIENT
    const turn = v.safeParse(Turn, await this.claims.read('turn', token))
    await this.store.transaction(async (tx) => {
      const id = turn.success ? turn.output.id : (await tx.projects.findKey(hashKey(token)))?.key.id
      const key = id === undefined ? undefined : await tx.projects.lockKey(id)
      if (key?.client?.id === digestOf(clientId))
        await tx.projects.changeKey(key.projectId, key.id, { revokedAt: this.kit.now() })
    })
    return undefined
  }

  async #client(id: string) {
    const read = v.safeParse(Client, await this.claims.read('client', id))
    return read.success ? read.output : undefined
  }

  /** A grant that waits for its code; an earlier one of the same client and member ends with it. */
  async #add(
    { project, user, role }: MemberCaller,
    asked: AskedGrant,
    inbox: NonNullable<ApiKey['inbox']>,
    now: Date,
  ): Promise<ApiKey> {
    const { client: id, name, host, redirectUri, challenge } = asked
    const until = new Date(now.getTime() + CODE_SECONDS * 1000)
    const text = newAccessToken()
    const record: ApiKey = {
      id: this.kit.newId(),
      projectId: project.id,
      kind: 'secret',
      name,
      scopes: ['inbox'],
      inbox,
      userId: user.id,
      client: { id, host, by: user.email, role, turn: 0, until: until.toISOString(), redirectUri, challenge },
      // the text is never given away: the code gets the first one
      hash: hashKey(text),
      prefix: text.slice(0, 8),
      createdAt: now,
      expiresAt: until,
    }
    const by = authorOf({ kind: 'member', project, user, role })
    await this.store.transaction(async (tx) => {
      for (const inboxId of inbox.inboxIds) await namedInbox(tx, project.id, inboxId, by)
      await tx.projects.lock(project.id)
      const keys = await tx.projects.keys(project.id)
      for (const key of keys) {
        if (key.client?.id !== id || key.userId !== user.id) continue
        await tx.projects.changeKey(project.id, key.id, { revokedAt: now })
      }
      requireRoom(keys, now)
      await tx.projects.addKey(record)
    })
    return record
  }

  /** Writes the next turn of a grant, with fewer rights where it was asked for so; answers its access token. */
  async #renew(
    tx: Repositories,
    key: ApiKey,
    turn: number,
    rights: readonly InboxRight[] | undefined,
  ): Promise<string> {
    const { id, host, by, role } = key.client ?? unreachable()
    const now = this.kit.now().getTime()
    const access = newAccessToken()
    await tx.projects.renewKey({
      ...key,
      hash: hashKey(access),
      prefix: access.slice(0, 8),
      expiresAt: new Date(now + ACCESS_SECONDS * 1000),
      client: {
        id,
        host,
        by,
        role,
        turn,
        until: new Date(now + REFRESH_SECONDS * 1000).toISOString(),
        ...(rights && { rights }),
      },
    })
    return access
  }
}

const Turn = v.object({ id: v.string(), turn: v.number() })

const UNKNOWN_CLIENT: ClientRefusal = {
  error: 'invalid_client',
  reason: 'client_id is of no client of this server. Register again.',
}
const INVALID: ClientRefusal = {
  error: 'invalid_grant',
  reason: 'The code or refresh token is not valid (any more), or was given to another client or address. Ask again.',
}

/** Whether it is this token's turn: the right kind of token, in time, of its own client. */
function isDue({ client }: ApiKey, turn: number, isCode: boolean, clientId: string, now: Date): boolean {
  if (client === undefined || turn !== client.turn || isCode !== (turn === 0)) return false
  return new Date(client.until) > now && client.id === digestOf(clientId)
}

/** Whether the client proves that the code was sent to it: by the address it named, and the secret behind its challenge. */
function isProven(
  { client }: ApiKey,
  { redirect_uri: uri, code_verifier: verifier = '' }: Readonly<Record<string, string>>,
) {
  return client?.challenge !== undefined && client.redirectUri === uri && isVerifierOf(client.challenge, verifier)
}

/** Without one there is no doubt: tokens open nothing but `/mcp`. */
function isSameResource(asked: string | undefined, resource: string): boolean {
  return asked === undefined || asked.replace(/\/$/, '') === resource
}

function newAccessToken(): string {
  return `mcp_${randomBytes(24).toString('hex')}`
}

/** Throws EngineError `FORBIDDEN` unless a member with an account here asks. */
function requireAccount(caller: Caller): MemberCaller {
  requireArea(caller, 'grants')
  if (caller.kind === 'member' && isId(caller.user.id)) return caller
  throw new EngineError(
    'FORBIDDEN',
    'This needs an account of this server: what a member allows ends with the member.',
    {
      suggestion: 'Make a key for the agent instead: POST /projects/{id}/keys.',
    },
  )
}

function unreachable(): never {
  throw new Error('a key without a client has no turns')
}
