import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import type { CampaignNeeds } from '../ports/store/campaigns.ts'
import type { Project } from '../ports/store/projects.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'
import { filterUses, segmentsThatUse } from './segment-references.ts'
import { StepUses } from './step-uses.ts'
import {
  type CampaignUse,
  type ContactField,
  type Holder,
  holdersOf,
  type Thing,
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
   * What reads a key of contacts' data, or a standard field; templates do not count: a missing value prints nothing.
   */
  field(project: Project, field: ContactField, reads?: Repositories): Promise<Uses> {
    return this.#uses(project, { kind: 'field', field }, reads)
  }

  /** What sends the template. */
  template(project: Project, id: string, reads?: Repositories): Promise<Uses> {
    return this.#uses(project, { kind: 'template', id }, reads)
  }

  /** What refers to events of this name, including e-mail activities and entries into segments. */
  event(project: Project, name: string, reads?: Repositories): Promise<Uses> {
    return this.#uses(project, { kind: 'event', name }, reads)
  }

  /** What refers to the segment, other segments included. */
  segment(project: Project, id: string, reads?: Repositories): Promise<Uses> {
    return this.#uses(project, { kind: 'segment', id }, reads)
  }

  /** The workflow steps that render the snippet of this name. */
  stepsThatRender(project: Project, name: string, reads: Repositories = this.store): Promise<readonly WorkflowUse[]> {
    return workflowsThatUse(reads, project.id, { kind: 'snippet', name }, this.stepUses)
  }

  async #uses(project: Project, thing: Thing, reads: Repositories = this.store): Promise<Uses> {
    const segments = await segmentsThatUse(reads, project.id, thing)
    const workflows = await workflowsThatUse(reads, project.id, thing, this.stepUses)
    return { segments, campaigns: await campaignsThatUse(reads, project.id, thing), workflows }
  }
}

/** Throws EngineError `CONFLICT` that names the users while something needs the thing; `what` begins the sentence. */
export function refuseWhileUsed(what: string, uses: Uses): void {
  refuseWhileHeld(what, holdersOf(uses))
}

/** The same for what holds the thing. */
export function refuseWhileHeld(what: string, holders: readonly Holder[]): void {
  if (holders.length === 0) return
  const named = holders.slice(0, MAX_NAMED).map(({ kind, name }) => `the ${kind} "${name}"`)
  const more = holders.length > MAX_NAMED ? ` and ${holders.length - MAX_NAMED} more` : ''
  throw new EngineError('CONFLICT', `${what} is used by ${named.join(', ')}${more}.`, {
    suggestion: 'Change or delete what uses it first.',
  })
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

function uses({ templateId, segmentId, audienceFilter }: CampaignNeeds, thing: Thing): boolean {
  if (thing.kind === 'template') return templateId === thing.id
  if (thing.kind === 'segment' && segmentId === thing.id) return true
  return audienceFilter !== undefined && filterUses(audienceFilter, thing)
}
