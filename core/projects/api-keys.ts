import { createHash, randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { EngineError, invalidField } from '../errors.ts'
import type { Kit } from '../kit.ts'
import {
  APPROVALS,
  type ApiKey,
  INBOX_RIGHTS,
  KEY_KINDS,
  KEY_SCOPES,
  type KeyKind,
  type KeyScope,
  type Project,
} from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { headerText } from '../values/header-text.ts'
import { isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'
import { distinct, listOf } from '../values/list.ts'
import { parse, say } from '../values/parse.ts'
import { requireEnabled } from './project.ts'

/** How many unrevoked keys a project may have: all of them are listed. */
const MAX_KEYS = 100

/** How many inboxes one key works in, and how many mails an hour it may be given. */
const MOST_INBOXES = 100
const MOST_HOURLY = 10_000

const Grant = v.object({
  /** The ids of its inboxes, 1 to 100. */
  inboxIds: distinct(listOf(v.pipe(v.string(), v.uuid('must be a UUID')), 1, MOST_INBOXES)),
  /** Its rights there: `read`, `draft`, `send`, `organise`. */
  rights: distinct(listOf(v.picklist(INBOX_RIGHTS), 1, 10)),
  /** Which of its mails wait for a person: `never`, `new-threads`, `outside` (the default) or `always`. */
  approval: v.optional(v.picklist(APPROVALS), 'outside'),
  /** How many mails it may send in an hour. */
  hourly: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_HOURLY))),
})

const KeyName = v.pipe(
  headerText(1, 100),
  v.trim(),
  v.minLength(1),
  v.check((name) => name !== CONFIG_KEY, say('custom', 'is the name of the keys in the configuration')),
)

/** The body of `POST /projects/{id}/keys`. */
export const CreateApiKey = v.object({
  /** The name in lists, for people. */
  name: KeyName,
  /** `secret` for servers; `public` for web pages, where it only tracks events. */
  kind: v.picklist(KEY_KINDS),
  /**
   * The rights of the key; `full` contains the others. A public key has `track` alone. Of a test key they may be absent:
   * it has `send` and `read` then.
   */
  scopes: v.optional(listOf(v.picklist(KEY_SCOPES), 1, 10)),
  /** With the scope `inbox`, which stands alone: the inboxes that it works in, and its rights there. */
  inbox: v.optional(Grant),
  /** True: a test key, `sk_test_…`. It reads and sends, and whatever it sends is caught. */
  test: v.optional(v.boolean(), false),
  /** When it ends (ISO 8601); without it, never. */
  expiresAt: v.nullish(IsoDate),
})

/** The body of `PATCH /projects/{id}/keys/{keyId}`. What a key may do does not change. */
export const ChangeApiKey = v.object({
  /** Another name. */
  name: v.exactOptional(KeyName),
  /** Of a key with the scope `inbox`. True: it only reads from now on; false: it works again. */
  stopped: v.exactOptional(v.boolean()),
})

/** Another name of a key, and whether it is stopped. */
export interface ChangeApiKeyInput extends InputOf<typeof ChangeApiKey> {}

/** The body of `PATCH /projects/{id}/keys`. */
export const StopKeys = v.object({
  /** True: it only reads from now on; false: it works again. */
  stopped: v.boolean(),
})

/** Whether keys for agents are stopped. */
export interface StopKeysInput extends InputOf<typeof StopKeys> {}

/** A key to make. */
export interface CreateApiKeyInput extends InputOf<typeof CreateApiKey> {}

/** A new key with its text, which cannot be shown again. */
export interface NewApiKey {
  /** The key's record, without the key. */
  readonly record: ApiKey
  /** The key itself, which is shown only now. */
  readonly key: string
}

/** The keys that the process knows besides those in the store. */
interface KnownKeys {
  /** Whether the configuration names the key. */
  isConfigured(key: ApiKey): boolean
  /** Forgets which keys were valid a moment ago. */
  forget(): void
}

/** The API keys of projects: several of each kind, each with what it may do. */
export class ApiKeys {
  constructor(
    private readonly store: Store,
    private readonly known: KnownKeys,
    private readonly kit: Kit,
  ) {}

  /** Every key that is not revoked, also expired ones, newest first; of clients those that can still come back. */
  async list(project: Project): Promise<readonly ApiKey[]> {
    const now = this.kit.now()
    return (await this.store.projects.keys(project.id)).filter((key) => isAlive(key, now))
  }

  /** The key with this id. Throws EngineError `KEY_NOT_FOUND`, also for a revoked one. */
  async get(project: Project, id: string): Promise<ApiKey> {
    return (await this.list(project)).find((key) => key.id === id) ?? missing(id)
  }

