import type * as v from 'valibot'
import { EngineError, type FieldProblem } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { WorkflowTransition } from '../ports/store/workflows.ts'
import type { Untrusted } from '../values/json.ts'
import { noteWarning, refused, warningsOf } from '../values/parse.ts'
import { linkProblem } from './graph-links.ts'
import { holdWhatItNames, readConfig, refuseTooLarge, templateIdOf, templateIn } from './new-step.ts'
import type { StepConfigs } from './step-configs.ts'
import { type KnownGraph, type KnownStep, STEPS } from './steps/registry.ts'
import { type CreateWorkflow, ENTRY_KEY } from './workflow-request.ts'

/** The steps and transitions of a workflow as they were sent. */
export type SentGraph = Pick<v.InferOutput<typeof CreateWorkflow>, 'steps' | 'transitions'>

/** A graph that was read, with the templates that its steps name by id or slug, by the ids of the steps. */
export interface Drawing {
  readonly graph: KnownGraph
  readonly templates: ReadonlyMap<string, string>
}

/**
 * Reads the steps and transitions that a new workflow is sent with; `begun` has only its entry. Do not call it inside a
 * transaction. Throws EngineError `VALIDATION_ERROR` with every problem, in places such as `steps.2.config.amount` and
 * `transitions.0.branch`; `DOMAIN_NOT_VERIFIED` for a sender.
 */
export async function readDrawing(
  configs: StepConfigs,
  { newId, now }: Pick<Kit, 'newId' | 'now'>,
  project: Project,
  begun: KnownGraph,
  sent: SentGraph,
  input: Untrusted,
): Promise<Drawing> {
  const problems: FieldProblem[] = []
  const steps: KnownStep[] = [...begun.steps]
  const templates = new Map<string, string>()
  const ids = new Map(begun.steps.map(({ id }) => [ENTRY_KEY, id]))
  for (const [i, { key, type, name, config, templateId, position }] of (sent.steps ?? []).entries()) {
    const id = newId()
    if (ids.has(key)) problems.push({ field: `steps.${i}.key`, code: 'custom', message: 'is the key of another step' })
    ids.set(key, id)
    try {
      const template = templateIn(type, templateId, config)
      if (template != null) templates.set(id, template)
      steps.push({
        id,
        projectId: project.id,
        workflowId: begun.workflow.id,
        type,
        name: name ?? STEPS[type].name,
        position: position ?? { x: 0, y: steps.length * 120 },
        config: await readConfig(configs, project, type, config ?? {}),
        createdAt: now(),
      })
      for (const { field, message } of warningsOf({ config })) {
        noteWarning(input, { field: `steps.${i}.${field}`, message })
      }
    } catch (error) {
      if (!EngineError.is(error) || error.fields.length === 0) throw error
      problems.push(...error.fields.map((problem) => ({ ...problem, field: `steps.${i}.${problem.field}` })))
    }
  }
  // what is wrong with a way is known only where both of its steps are
  if (problems.length > 0) throw refused(problems)
  refuseTooLarge(steps, 'steps')
  return { graph: linked({ ...begun, steps }, sent.transitions ?? [], ids, newId), templates }
}

/** The graph with these transitions. Throws EngineError `VALIDATION_ERROR`. */
function linked(
  graph: KnownGraph,
  sent: NonNullable<SentGraph['transitions']>,
  ids: ReadonlyMap<string, string>,
  newId: Kit['newId'],
): KnownGraph {
  const { projectId, id: workflowId } = graph.workflow
  const problems: FieldProblem[] = []
  const transitions: WorkflowTransition[] = []
  for (const [i, { from, to, branch, priority }] of sent.entries()) {
    const [fromStepId, toStepId] = [ids.get(from), ids.get(to)]
    const place = `transitions.${i}`
    if (fromStepId === undefined) problems.push({ field: `${place}.from`, code: 'custom', message: NO_STEP })
    if (toStepId === undefined) problems.push({ field: `${place}.to`, code: 'custom', message: NO_STEP })
    if (fromStepId === undefined || toStepId === undefined) continue
    const link = { fromStepId, toStepId, ...(branch == null ? {} : { branch }) }
    const problem = linkProblem({ ...graph, transitions }, link)
    if (problem === undefined) {
      transitions.push({ id: newId(), projectId, workflowId, ...link, priority: priority ?? 0 })
      continue
    }
    problems.push({ ...problem, field: `${place}.${ENDS[problem.field] ?? problem.field}` })
  }
  if (problems.length > 0) throw refused(problems)
  return { ...graph, transitions }
}

const NO_STEP = `must be the key of one of the steps, or "${ENTRY_KEY}"`

/** The names of a transition's ends where steps have keys. */
const ENDS: Readonly<Record<string, string>> = { fromStepId: 'from', toStepId: 'to' }

/** Stores a graph that was read. Throws EngineError `TEMPLATE_NOT_FOUND`. */
export async function insertDrawing(
  tx: Repositories,
  project: Project,
  { graph, templates }: Drawing,
): Promise<KnownGraph> {
  const steps: KnownStep[] = []
  for (const step of graph.steps) {
    const templateId = await templateIdOf(tx, project, templates.get(step.id))
    const whole = templateId == null ? step : { ...step, templateId }
    await holdWhatItNames(tx, project, whole)
    steps.push(whole)
  }
  const whole = { ...graph, steps }
  await tx.workflows.insert(whole)
  return whole
}
