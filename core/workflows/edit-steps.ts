import type * as v from 'valibot'
import { EngineError, type FieldProblem } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { Branch } from '../ports/store/workflows.ts'
import { requireEnabled } from '../projects/project.ts'
import type { Untrusted } from '../values/json.ts'
import { parse, refused } from '../values/parse.ts'
import type { Versioned } from '../values/record-version.ts'
import { filledConfig } from '../webhooks/hidden-secrets.ts'
import { type Drawing, readDrawing, type SentGraph } from './draw-graph.ts'
import { drawTransition, leadTransition, transitionOf } from './draw-transition.ts'
import { type EditGraph, stepOf } from './edit-graph.ts'
import { isBranching, lostBranch, openEnds } from './graph-links.ts'
import { holdWhatItNames, readConfig, refuseTooLarge, templateIdOf, templateIn } from './new-step.ts'
import type { StepConfigs } from './step-configs.ts'
import { branchesOf, type KnownGraph, type KnownStep, STEPS } from './steps/registry.ts'
import { isEntry } from './steps/trigger.ts'
import { AddStep, ChangeStep, MAX_STEPS, RemoveStep } from './workflow-request.ts'

/** Adds, changes and removes the steps of workflows. */
export class EditSteps {
  constructor(
    private readonly drawing: EditGraph,
    private readonly configs: StepConfigs,
    private readonly kit: Kit,
  ) {}

  /** See `Workflows.addStep`. */
  async add(project: Project, workflowId: string, input: Untrusted): Promise<KnownStep & Versioned> {
    requireEnabled(project)
    const wanted = parse(AddStep, input, onePlace)
    const { type } = wanted
    const named = templateIn(type, wanted.templateId, wanted.config)
    const config = await readConfig(this.configs, project, type, wanted.config ?? {})
    return this.drawing.edit(project, workflowId, wanted.version, async (tx, graph) => {
      if (graph.steps.length >= MAX_STEPS) {
        throw refused([{ field: 'steps', code: 'too_big', message: `must be at most ${MAX_STEPS} in a workflow` }])
      }
      const templateId = await templateIdOf(tx, project, named)
      const step: KnownStep = {
        id: this.kit.newId(),
        projectId: project.id,
        workflowId,
        type,
        name: wanted.name ?? STEPS[type].name,
        position: wanted.position ?? { x: 0, y: graph.steps.length * 120 },
        config,
        ...(templateId == null ? {} : { templateId }),
        createdAt: this.kit.now(),
      }
      refuseTooLarge([...graph.steps, step])
      await holdWhatItNames(tx, project, step)
      await tx.workflows.insertStep(step)
      await this.#connect(tx, { ...graph, steps: [...graph.steps, step] }, step, wanted)
      return step
    })
  }

  /** The graph of a new workflow that is sent with steps, to be stored by `insertDrawing`. Throws as `readDrawing` does. */
  draw(project: Project, begun: KnownGraph, sent: SentGraph, input: Untrusted): Promise<Drawing> {
    return readDrawing(this.configs, this.kit, project, begun, sent, input)
  }

  /** See `Workflows.changeStep`. */
  async change(project: Project, workflowId: string, stepId: string, input: Untrusted): Promise<KnownStep & Versioned> {
    requireEnabled(project)
    const { type, name, config, templateId, position, version } = parse(ChangeStep, input)
    const known = stepOf(await this.drawing.graph(project, workflowId), stepId)
    if (type != null && type !== known.type) {
      throw refused([{ field: 'type', code: 'custom', message: `cannot be changed; it is ${known.type}` }])
    }
    if (isEntry(known) && config !== undefined) {
      const message = 'is that of the workflow: change its triggerConfig'
      throw refused([{ field: 'config', code: 'custom', message }])
    }
    const given = templateIn(known.type, templateId, config)
    const sent = config && known.type === 'WEBHOOK' ? filledConfig(config, known.config) : config
    const read = sent && (await readConfig(this.configs, project, known.type, sent))
    return this.drawing.edit(project, workflowId, version, async (tx, graph) => {
      const { templateId: earlier, ...before } = stepOf(graph, stepId)
      const template = given === undefined ? earlier : await templateIdOf(tx, project, given)
      const step: KnownStep = {
        ...before,
        ...(name === undefined ? {} : { name }),
        ...(position == null ? {} : { position }),
        ...(read === undefined ? {} : { config: read }),
        ...(template == null ? {} : { templateId: template }),
      }
      if (read !== undefined) {
        refuseTooLarge([...graph.steps.filter(({ id }) => id !== stepId), step])
        const lost = lostBranch(graph, step)
        if (lost !== undefined) throw branchInUse(lost)
      }
      await holdWhatItNames(tx, project, step)
      await tx.workflows.updateStep(step)
      return step
    })
  }