  /**
   * Makes a key: `{ name, kind, scopes, expiresAt? }`. `granted` is what the one who makes it may do; the key gets no
   * more. Throws EngineError `VALIDATION_ERROR`, `FORBIDDEN` for a scope that is not granted, `CONFLICT` when the
   * project has 100, `PROJECT_DISABLED`.
   */
  async create(
    project: Project,
    input: CreateApiKeyInput | UntrustedInput,
    granted: readonly KeyScope[] = KEY_SCOPES,
  ): Promise<NewApiKey> {
    requireEnabled(project)
    const now = this.kit.now()
    const {
      name,
      kind,
      scopes = OF_TESTS,
      inbox,
      test,
      expiresAt,
    } = parse(CreateApiKey, input, function* (read) {
      if (read.scopes === undefined && read.test !== true) {
        yield { field: 'scopes', code: 'required', message: 'is required' }
      }
      if (read.kind === 'public' && read.scopes?.some((scope) => scope !== 'track')) {
        yield { field: 'scopes', code: 'custom', message: 'must be ["track"]: a public key only tracks events' }
      }
      if (read.test && read.kind === 'public') {
        yield { field: 'test', code: 'custom', message: 'is for secret keys: a public key sends nothing' }
      } else if (read.test && read.scopes?.some((scope) => !OF_TESTS.includes(scope))) {
        yield { field: 'scopes', code: 'custom', message: 'must be of "send" and "read": a test key has no others' }
      }
      const isOfInboxes = read.scopes?.includes('inbox') === true
      if (isOfInboxes && (read.scopes?.length ?? 0) > 1) {
        yield { field: 'scopes', code: 'custom', message: 'must be ["inbox"] alone: such a key sees nothing else' }
      }
      if (read.scopes && isOfInboxes !== (read.inbox !== undefined)) {
        const message = isOfInboxes ? 'is required with the scope inbox' : 'is for a key with the scope inbox'
        yield { field: 'inbox', code: isOfInboxes ? 'required' : 'custom', message }
      }
      if (read.expiresAt && read.expiresAt <= now) {
        yield { field: 'expiresAt', code: 'too_small', message: 'must be in the future' }
      }
    })
    const excess = scopes.find((scope) => !granted.includes(scope))
    if (excess !== undefined) {
      throw new EngineError('FORBIDDEN', `A key without the scope "${excess}" cannot make a key that has it.`)
    }
    const key = newKeyText(kind, test)
    const record: ApiKey = {
      ...storedKey(key, { id: this.kit.newId(), projectId: project.id, kind, name, createdAt: now }),
      scopes: KEY_SCOPES.filter((scope) => scopes.includes(scope)),
      ...(inbox ? { inbox } : {}),
      ...(expiresAt ? { expiresAt } : {}),
    }
    await this.store.transaction(async (tx) => {
      for (const [i, id] of (inbox?.inboxIds ?? []).entries()) {
        if (await tx.inboxes.find(project.id, id)) continue
        throw invalidField(`inbox.inboxIds.${i}`, 'custom', 'is no inbox of the project')
      }
      // so that two who make keys at the same time count each other's
      await tx.projects.lock(project.id)
      requireRoom(await tx.projects.keys(project.id), now)
      await tx.projects.addKey(record)
    })
    return { record, key }
  }

  /**
   * Gives a key another name; what it may do stays. Throws EngineError `KEY_NOT_FOUND`, `PROJECT_DISABLED`, and `CONFLICT`
   * for a key that the configuration of the server names.
   */
  async rename(project: Project, id: string, name: string): Promise<void> {
    requireEnabled(project)
    const key = await this.get(project, id)
    if (key.name === CONFIG_KEY || this.known.isConfigured(key)) throw configured()
    if (!(await this.store.projects.changeKey(project.id, key.id, { name }))) missing(id)
    this.known.forget()
  }

  /**
   * Ends a key permanently: in this process at once, in others within 5 seconds. Throws EngineError `KEY_NOT_FOUND`,
   * `CONFLICT` for a key that the configuration of the server names, `PROJECT_DISABLED`.
   */
  async revoke(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    if (!isId(id)) missing(id)
    const key = await this.get(project, id)
    if (this.known.isConfigured(key)) throw configured()
    if (!(await this.store.projects.changeKey(project.id, id, { revokedAt: this.kit.now() }))) missing(id)
    this.known.forget()
  }
}

/** Whether a key still counts: a client that did not come back in time for its next token has none. */
function isAlive({ client }: ApiKey, now: Date): boolean {
  return client === undefined || new Date(client.until) > now
}

/** Throws EngineError `CONFLICT` when there is no room for one more of these keys. */
export function requireRoom(keys: readonly ApiKey[], now: Date): void {
  if (keys.filter((key) => isAlive(key, now)).length < MAX_KEYS) return
  throw new EngineError('CONFLICT', `A project has at most ${MAX_KEYS} keys.`, {
    suggestion: 'Remove unused ones; lastUsedAt shows which.',
  })
}

function configured(): EngineError {
  return new EngineError('CONFLICT', 'This key is set in the configuration of the server.', {
    suggestion: 'Change it there; the next start revokes the previous one.',
  })
}

function missing(id: string, what = ''): never {
  throw new EngineError('KEY_NOT_FOUND', `There is no key${what} ${id}.`)
}

/** The name of keys from the configuration, and of those that the first start makes. */
export const CONFIG_KEY = 'config'

/** How a test key begins. Other keys continue with hexadecimal digits, and the configuration may name no such key. */
const TEST_KEY = 'sk_test_'

/** The scopes of test keys: what else a key may do changes live data, and may start mail that nothing marks as a test's. */
const OF_TESTS: readonly KeyScope[] = ['send', 'read']

/** Whether all that the key sends is caught. */
export function isTestKey({ prefix }: Pick<ApiKey, 'prefix'>): boolean {
  return prefix.startsWith(TEST_KEY)
}

/** A new key that cannot be guessed: `sk_`, `sk_test_` or `pk_` and 192 random bits. */
export function newKeyText(kind: KeyKind, isForTests = false): string {
  const start = isForTests ? TEST_KEY : kind === 'secret' ? 'sk_' : 'pk_'
  return `${start}${randomBytes(24).toString('hex')}`
}

/** The hash under which a key is stored and looked up. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** The record of a key, with all rights of its kind: not the key itself. */
export function storedKey(
  key: string,
  fields: Pick<ApiKey, 'id' | 'projectId' | 'kind' | 'name' | 'createdAt'>,
): ApiKey {
  const scopes = fields.kind === 'secret' ? (['full'] as const) : (['track'] as const)
  // as many of its digits as another key shows
  const shown = key.startsWith(TEST_KEY) ? TEST_KEY.length + 5 : 8
  return { ...fields, scopes, hash: hashKey(key), prefix: key.slice(0, shown) }
}
