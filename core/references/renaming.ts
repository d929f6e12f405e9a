import { mentionsOf } from '../filters/mentions.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { WorkflowGraph, WorkflowStep } from '../ports/store/workflows.ts'
import { Pace } from '../values/pace.ts'
import type { ProjectId } from '../values/project-id.ts'
import { nextVersion } from '../values/record-version.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { type Rename, renamed, renamedEvents } from './renamed.ts'
import { renamedContent } from './renamed-content.ts'
import type { StepUse, StepUses } from './step-uses.ts'
import { ENDED, type Holder } from './uses.ts'

/** The rewriting of everything that uses a name which is about to change. */
export interface Renaming {
  /** Everything that uses the name. */
  readonly holders: readonly Holder[]
  /** Those that ask for what has happened under the old name, which stays there. */
  readonly bound: readonly Holder[]
  /** Writes the new name wherever the old one is. */
  write(): Promise<void>
}

/** How many waiting executions one statement changes. */
const AT_ONCE = 1000

/** One place with the name, and how it is changed there; without `write` it cannot be. */
interface Place {
  readonly holder: Holder
  /** False: it is changed, too, but needs nothing. */
  readonly holds: boolean
  write?(): Promise<unknown>
}

/**
 * Finds, inside the transaction that changes the name, what has it: whatever would be written is what holds it. Of what
 * renders a snippet only steps and drafts are found here.
 */
export async function renaming(
  tx: Repositories,
  projectId: ProjectId,
  rename: Rename,
  { stepUses, now }: { readonly stepUses: StepUses; readonly now: Date },
): Promise<Renaming> {
  const found = [
    ...(rename.kind === 'snippet' ? [] : await inFilters(tx, projectId, rename, now)),
    ...(await inWorkflows(tx, projectId, rename, { stepUses, now })),
    ...(rename.kind === 'event' ? await inWebhooks(tx, projectId, rename, now) : await inDrafts(tx, projectId, rename)),
  ]
  const named = (places: readonly Place[]) => [
    ...new Map(places.map(({ holder }) => [`${holder.kind} ${holder.name}`, holder])).values(),
  ]
  return {
    holders: named(found.filter(({ holds }) => holds)),
    bound: named(found.filter(({ write }) => write === undefined)),
    async write() {
      for (const { write } of found) await write?.()
    },
  }
}

async function inFilters(tx: Repositories, projectId: ProjectId, rename: Rename, now: Date): Promise<readonly Place[]> {
  return [...(await inSegments(tx, projectId, rename, now)), ...(await inCampaigns(tx, projectId, rename, now))]
}

/** Filters ask for events that have happened: those keep their names. */
const asksForPast = (filter: Parameters<typeof mentionsOf>[0] | undefined, { kind, from }: Rename): boolean =>
  kind === 'event' && filter !== undefined && mentionsOf(filter).events.has(from)

async function inSegments(
  tx: Repositories,
  projectId: ProjectId,
  rename: Rename,
  now: Date,
): Promise<readonly Place[]> {
  const segments = await tx.segments.lockAll(projectId)
  return segments.flatMap((segment): Place[] => {
    const { filter, condition, name } = segment
    const holder = { kind: 'segment', name } as const
    if (asksForPast(filter, rename)) return [{ holder, holds: true }]
    const other = renamed({ filter, condition }, rename)
    const version = nextVersion('segment', segment, undefined)
    const write = () => tx.segments.update({ ...segment, ...other, version, updatedAt: now })
    return other === undefined ? [] : [{ holder, holds: true, write }]
  })
}

/** Those that are over are changed, too, since they may be copied; but they need nothing. */
async function inCampaigns(
  tx: Repositories,
  projectId: ProjectId,
  rename: Rename,
  now: Date,
): Promise<readonly Place[]> {
  const campaigns = await tx.campaigns.except(projectId, [])
  return campaigns.flatMap(({ id, name, status, audienceFilter, test }): Place[] => {
    const holder = { kind: 'campaign', name } as const
    const holds = !ENDED.some((each) => each === status)
    const counts = rename.kind === 'event' && test?.event === rename.from
    if (holds && (counts || asksForPast(audienceFilter, rename))) return [{ holder, holds }]
    if (renamed({ audienceFilter }, rename) === undefined) return []
    const write = async () => {
      const campaign = await tx.campaigns.lock(projectId, id)
      const other = campaign && renamed(audienceOf(campaign), rename)
      if (!other) return
      const version = nextVersion('campaign', campaign, undefined)
      await tx.campaigns.update({ ...campaign, ...other, version, updatedAt: now })
    }
    return [{ holder, holds, write }]
  })
}

function audienceOf({ audienceFilter, audienceCondition }: Campaign) {
  return {
    ...(audienceFilter === undefined ? {} : { audienceFilter }),
    ...(audienceCondition === undefined ? {} : { audienceCondition }),
  }
}

