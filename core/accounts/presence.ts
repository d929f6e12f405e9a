import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { OpenTab } from '../ports/store/presence.ts'
import type { Store } from '../ports/store/store.ts'
import type { Caller } from '../projects/caller.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import type { ProjectId } from '../values/project-id.ts'
import { nameOfTarget } from './audit-names.ts'

/** The kinds of things that people edit together, by their words in the path. */
const EDITED_KINDS = [
  'campaigns',
  'campaign-series',
  'templates',
  'workflows',
  'segments',
  'forms',
  'snippets',
  'layouts',
  'projects',
  'threads',
] as const

/** A tab that is not heard of for so long is taken to be closed. */
const GONE_AFTER_MS = 40_000
/** The most tabs that are kept, and the most that one answer has. */
const BOUNDS = { ofProject: 500, ofUser: 50 }
const AT_MOST = 20

/** The body of `PUT /presence`. */
export const NotePresence = v.object({
  /** The kind of the thing. */
  kind: v.picklist(EDITED_KINDS),
  /** The id of the thing. */
  id: v.pipe(v.string(), v.uuid('must be a UUID')),
  /** The tab, by a name that the page makes up: 8 to 36 letters, digits and hyphens. */
  tab: v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]{8,36}$/, 'must be 8 to 36 letters, digits and hyphens')),
  /** True when the tab no longer has it open. */
  left: v.optional(v.boolean(), false),
})

/** A thing that a tab has open, or has left. */
export interface NotePresenceInput extends InputOf<typeof NotePresence> {}

/** Another tab that has the same thing open. */
export interface Present extends Pick<OpenTab, 'userId' | 'name' | 'openedAt'> {
  /** Whether it is of the caller. */
  readonly isOwn: boolean
}

/** Who has what open just now. Nothing of it is kept once the tab is closed. */
export class Presence {
  constructor(
    private readonly store: Store,
    private readonly kit: Kit,
  ) {}

  /**
   * Notes that a member has something open in a tab, and answers who else has: each person once, and the caller once more
   * for other tabs. A page asks again every 15 seconds; 40 seconds after the last time the tab counts as closed. A key is
   * answered, but not noted. Throws EngineError `VALIDATION_ERROR`, `RESOURCE_NOT_FOUND` for a thing that the project
   * does not have.
   */
  async note(caller: Caller, input: NotePresenceInput | UntrustedInput): Promise<readonly Present[]> {
    const { kind, id, tab, left } = parse(NotePresence, input)
    const now = this.kit.now()
    const thing = { projectId: caller.project.id, kind, thingId: id }
    const user = caller.kind === 'member' ? caller.user : undefined
    const own = user && { id: `${user.id}/${tab}`, ...thing, userId: user.id, name: user.name ?? user.email }
    if (left) {
      if (own) await this.store.presence.leave(own)
      return []
    }
    await this.#mustBeThere(caller, { type: kind, id }, now)
    const since = new Date(now.getTime() - GONE_AFTER_MS)
    if (own) await this.store.presence.note({ ...own, openedAt: now, seenAt: now }, since, BOUNDS)
    const others = (await this.store.presence.of(thing, since, BOUNDS.ofProject)).filter((each) => each.id !== own?.id)
    const first = new Map(others.toReversed().map((each) => [each.userId, each]))
    return others
      .filter((each) => first.get(each.userId) === each)
      .slice(0, AT_MOST)
      .map(({ userId, name, openedAt }) => ({ userId, name, openedAt, isOwn: userId === user?.id }))
  }

  /** Deletes up to `limit` tabs that were not closed properly; answers how many. */
  forget(limit: number): Promise<number> {
    return this.store.presence.forget(new Date(this.kit.now().getTime() - GONE_AFTER_MS), limit)
  }

  async #mustBeThere(
    { project }: Caller,
    thing: { readonly type: string; readonly id: string },
    now: Date,
  ): Promise<void> {
    if (await this.#isThere(project.id, thing, now)) return
    throw new EngineError('RESOURCE_NOT_FOUND', `The project has nothing with this id under ${thing.type}.`)
  }

  async #isThere(
    project: ProjectId,
    thing: { readonly type: string; readonly id: string },
    now: Date,
  ): Promise<boolean> {
    // settings are of the caller's own project
    if (thing.type === 'projects') return thing.id === project
    // conversations have no name that may outlive them
    if (thing.type === 'threads') return (await this.store.threads.find(project, thing.id)) !== undefined
    return (await nameOfTarget(this.store, project, thing, now)) !== undefined
  }
}
