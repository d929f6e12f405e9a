import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import { Sealing } from '../mail/dkim/sealing.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import type { ApiKey, Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import type { ProjectSettings } from '../settings/project-settings.ts'
import { domainOf } from '../values/email-address.ts'
import type { UntrustedInput } from '../values/input.ts'
import type { Json, Untrusted } from '../values/json.ts'
import { lookOf } from '../values/look.ts'
import { Mailbox, type NamedAddress } from '../values/mailbox.ts'
import { fieldProblem, parse } from '../values/parse.ts'
import { asProjectId, type ProjectId } from '../values/project-id.ts'
import { shownId } from '../values/shown-id.ts'
import { setUtm } from '../values/utm.ts'
import { removeAll } from '../work/rest.ts'
import { ApiKeys, CONFIG_KEY, hashKey, isTestKey, newKeyText, storedKey } from './api-keys.ts'
import type { KeyCaller } from './caller.ts'
import { ChangeProject, type ChangeProjectInput, changedProject } from './change-project.ts'
import { grantNow, isGivenStill } from './given-keys.ts'
import { forgettableBefore, type IdempotencyScope, idempotencyOf, once } from './idempotency.ts'
import { requireEnabled, UNVERIFIED_SENDER } from './project.ts'
import { UNNAMED } from './unnamed.ts'
import { replaceSecret } from './webhook-secrets.ts'

/** New keys, which are shown only once. */
export interface NewKeys {
  readonly secretKey: string
  readonly publicKey: string
}

/** Wishes for the only project of an engine. */
export type FirstProject = {
  readonly [Key in 'name' | 'trustedDomains' | 'from' | 'secretKey' | 'publicKey']?: ProjectSettings[Key] | undefined
}

const CALLER_TTL_MS = 5_000
const TOUCH_EVERY_MS = 60_000
/** The name under which the store keeps which project the start made. */
const FIRST_PROJECT = 'first project'