  /** See `Workflows.removeStep`. */
  async remove(project: Project, workflowId: string, stepId: string, query: Untrusted): Promise<Versioned> {
    requireEnabled(project)
    const { splice: wanted, branch, version } = parse(RemoveStep, query, branchOfSplice)
    const splice = wanted === 'true'
    return this.drawing.edit(project, workflowId, version, async (tx, graph) => {
      const step = stepOf(graph, stepId)
      if (isEntry(step)) {
        throw new EngineError('BAD_REQUEST', 'The trigger is where a workflow begins; it cannot be deleted.')
      }
      if (branch != null && !branchesOf(step).names.includes(branch)) {
        throw refused([{ field: 'branch', code: 'invalid_enum_value', message: 'must be a branch of the step' }])
      }
      if (splice && branch == null && isBranching(graph, step)) {
        throw new EngineError('BAD_REQUEST', `"${step.name}" has branches, so nothing can take its place.`, {
          suggestion:
            'Name the branch that takes its place, or delete it without splice=true and connect what is left.',
        })
      }
      const active = (await tx.executions.standingOn(project.id, workflowId)).get(stepId) ?? 0
      if (active > 0) throw stepInUse(step, active)
      await tx.workflows.removeStep(project.id, workflowId, stepId)
      const ways = splice ? graph.transitions.filter(({ fromStepId }) => fromStepId === stepId) : []
      const next = ways.find((way) => branch == null || (way.branch ?? branch) === branch)
      if (next === undefined) return {}
      for (const before of graph.transitions.filter(({ toStepId }) => toStepId === stepId)) {
        await tx.workflows.insertTransition({ ...before, id: this.kit.newId(), toStepId: next.toStepId })
      }
      return {}
    })
  }

  /** Connects a new step, which is in the graph already: on a transition, after a step, or at the only open end. */
  async #connect(tx: Repositories, graph: KnownGraph, step: KnownStep, wanted: Wanted): Promise<void> {
    const { projectId, workflowId, id: toStepId } = step
    const of = { id: this.kit.newId(), projectId, workflowId, priority: 0 }
    if (wanted.onTransitionId == null) {
      const ends = endsFor(graph, step, wanted)
      if (ends) await drawTransition(tx, graph, { ...of, ...ends, toStepId }, AFTER)
      return
    }
    const way = transitionOf(graph, wanted.onTransitionId)
    const [branch, next] = [wanted.branch ?? undefined, wanted.nextBranch ?? undefined]
    if (branch !== undefined && way.branch !== undefined && branch !== way.branch) {
      const message = `must be ${way.branch}, the branch of the transition, or be left out`
      throw refused([{ field: 'branch', code: 'custom', message }])
    }
    const led = await leadTransition(tx, graph, way, { toStepId, branch }, this.kit.newId)
    const on = { fromStepId: toStepId, toStepId: way.toStepId, ...(next === undefined ? {} : { branch: next }) }
    await drawTransition(tx, led, { ...of, ...on }, BEFORE)
  }
}

type Wanted = v.InferOutput<typeof AddStep>

/** The names of a transition's fields in the request for the step that it leads to, or comes from. */
const AFTER = { fromStepId: 'afterStepId', toStepId: 'afterStepId' }
const BEFORE = { branch: 'nextBranch', fromStepId: 'type', toStepId: 'onTransitionId' }

/** Where a new step is connected: as requested, or automatically. */
interface Ends {
  readonly fromStepId: string
  readonly branch?: Branch
  readonly automatic?: boolean
}

/** By default a step follows the only open end of the graph before it (on that branch), if there is just one. */
function endsFor(
  graph: KnownGraph,
  step: KnownStep,
  { afterStepId, autoConnect, branch: given }: Wanted,
): Ends | undefined {
  const branch = given ?? undefined
  const before = { ...graph, steps: graph.steps.filter(({ id }) => id !== step.id) }
  if (afterStepId != null) {
    return { fromStepId: stepOf(before, afterStepId).id, ...(branch === undefined ? {} : { branch }) }
  }
  if (autoConnect === false) return undefined
  const [end, ...more] = openEnds(before, branch)
  if (end && more.length === 0) return { ...end, automatic: true }
  if (branch === undefined) return undefined
  const message = `is required: there is not exactly one branch ${branch} that leads nowhere`
  throw refused([{ field: 'afterStepId', code: 'required', message }])
}

/** A step is put in one place. */
function onePlace({ afterStepId, onTransitionId, nextBranch }: Partial<Wanted>): readonly FieldProblem[] {
  if (onTransitionId == null) {
    if (nextBranch == null) return []
    return [{ field: 'nextBranch', code: 'custom', message: 'can be given only with onTransitionId' }]
  }
  if (afterStepId == null) return []
  return [{ field: 'afterStepId', code: 'custom', message: 'cannot be given together with onTransitionId' }]
}

function branchOfSplice({ splice, branch }: Partial<v.InferOutput<typeof RemoveStep>>): readonly FieldProblem[] {
  if (branch == null || splice === 'true') return []
  return [{ field: 'branch', code: 'custom', message: 'can be given only with splice=true' }]
}

/** A branch goes only after its transition, so that no drawn way is lost unseen. */
function branchInUse(branch: Branch): EngineError {
  const message = `must keep the branch "${branch}": a transition leads from it`
  return new EngineError('VALIDATION_ERROR', `The step's config ${message}.`, {
    fields: [{ field: 'config', code: 'custom', message }],
    suggestion: 'Delete that transition first, then change the step.',
  })
}

function stepInUse({ name }: KnownStep, count: number): EngineError {
  const contacts = count === 1 ? '1 contact stands' : `${count} contacts stand`
  return new EngineError('CONFLICT', `${contacts} on the step "${name}" now.`, {
    suggestion: 'Wait until they have gone on, or cancel their executions.',
  })
}
