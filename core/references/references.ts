import { inject, injectable } from '../di.ts'
import { EngineError, type ErrorDetails } from '../errors.ts'
import type { CampaignNeeds } from '../ports/store/campaigns.ts'
import type { Project } from '../ports/store/projects.ts'
import { MAX_SERIES } from '../ports/store/series.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import type { Topic } from '../ports/store/topics.ts'
import type { ProjectId } from '../values/project-id.ts'
import { draftsThatUse } from './draft-references.ts'
import { formsThatUse } from './form-references.ts'
import type { Rename } from './renamed.ts'
import { type Renaming, renaming } from './renaming.ts'
import { filterUses, segmentsThatUse } from './segment-references.ts'
import { StepUses } from './step-uses.ts'
import {
  type CampaignUse,
  type ContactField,
  type Holder,
  holdersOf,
  type Thing,
  type Use,
  type Uses,
  type WorkflowUse,
} from './uses.ts'
import { workflowsThatUse } from './workflow-references.ts'

/** How many users an error message names. */
const MAX_NAMED = 10

/**
 * Finds where things are used. Each kind of user has a file beside this one. Inside a transaction pass its repositories
 * as `reads`.
 */
@injectable()
export class References {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(StepUses) private readonly stepUses: StepUses,
  ) {}

  /**
   * Everything that reads a key of contacts' data, or a standard field; templates do not count: a missing value prints
   * nothing.
   */
  field(project: Project, field: ContactField, reads?: Repositories): Promise<Uses> {
    return this.#uses(project, { kind: 'field', field }, reads)
  }

  /** Everything that sends the template. */
  template(project: Project, id: string, reads?: Repositories): Promise<Uses> {
    return this.#uses(project, { kind: 'template', id }, reads)
  }

  /** Everything that refers to events of this name, including e-mail activities and entries into segments. */
  event(project: Project, name: string, reads?: Repositories): Promise<Uses> {
    return this.#uses(project, { kind: 'event', name }, reads)
  }

  /** Everything that refers to the segment, other segments included. */
  segment(project: Project, id: string, reads?: Repositories): Promise<Uses> {
    return this.#uses(project, { kind: 'segment', id }, reads)
  }

  /** Everything that filters by the topic, lets people choose it, or has it in a draft. */
  topic(project: Project, { id, slug }: Pick<Topic, 'id' | 'slug'>, reads?: Repositories): Promise<Uses> {
    return this.#uses(project, { kind: 'topic', id, slug }, reads)
  }

  /**
   * Throws EngineError `CONFLICT` that names the workflows which start by this form, or by what becomes of the campaign's
   * mails, and the series that are made from the campaign; inside the transaction that removes it.
   */
  async refuseWhileNeeded(
    project: Project,
    { kind, id, name }: { readonly kind: 'form' | 'campaign'; readonly id: string; readonly name: string },
    tx: Repositories,
  ): Promise<void> {
    const workflows = await workflowsThatUse(tx, project.id, { kind, id }, this.stepUses)
    const uses = { segments: [], campaigns: [], workflows, forms: [], drafts: [] }
    const all = kind === 'campaign' ? await tx.series.page(project.id, { limit: MAX_SERIES }) : []
    const made = all
      .filter(({ campaignId }) => campaignId === id)
      .map((each) => ({ kind: 'series', name: each.name }) as const)
    refuseWhileHeld(`The ${kind} "${name}"`, [...holdersOf(uses), ...made])
  }

  /** The templates whose draft has the layout. */
  draftsWithLayout(project: Project, id: string, reads: Repositories = this.store): Promise<readonly Use[]> {
    return draftsThatUse(reads, project.id, { kind: 'layout', id })
  }

  /** The templates whose draft renders the snippet of this name. */
  draftsThatRender(project: Project, name: string, reads: Repositories = this.store): Promise<readonly Use[]> {
    return draftsThatUse(reads, project.id, { kind: 'snippet', name })
  }

  /** Everything that names a thing which is about to be renamed, inside the transaction that renames it. */
  renaming(project: Project, rename: Rename, tx: Repositories, now: Date): Promise<Renaming> {
    return renaming(tx, project.id, rename, { stepUses: this.stepUses, now })
  }

  /** The workflow steps that render the snippet of this name. */
  stepsThatRender(project: Project, name: string, reads: Repositories = this.store): Promise<readonly WorkflowUse[]> {
    return workflowsThatUse(reads, project.id, { kind: 'snippet', name }, this.stepUses)
  }

  async #uses(project: Project, thing: Thing, reads: Repositories = this.store): Promise<Uses> {
    const segments = await segmentsThatUse(reads, project.id, thing)
    const workflows = await workflowsThatUse(reads, project.id, thing, this.stepUses)
    const campaigns = await campaignsThatUse(reads, project.id, thing)
    const forms = await formsThatUse(reads, project.id, thing)
    return { segments, campaigns, workflows, forms, drafts: await draftsThatUse(reads, project.id, thing) }
  }
}