/** The projects of this engine and their API keys. */
@injectable()
export class Projects {
  /** The API keys of projects. */
  readonly keys: ApiKeys
  readonly #callers = new Map<string, { readonly caller: KeyCaller; readonly until: number; readonly keyId: string }>()
  readonly #touched = new Map<string, number>()
  /** The hashes of the keys that the configuration names. */
  readonly #configured = new Set<string>()
  /** The ids of projects that were read here. No project is ever removed. */
  readonly #known = new Set<string>()
  /** How often the cache was forgotten: what was read before is not cached after. */
  #forgotten = 0

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Sealing) private readonly sealing: Sealing,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.keys = new ApiKeys(store, this, kit)
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    const forget = (most: number) => this.store.writeBatch.forget(forgettableBefore(this.kit.now()), most)
    return [{ name: 'forget idempotency answers', cron: '17 * * * *', run: (signal) => removeAll(forget, signal) }]
  }

  /** The project with this id. Throws EngineError `PROJECT_NOT_FOUND`. */
  async get(id: string): Promise<Project> {
    const projectId = asProjectId(id)
    const project = projectId && (await this.store.projects.find(projectId))
    if (!project) throw new EngineError('PROJECT_NOT_FOUND', `There is no project ${shownId(id)}.`)
    this.#known.add(project.id)
    return project
  }

  /** All projects, oldest first. */
  async list(): Promise<readonly Project[]> {
    const all = await this.store.projects.list()
    for (const { id } of all) this.#known.add(id)
    return all
  }

  /** Whether the store is known to have this project. */
  isKnown({ id }: Project): boolean {
    return this.#known.has(id)
  }

  /** Throws EngineError `PROJECT_NOT_FOUND` for a project that the store does not have, as that of another engine. */
  async requireKnown({ id }: Project): Promise<void> {
    try {
      await this.get(id)
    } catch (error) {
      if (!EngineError.is(error) || error.code !== 'PROJECT_NOT_FOUND') throw error
      const suggestion = 'It may be one of another engine: give the project that engine.projects of this one answers.'
      throw new EngineError('PROJECT_NOT_FOUND', error.message, { suggestion, cause: error })
    }
  }

  /**
   * Does work once per `Idempotency-Key`, as `once` does. The owner of the key is a project or, for what concerns none, a
   * user. Throws EngineError `BAD_REQUEST` for a key of another form, and as `once` does.
   */
  once<T, Kept extends Json>(
    owner: string,
    { key, scope, input }: { readonly key: string; readonly scope: IdempotencyScope; readonly input: Untrusted },
    work: () => Promise<T>,
    keptOf: (answer: T) => Kept,
  ): Promise<{ readonly answer: T } | { readonly kept: Kept }> {
    const ownerId = asProjectId(owner)
    if (!ownerId) throw new TypeError('an idempotency key belongs to a project or a user')
    const idempotency = idempotencyOf(key, scope, input, this.kit.now())
    return once(this.store.answers, ownerId, idempotency, this.kit, work, keptOf)
  }

  /** A new project, not stored yet. */
  made(name: string): Project {
    const now = this.kit.now()
    const settings = { tracking: 'ENABLED', trackingConsent: 'full', publicData: 'all', mode: 'live' } as const
    const defaults = { disabled: false, ...settings, trustedDomains: [] }
    const id = asProjectId(this.kit.newId())
    if (id === undefined) throw new EngineError('INTERNAL_SERVER_ERROR', 'A new id is not an id.')
    return { id, name, ...defaults, version: 1, createdAt: now, updatedAt: now }
  }

  /**
   * Disables a project, which can then only be read, or lets it work again. A project in the config is set back to what
   * stands there at the next start. Throws EngineError `PROJECT_NOT_FOUND`.
   */
  async setDisabled(project: Project, disabled: boolean): Promise<Project> {
    const changed = await this.store.transaction(async (tx) => {
      await tx.projects.lock(project.id)
      const found = await tx.projects.find(project.id)
      if (!found) throw new EngineError('PROJECT_NOT_FOUND', 'There is no such project.')
      const next = { ...found, disabled, updatedAt: this.kit.now() }
      await tx.projects.save(next)
      return next
    })
    this.forget()
    return changed
  }

  /**
   * Changes a project's name, tracking, language or sender. A project in the config is set back to what stands there at
   * the next start. Throws EngineError `VALIDATION_ERROR`, `DOMAIN_NOT_VERIFIED` (for `from`), `CONFLICT` (for `archiveSlug`), `PROJECT_DISABLED`.
   */
  async change(project: Project, input: ChangeProjectInput | UntrustedInput): Promise<Project> {
    requireEnabled(project)
    const now = this.kit.now()
    const change = this.store.transaction(async (tx) => {
      await tx.projects.lock(project.id)
      const added = (await tx.domains.all(project.id)).map(({ domain }) => domain)
      const changed = changedProject((await tx.projects.find(project.id)) ?? project, input, now, added)
      const holder = changed.archiveSlug === undefined ? undefined : await tx.projects.ofArchive(changed.archiveSlug)
      if (holder && holder.id !== project.id) throw takenArchive(changed.archiveSlug)
      await tx.projects.save(changed)
      return changed
    })
    const changed = await change.catch(async (error) => {
      if (EngineError.is(error)) throw error
      // another project took the name at the same moment, which only the store can tell
      const archiveSlug = parse(ChangeProject, input).archiveSlug ?? undefined
      const holder = archiveSlug === undefined ? undefined : await this.store.projects.ofArchive(archiveSlug)
      throw holder && holder.id !== project.id ? takenArchive(archiveSlug) : error
    })
    this.forget()
    return changed
  }

  /**
   * The owner of an API key; `place` is where it is used: keys of clients work in `mcp` alone. Throws EngineError
   * `INVALID_API_KEY`, also for an expired one. A key that another process revoked may work for 5 more seconds; one of a
   * client ends at once, with the sessions of the member.
   */
  async caller(key: string, place: 'mcp' | 'elsewhere' = 'elsewhere'): Promise<KeyCaller> {
    const hash = hashKey(key)
    const now = this.kit.now()
    const known = this.#callers.get(hash)
    if (known && known.until > now.getTime()) {
      this.#touch(known.keyId, now)
      return known.caller
    }
    const forgotten = this.#forgotten
    const found = await this.store.projects.findKey(hash)
    if (!found) {
      throw new EngineError('INVALID_API_KEY', 'The API key is not valid.', {
        suggestion: 'Send "Authorization: Bearer sk_…" with a key of this server.',
      })
    }
    const { id: keyId, name: keyName, kind, scopes, client, expiresAt, stoppedAt } = found.key
    if (expiresAt && expiresAt <= now) {
      throw new EngineError('INVALID_API_KEY', `The API key expired at ${expiresAt.toISOString()}.`, {
        suggestion: 'Make a new one: POST /projects/{id}/keys.',
      })
    }
    if (client && !(await isGivenStill(this.store, found.key))) {
      throw new EngineError('INVALID_API_KEY', 'The member who allowed this client may no longer do so.')
    }
    const inbox = client ? await grantNow(this.store, found.key) : found.key.inbox
    const ofInboxes = {
      ...(inbox ? { inbox } : undefined),
      ...(stoppedAt ? { isStopped: true as const } : undefined),
    }
    this.#known.add(found.project.id)
    const project = isTestKey(found.key) ? { ...found.project, isForTests: true as const } : found.project
    const caller = { project, kind, scopes, keyId, keyName, ...ofInboxes }
    if (this.#callers.size > 10_000) this.#callers.clear()
    const until = Math.min(now.getTime() + CALLER_TTL_MS, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY)
    // what a member gave away is asked for each time, since it ends with a password, a role or an inbox
    if (client === undefined && forgotten === this.#forgotten) this.#callers.set(hash, { caller, until, keyId })
    this.#touch(keyId, now)
    if (client && place !== 'mcp') throw onlyForMcp()
    return caller
  }

  /** Forgets the cache after a change by this process, so that it counts at once. */
  forget(): void {
    this.#callers.clear()
    this.#forgotten++
  }

  /** Whether the configuration of this process names the key, so that the next start would bring it back. */
  isConfigured({ hash }: ApiKey): boolean {
    return this.#configured.has(hash)
  }

  /**
   * Creates or updates the projects of the config. A project without an id is found by its name, unless users made it. Its configured keys
   * replace the earlier ones. Throws EngineError `CONFIG_INVALID` when another project has one of the keys, or when the
   * project or its double opt-in would send from a domain that is not the project's.
   */
  async applySettings(settings: readonly ProjectSettings[]): Promise<void> {
    if (settings.length === 0) return
    const stored = await this.store.projects.list()
    const now = this.kit.now()
    for (const [i, wanted] of settings.entries()) {
      const before = await this.#meant(wanted, stored)
      const id = before?.id ?? asProjectId(wanted.id ?? idOfName(wanted.name))
      if (!id) throw new EngineError('CONFIG_INVALID', `projects[${i}].id: must be a lower-case UUID`)
      const doubleOptIn = wanted.doubleOptIn === undefined ? before?.doubleOptIn : (wanted.doubleOptIn ?? undefined)
      const from = wanted.from === undefined ? before?.from : senderOf(wanted.from, i)
      const trustedDomains = wanted.trustedDomains ?? before?.trustedDomains ?? []
      if (from && !(await this.#isOwn(id, trustedDomains, from.email))) {
        throw new EngineError('CONFIG_INVALID', `projects[${i}].from: ${UNVERIFIED_SENDER}`)
      }
      if (doubleOptIn && !(await this.#isOwn(id, trustedDomains, doubleOptIn.from))) {
        throw new EngineError('CONFIG_INVALID', `projects[${i}].doubleOptIn.from: ${UNVERIFIED_SENDER}`)
      }
      await this.store.projects.save({
        id,
        name: wanted.name,
        disabled: wanted.disabled ?? before?.disabled ?? false,
        tracking: wanted.tracking ?? before?.tracking ?? 'ENABLED',
        trackingConsent: wanted.trackingConsent ?? before?.trackingConsent ?? 'full',
        publicData: wanted.publicData ?? before?.publicData ?? 'all',
        mode: wanted.mode ?? before?.mode ?? 'live',
        ...optional('allowedRecipients', kept(wanted.allowedRecipients, before?.allowedRecipients)),
        ...optional('locale', wanted.locale ?? before?.locale),
        ...optional('timeZone', wanted.timeZone ?? before?.timeZone),
        ...optional('frequencyCap', kept(wanted.frequencyCap, before?.frequencyCap)),
        ...optional('quotas', kept(wanted.quotas, before?.quotas)),
        ...optional('look', wanted.look === undefined ? before?.look : lookOf(wanted.look)),
        ...optional('utm', wanted.utm === undefined ? before?.utm : setUtm(wanted.utm)),
        ...optional('doubleOptIn', doubleOptIn),
        ...optional('from', from),
        ...optional('archiveSlug', before?.archiveSlug),
        ...optional('signUpUrl', before?.signUpUrl),
        trustedDomains,
        version: before?.version ?? 1,
        createdAt: before?.createdAt ?? now,
        updatedAt: now,
      })
      await this.#applyKeys(id, wanted, i, now)
      if (wanted.webhookSecret) await replaceSecret(this.store, this.sealing, id, wanted.webhookSecret, now)
    }
    this.forget()
  }

  /**
   * Creates the first project when there is none: with the wished name, else its first domain, else `UNNAMED`, and by
   * default for `example.com`. Answers it with its keys, which are not shown again. When there is one project already, updates it
   * and answers undefined. Throws EngineError `CONFIG_INVALID` when something is wished and there are several.
   */
  async applyFirst(wished: FirstProject = {}): Promise<{ project: Project; keys: NewKeys } | undefined> {
    const stored = await this.store.projects.list()
    const [only] = stored
    const { name, trustedDomains = only ? undefined : ['example.com'], from, secretKey, publicKey } = wished
    const keys = { ...optional('secretKey', secretKey), ...optional('publicKey', publicKey) }
    const given = { ...keys, ...optional('from', from) }
    if (only) {
      // kept while there is one, since users may make others
      const kept = await this.store.secrets.keep(FIRST_PROJECT, stored.length > 1 ? '' : only.id, this.kit.now())
      if (Object.values(wished).every((value) => value === undefined)) return undefined
      const first = stored.find(({ id }) => id === kept)
      if (!first) throw severalProjects(stored.length)
      await this.applySettings([
        { id: first.id, name: name ?? first.name, ...given, ...optional('trustedDomains', trustedDomains) },
      ])
      return undefined
    }
    const made = { secretKey: newKeyText('secret'), publicKey: newKeyText('public'), ...keys }
    const id = this.kit.newId()
    await this.applySettings([
      {
        id,
        name: name ?? wished.trustedDomains?.[0] ?? UNNAMED,
        ...optional('trustedDomains', trustedDomains),
        ...given,
        ...made,
      },
    ])
    await this.store.secrets.keep(FIRST_PROJECT, id, this.kit.now())
    // only the store has these
    for (const key of Object.values(made))
      if (key !== secretKey && key !== publicKey) this.#configured.delete(hashKey(key))
    return { project: await this.get(id), keys: made }
  }

  /**
   * The stored project of this entry: by its id, or the one an earlier start made of its name; else one of its name, if
   * the entry knows its key or it has no OWNER, since users may give their projects any name.
   */
  async #meant(wanted: ProjectSettings, stored: readonly Project[]): Promise<Project | undefined> {
    const id = wanted.id ?? idOfName(wanted.name)
    const known = stored.find((project) => project.id === id)
    if (known || wanted.id) return known
    const key = wanted.secretKey && (await this.store.projects.findKey(hashKey(wanted.secretKey)))
    for (const project of stored.filter(({ name }) => name === wanted.name)) {
      if (key && key.project.id === project.id) return project
      if ((await this.store.members.list(project.id)).every(({ role }) => role !== 'OWNER')) return project
    }
    return undefined
  }

  /**
   * A domain the project has added is enough, proven or not: one that fell back must not prevent the server's start.
   */
  async #isOwn(id: ProjectId, trustedDomains: readonly string[], address: string): Promise<boolean> {
    const domain = domainOf(address)
    if (trustedDomains.includes(domain)) return true
    return (await this.store.domains.named([domain])).some(({ projectId }) => projectId === id)
  }

  async #applyKeys(projectId: Project['id'], wanted: ProjectSettings, place: number, now: Date): Promise<void> {
    const given = [
      { kind: 'secret', field: 'secretKey', key: wanted.secretKey },
      { kind: 'public', field: 'publicKey', key: wanted.publicKey },
    ] as const
    const hashes: string[] = []
    for (const { kind, field, key } of given) {
      if (key === undefined) continue
      const hash = hashKey(key)
      hashes.push(hash)
      const row = storedKey(key, { id: this.kit.newId(), projectId, kind, name: CONFIG_KEY, createdAt: now })
      if ((await this.store.projects.addKey(row)) === 'taken') {
        throw new EngineError('CONFIG_INVALID', `projects[${place}].${field}: is the key of another project`)
      }
      this.#configured.add(hash)
    }
    if (hashes.length > 0) await this.store.projects.revokeKeys(projectId, CONFIG_KEY, hashes, now)
  }

  /** In the background and at most once a minute per key: a write per request would cost more than it is worth. */
  #touch(keyId: string, now: Date): void {
    if ((this.#touched.get(keyId) ?? 0) + TOUCH_EVERY_MS > now.getTime()) return
    if (this.#touched.size > 10_000) this.#touched.clear()
    this.#touched.set(keyId, now.getTime())
    this.store.projects
      .touchKey(keyId, now)
      .catch((error) => this.kit.log.warn('could not note the use of a key', { error }))
  }
}

/** A sender from the settings; null is none. */
function senderOf(given: Exclude<ProjectSettings['from'], undefined>, place: number): NamedAddress | undefined {
  if (given === null) return undefined
  const read = v.safeParse(Mailbox, given)
  if (read.success) return read.output
  throw new EngineError('CONFIG_INVALID', `projects[${place}].from: ${fieldProblem(read.issues[0]).message}`)
}

function takenArchive(slug: string | undefined): EngineError {
  const message = `is the archive of another project: choose another name than ${slug}`
  return new EngineError('CONFLICT', `archiveSlug ${message}.`, {
    fields: [{ field: 'archiveSlug', code: 'custom', message }],
  })
}

function severalProjects(count: number): EngineError {
  const message = `PROJECT_NAME, TRUSTED_DOMAINS, PROJECT_FROM and PROJECT_…_KEY are for a server with one project, and there are ${count}: name them under projects in a config file`
  return new EngineError('CONFIG_INVALID', message, {
    fields: [{ field: 'firstProject', code: 'custom', message }],
  })
}

/** The same in every process: processes that start together on an empty store make one project, not one each. */
export function idOfName(name: string): string {
  const hex = createHash('sha256').update(`mailwright project ${name}`).digest('hex')
  // RFC 9562, section 5.8: version 8 is for custom formats
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

/** The value of the config, or the stored one; null removes it. */
function kept<Value>(wanted: Value | null | undefined, before: Value | undefined): Value | undefined {
  return wanted === undefined ? before : (wanted ?? undefined)
}

function optional<Name extends string, T>(name: Name, value: T | undefined): { [Key in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]: T })
}

function onlyForMcp(): EngineError {
  return new EngineError('INVALID_API_KEY', 'This token is for /mcp alone.', {
    suggestion: 'Use a key of the project.',
  })
}
