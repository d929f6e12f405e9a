import { EngineError, invalidField } from '../errors.ts'
import type { DispatchTrigger } from '../events/dispatch-trigger.ts'
import type { Kit } from '../kit.ts'
import type { ApiKey, Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { ChangeApiKey, type ChangeApiKeyInput, StopKeys, type StopKeysInput } from '../projects/api-keys.ts'
import { allows, type Caller, inboxVisitorOf, requireArea } from '../projects/caller.ts'
import { requireEnabled } from '../projects/project.ts'
import type { Projects } from '../projects/projects.ts'
import type { UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import { shownId } from '../values/shown-id.ts'
import { seenBy } from './inbox.ts'
import { undoDraft } from './undo-draft.ts'

/** How many mails are taken back before it is asked for more. */
const AT_ONCE = 100

/** The switch of the keys for agents: those with the scope `inbox`. */
export class Agents {
  constructor(
    private readonly store: Store,
    private readonly projects: Projects,
    private readonly dispatch: DispatchTrigger,
    private readonly kit: Kit,
  ) {}

  /**
   * Renames any key (`name`), and stops a key for agents or lets it work again (`stopped`), as `stop` does. Throws as it does,
   * and `CONFLICT` for the name of a key that the configuration of the server names.
   */
  async change(project: Project, id: string, input: ChangeApiKeyInput | UntrustedInput, by?: Caller): Promise<ApiKey> {
    const { name, stopped } = parse(ChangeApiKey, input)
    if (by && name !== undefined) requireArea(by, 'keys')
    if (stopped !== undefined) await this.#agent(project, id, by)
    if (name !== undefined) await this.projects.keys.rename(project, id, name)
    return stopped === undefined ? this.projects.keys.get(project, id) : this.stop(project, id, { stopped }, by)
  }

  /**
   * Stops a key for agents, so that it reads but neither drafts, sends nor organises, or lets it work again: in this process
   * at once, in others within 5 seconds; no mail is sent after the stop. Its mails for later wait for a person's approval.
   * `by` is who asks; without it the engine does. Members who may not manage keys stop those of inboxes that they see, and let
   * none work again. Throws EngineError `KEY_NOT_FOUND`, `VALIDATION_ERROR`, also on `stopped` for a key without the scope
   * `inbox`, `FORBIDDEN`, `PROJECT_DISABLED`.
   */
  async stop(project: Project, id: string, input: StopKeysInput | UntrustedInput, by?: Caller): Promise<ApiKey> {
    const stoppedAt = this.#stopping(project, input, by)
    await this.#follow(project, [await this.#agent(project, id, by)], stoppedAt)
    return this.projects.keys.get(project, id)
  }

  /** The same for all keys for agents that the project has now, as far as the one who asks may stop them; answers them. */
  async stopAll(project: Project, input: StopKeysInput | UntrustedInput, by?: Caller): Promise<readonly ApiKey[]> {
    const stoppedAt = this.#stopping(project, input, by)
    await this.#follow(project, await this.#agents(project, by), stoppedAt)
    return this.#agents(project, by)
  }

  #stopping(project: Project, input: StopKeysInput | UntrustedInput, by: Caller | undefined): Date | undefined {
    // a disabled project can stop them, too
    const { stopped } = parse(StopKeys, input)
    if (stopped) return this.kit.now()
    if (by) requireArea(by, 'keys')
    requireEnabled(project)
    return undefined
  }

  /** The key for an agent, if the one who asks may stop it. To others than those who manage keys no other key exists. */
  async #agent(project: Project, id: string, by: Caller | undefined): Promise<ApiKey> {
    const key = (await this.#agents(project, by)).find((each) => each.id === id)
    if (key !== undefined) return key
    if (by && !allows(by, 'keys'))
      throw new EngineError('KEY_NOT_FOUND', `There is no key for an agent ${shownId(id)}.`)
    await this.projects.keys.get(project, id)
    throw invalidField(
      'stopped',
      'custom',
      'is only for keys with the scope inbox: a key of another kind is revoked instead, which ends it',
    )
  }

  /** The keys for agents that the one who asks may stop. */
  async #agents(project: Project, by: Caller | undefined): Promise<readonly ApiKey[]> {
    const keys = (await this.projects.keys.list(project)).filter(({ inbox }) => inbox !== undefined)
    if (by === undefined || allows(by, 'keys')) return keys
    const ids = [...new Set(keys.flatMap(({ inbox }) => inbox?.inboxIds ?? []))]
    const filter = { ...seenBy(inboxVisitorOf(by)), ids }
    const seen = ids.length === 0 ? [] : await this.store.inboxes.page(project.id, filter, { limit: ids.length })
    const known = new Set(seen.map(({ id }) => id))
    return keys.filter(({ inbox }) => inbox?.inboxIds.some((id) => known.has(id)))
  }

  async #follow(project: Project, keys: readonly ApiKey[], stoppedAt: Date | undefined): Promise<void> {
    for (const { id } of keys) await this.store.projects.stopKeys(project.id, stoppedAt, id)
    this.projects.forget()
    if (stoppedAt === undefined) return
    const authors = keys.map(({ id }) => id)
    let taken = 0
    do {
      taken = 0
      for (const { id } of await this.store.inboxDrafts.later(project.id, authors, this.kit.now(), AT_ONCE)) {
        taken += await undoDraft(this.store, this.kit, project.id, id, 'waiting').then(() => 1, onlyGone)
      }
    } while (taken === AT_ONCE)
    this.dispatch.ask()
  }
}

/** A mail that went out at this moment, or was taken back by a person. */
function onlyGone(error: unknown): number {
  if (EngineError.is(error) && (error.kind === 'conflict' || error.kind === 'missing')) return 0
  throw error
}
