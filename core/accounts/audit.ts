import * as v from 'valibot'
import { ActivityStatsQuery, momentsOf, periodProblems } from '../analytics/activity-requests.ts'
import type { Kit } from '../kit.ts'
import type { AuditEntry, AuditFilter } from '../ports/store/audit.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import type { User } from '../ports/store/users.ts'
import { firstIdAt, isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { isStorableText } from '../values/json.ts'
import { type CursorInput, CursorQuery, type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { nameOfTarget } from './audit-names.ts'
import { exportAudit } from './export-audit.ts'

/** The most that is counted. */
const AT_MOST = 10_000
/** The most names of fields an entry keeps, and the most characters of any of its texts. */
const MAX_FIELDS = 50
const MAX_TEXT = 200

const Word = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(MAX_TEXT))

/** The query of `GET /audit/export`. */
export const NarrowAudit = v.object({
  /** Only what this user or key did: its id, its e-mail address, or the key's name. */
  actor: v.optional(Word),
  /** Only this operation, such as `revokeApiKey`. */
  action: v.optional(Word),
  /** Only what was done to records of this kind: its word in the path, such as `campaigns`. */
  kind: v.optional(Word),
  /** Only what was done to the record with this id or to its parts, and what made it. */
  target: v.optional(Word),
  ...ActivityStatsQuery.entries,
})

/** The query of `GET /audit`. */
export const ListAudit = v.object({ ...CursorQuery.entries, ...NarrowAudit.entries })

/** Narrows the export of who changed what. */
export interface NarrowAuditInput extends InputOf<typeof NarrowAudit> {}

/** Narrows and pages the list of who changed what. */
export interface ListAuditInput extends CursorInput, Omit<InputOf<typeof ListAudit>, keyof CursorInput> {}

/** The record of a change, as known before it is made. */
export type Deed = Omit<AuditEntry, 'id' | 'at' | 'outcome'>

/** Further facts, known when the change is done. */
export type DeedDone = Partial<Pick<AuditEntry, 'projectId' | 'targetId' | 'targetName' | 'createdId'>>

/**
 * Who changed what. A change is written down before it is made and marked as done after it, so that a process that ends
 * between the two leaves an entry whose outcome is `unknown`, and never a change without an entry.
 */
export class Audit {
  constructor(
    private readonly store: Store,
    private readonly kit: Kit,
  ) {}

  /**
   * Does something that is written down: `act` makes the change, `doneOf` reads from its answer what is known then. The
   * name of the target is read before the change, so that a deletion has it; of what is made, after it.
   * When `isRefused` says of an error that nothing was changed, the entry is removed. Throws what `act` throws, and
   * EngineError `SERVICE_UNAVAILABLE`, before anything is changed, when it cannot be written down.
   */
  async during<Answer>(
    deed: Deed,
    act: () => Promise<Answer>,
    { doneOf, isRefused }: { doneOf(answer: Answer): DeedDone; isRefused(error: unknown): boolean },
  ): Promise<Answer> {
    const entry = this.#entryOf(await this.#named(deed), 'unknown')
    await this.store.audit.add(entry)
    let answer: Answer
    try {
      answer = await act()
    } catch (error) {
      if (isRefused(error)) await this.#told(entry, () => this.store.audit.remove(entry.id))
      throw error
    }
    const done = { ...entry, ...doneOf(answer), outcome: 'done' } as const
    await this.#told(entry, async () => {
      // what is done is marked as done also when its name cannot be read
      await this.store.audit.update(await this.#named(done).catch(() => done))
    })
    return answer
  }

  /** Writes down what is done already, such as a login. A failure is logged. */
  async note(deed: Deed): Promise<void> {
    const entry = this.#entryOf(deed, 'done')
    await this.#told(entry, () => this.store.audit.add(entry))
  }

  /**
   * One page of who changed what in a project, newest first. `total` is counted up to 10,000. Throws EngineError
   * `VALIDATION_ERROR`, `BAD_REQUEST` for a damaged cursor.
   */
  async list(project: Pick<Project, 'id'>, query: ListAuditInput | UntrustedInput = {}): Promise<Page<AuditEntry>> {
    const { limit, cursor, ...narrowed } = parse(ListAudit, query, periodProblems)
    const filter = filterOf(narrowed)
    const list = { projectId: project.id, name: `audit:${JSON.stringify(filter)}` }
    const page = pageRequest(list, { limit, cursor })
    const rows = await this.store.audit.page(project.id, filter, page)
    const total = page.after ? 0 : await this.store.audit.count(project.id, filter, AT_MOST)
    return pageOf(list, rows, limit, total, ({ id }) => ({ value: '', id }))
  }

  /**
   * Who changed what in a project as CSV, newest first, as far as the query narrows it: the newest 100,000. Nothing is read
   * before the caller asks for it. Throws EngineError `VALIDATION_ERROR`.
   */
  async export(
    project: Pick<Project, 'id'>,
    query: NarrowAuditInput | UntrustedInput = {},
  ): Promise<AsyncGenerator<string>> {
    return exportAudit(this.store.audit, project.id, filterOf(parse(NarrowAudit, query, periodProblems)))
  }

  /**
   * One page of what a user did about the own account, logins among it, newest first; `total` is 0. Throws EngineError
   * `VALIDATION_ERROR`, `BAD_REQUEST` for a damaged cursor.
   */
  async listOfUser(user: Pick<User, 'id'>, query: CursorInput | UntrustedInput = {}): Promise<Page<AuditEntry>> {
    const asked = parse(CursorQuery, query)
    const list = { projectId: user.id, name: 'own audit' }
    const rows = await this.store.audit.pageOfUser(user.id, pageRequest(list, asked))
    return pageOf(list, rows, asked.limit, 0, ({ id }) => ({ value: '', id }))
  }

  /** With the name of what was changed or made, else of what it is part of, as it is now. */
  async #named<Named extends Deed>(deed: Named): Promise<Named> {
    const { projectId, targetName, targetType, targetId, createdId, parentType, parentId } = deed
    if (targetName !== undefined) return deed
    if (projectId === undefined) {
      // outside of projects only a person has a name: another account, which the operator let in again
      const id = targetType === 'users' && targetId !== undefined && isId(targetId) ? targetId : undefined
      const person = id === undefined ? undefined : await this.store.users.find(id)
      return person === undefined ? deed : { ...deed, targetName: short(person.email) }
    }
    const read = (type: string | undefined, id: string | undefined) =>
      type === undefined || id === undefined
        ? undefined
        : nameOfTarget(this.store, projectId, { type, id }, this.kit.now())
    const name = (await read(targetType, targetId ?? createdId)) ?? (await read(parentType, parentId))
    return name === undefined ? deed : { ...deed, targetName: short(name) }
  }

  #entryOf(deed: Deed, outcome: AuditEntry['outcome']): AuditEntry {
    const fields = deed.fields.filter(isStorableText).slice(0, MAX_FIELDS).map(short)
    const actorName = short(deed.actorName)
    return { ...deed, id: this.kit.newId(), at: this.kit.now(), actorName, fields, outcome }
  }

  /** A change that is done stays done when this fails: the entry then says `unknown`, or is one too many. */
  async #told({ id, action, actorId }: AuditEntry, write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      this.kit.log.error('an entry of the audit log could not be finished', { id, action, actorId, error })
    }
  }
}

function short(text: string): string {
  return text.slice(0, MAX_TEXT).toWellFormed()
}

function filterOf({ actor, action, kind, target, ...period }: v.InferOutput<typeof NarrowAudit>): AuditFilter {
  const { from, to } = momentsOf(period)
  return {
    ...(actor === undefined ? undefined : { actor }),
    ...(action === undefined ? undefined : { action }),
    ...(kind === undefined ? undefined : { kind }),
    ...(target === undefined ? undefined : { target }),
    ...(from === undefined ? undefined : { from: firstIdAt(from) }),
    ...(to === undefined ? undefined : { before: firstIdAt(to) }),
  }
}