/** Throws EngineError `CONFLICT` that names the users while something needs the thing; `what` begins the sentence. */
export function refuseWhileUsed(what: string, uses: Uses): void {
  refuseWhileHeld(what, holdersOf(uses))
}

/** The same for what holds the thing. */
export function refuseWhileHeld(
  what: string,
  holders: readonly Holder[],
  details: ErrorDetails = { suggestion: 'Change or delete what uses it first.' },
): void {
  if (holders.length === 0) return
  const named = holders.slice(0, MAX_NAMED).map(({ kind, name }) => `${WHO[kind]} "${name}"`)
  const more = holders.length > MAX_NAMED ? ` and ${holders.length - MAX_NAMED} more` : ''
  throw new EngineError('CONFLICT', `${what} is used by ${named.join(', ')}${more}.`, details)
}

/** How each kind of holder is called. */
const WHO: Readonly<Record<Holder['kind'], string>> = {
  segment: 'the segment',
  campaign: 'the campaign',
  workflow: 'the workflow',
  template: 'the template',
  snippet: 'the snippet',
  layout: 'the layout',
  form: 'the form',
  draft: 'the draft of the template',
  series: 'the series',
  webhook: 'the webhook',
}

/** Campaigns with these statuses are never sent again, so they need nothing; a SENT one is still listed. */
const ENDED = ['CANCELLED', 'FAILED'] as const

/** The campaigns that were made from the template, or whose audience refers to the thing, newest first. */
async function campaignsThatUse(
  reads: Repositories,
  projectId: ProjectId,
  thing: Thing,
): Promise<readonly CampaignUse[]> {
  const campaigns = await reads.campaigns.except(projectId, ENDED)
  return campaigns.filter((campaign) => uses(campaign, thing)).map(({ id, name, status }) => ({ id, name, status }))
}

function uses({ templateId, segmentId, audienceFilter, test }: CampaignNeeds, thing: Thing): boolean {
  if (thing.kind === 'template') return templateId === thing.id
  if (thing.kind === 'event' && test?.event === thing.name) return true
  if (thing.kind === 'segment' && segmentId === thing.id) return true
  return audienceFilter !== undefined && filterUses(audienceFilter, thing)
}

/**
 * Throws EngineError `CONFLICT` that names what has the old name, unless it is to be changed, too; `what` begins the
 * sentence. What asks for the past cannot follow.
 */
export function refuseUnlessFollowed(
  what: string,
  { holders, bound }: Pick<Renaming, 'holders' | 'bound'>,
  rename: boolean | undefined,
): void {
  const suggestion = 'They ask for events of the past, which keep their names: change them first.'
  refuseWhileHeld(what, bound, { suggestion })
  if (rename) return
  const message = 'must be true to change the name there, too'
  refuseWhileHeld(what, holders, {
    fields: [{ field: 'rename', code: 'required', message }],
    suggestion: 'Send "rename": true to change the name there, too.',
  })
}