async function inWorkflows(
  tx: Repositories,
  projectId: ProjectId,
  rename: Rename,
  by: { readonly stepUses: StepUses; readonly now: Date },
): Promise<readonly Place[]> {
  const pace = new Pace()
  const found: Place[] = []
  for (const graph of await tx.workflows.graphs(projectId)) {
    found.push(...(await pace.run(() => inGraph(tx, graph, rename, by))))
  }
  return found
}

function inGraph(
  tx: Repositories,
  { workflow, steps }: WorkflowGraph,
  rename: Rename,
  { stepUses, now }: { readonly stepUses: StepUses; readonly now: Date },
): readonly Place[] {
  const { id, projectId, name, eventName, goalEvent } = workflow
  const holder = { kind: 'workflow', name } as const
  const uses = steps.flatMap(stepUses)
  if (uses.some((use) => use.kind === 'filter' && asksForPast(use.filter, rename))) return [{ holder, holds: true }]
  const events = eventsOf(eventName, uses)
  const isItself = rename.kind === 'event' && (eventName === rename.from || goalEvent === rename.from)
  if (!isItself && !steps.some((step) => renamedConfig(step, rename, { stepUses, events }))) return []
  const write = async () => {
    await tx.workflows.lock(projectId, id)
    const held = await tx.workflows.graph(projectId, id)
    if (held) await writeGraph(tx, held, rename, { stepUses, now })
  }
  return [{ holder, holds: true, write }]
}

async function writeGraph(
  tx: Repositories,
  { workflow, steps }: WorkflowGraph,
  rename: Rename,
  { stepUses, now }: { readonly stepUses: StepUses; readonly now: Date },
): Promise<void> {
  const { id, projectId, eventName, goalEvent } = workflow
  const events = eventsOf(eventName, steps.flatMap(stepUses))
  for (const step of steps) {
    const config = renamedConfig(step, rename, { stepUses, events })
    if (config) await tx.workflows.updateStep({ ...step, config })
  }
  const version = nextVersion('workflow', workflow, undefined)
  if (rename.kind !== 'event') return void (await tx.workflows.update({ ...workflow, version, updatedAt: now }))
  const { from, to } = rename
  const names = { ...(eventName === from ? { eventName: to } : {}), ...(goalEvent === from ? { goalEvent: to } : {}) }
  await tx.workflows.update({ ...workflow, ...names, version, updatedAt: now })
  while ((await tx.goals.awaitInstead(projectId, id, { from, to }, AT_ONCE)) === AT_ONCE) await yieldToLoop()
}

/** The events whose data steps may ask for: what starts the workflow, and what is waited for in it. */
function eventsOf(eventName: string | undefined, uses: readonly StepUse[]): readonly string[] {
  return [eventName, ...uses.map((use) => (use.kind === 'event' ? use.name : undefined))].filter(
    (name) => name !== undefined,
  )
}

/** Only configs with filters and events: others have texts of people. A snippet is looked for only in bodies of mails. */
function renamedConfig(
  step: WorkflowStep,
  rename: Rename,
  { stepUses, events }: { readonly stepUses: StepUses; readonly events: readonly string[] },
) {
  const uses = stepUses(step)
  if (rename.kind === 'snippet') {
    if (!uses.some((use) => use.kind === 'snippet' && use.name === rename.from)) return undefined
    return renamedContent(step.config, rename)
  }
  return uses.some(({ kind }) => kind === 'filter' || kind === 'event')
    ? renamed(step.config, rename, events)
    : undefined
}

/** Drafts have the topic by its slug, as it was typed, and snippets in their bodies. */
async function inDrafts(tx: Repositories, projectId: ProjectId, rename: Rename): Promise<readonly Place[]> {
  const { kind, from, to } = rename
  const places: Place[] = []
  for (const draft of await tx.templateDrafts.mentioning(projectId, from)) {
    const { templateId, fields } = draft
    const ofTopic = fields.topicId === from ? { ...fields, topicId: to } : undefined
    const other = kind === 'snippet' ? renamedContent(fields, rename) : ofTopic
    if (other === undefined) continue
    const name = (await tx.templates.find(projectId, templateId))?.name ?? templateId
    const write = () => tx.templateDrafts.put({ ...draft, fields: other })
    places.push({ holder: { kind: 'draft', name }, holds: true, write })
  }
  return places
}

async function inWebhooks(
  tx: Repositories,
  projectId: ProjectId,
  rename: Rename,
  now: Date,
): Promise<readonly Place[]> {
  const endpoints = await tx.webhookEndpoints.all(projectId)
  return endpoints.flatMap((endpoint): Place[] => {
    const events = renamedEvents(endpoint.events, rename)
    if (events === undefined) return []
    const holder = { kind: 'webhook', name: endpoint.description ?? new URL(endpoint.url).host } as const
    return [{ holder, holds: true, write: () => tx.webhookEndpoints.update({ ...endpoint, events, updatedAt: now }) }]
  })
}
