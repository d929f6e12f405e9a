import type * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Branch, WorkflowTransition } from '../ports/store/workflows.ts'
import { requireEnabled } from '../projects/project.ts'
import type { Untrusted } from '../values/json.ts'
import { parse, refused } from '../values/parse.ts'
import { type Drawing, readDrawing, type SentGraph } from './draw-graph.ts'
import { EditGraph, stepOf } from './edit-graph.ts'
import {
  guessesInTheWay,
  isBranching,
  type Link,
  linkProblem,
  lostBranch,
  openEnds,
  withoutTransitions,
} from './graph-links.ts'
import { holdWhatItNames, readConfig, refuseTooLarge, templateIdOf, templateIn } from './new-step.ts'
import { StepConfigs } from './step-configs.ts'
import { type KnownGraph, type KnownStep, STEPS } from './steps/registry.ts'
import { isEntry } from './steps/trigger.ts'
import { AddStep, ChangeStep, MAX_STEPS, RemoveStep } from './workflow-request.ts'

/** Adds, changes and removes the steps of workflows. */
@injectable()
export class EditSteps {
  constructor(
    @inject(EditGraph) private readonly drawing: EditGraph,
    @inject(StepConfigs) private readonly configs: StepConfigs,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** See `Workflows.addStep`. */
  async add(project: Project, workflowId: string, input: Untrusted): Promise<KnownStep> {
    requireEnabled(project)
    const wanted = parse(AddStep, input)
    const { type } = wanted
    const named = templateIn(type, wanted.templateId, wanted.config)
    const config = await readConfig(this.configs, project, type, wanted.config ?? {})
    return this.drawing.edit(project, workflowId, async (tx, graph) => {
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
      const ends = endsFor(graph, wanted)
      if (ends === undefined) return step
      const drawn = { ...graph, steps: [...graph.steps, step] }
      const link = { ...ends, toStepId: step.id }
      const guesses = ends.automatic ? [] : guessesInTheWay(drawn, link)
      const transition = this.#transitionTo(withoutTransitions(drawn, guesses), link, step)
      for (const { id } of guesses) await tx.workflows.removeTransition(project.id, workflowId, id)
      await tx.workflows.insertTransition(transition)
      return step
    })
  }

  /** The graph of a new workflow that is sent with steps, to be stored by `insertDrawing`. Throws as `readDrawing` does. */
  draw(project: Project, begun: KnownGraph, sent: SentGraph, input: Untrusted): Promise<Drawing> {
    return readDrawing(this.configs, this.kit, project, begun, sent, input)
  }

  /** See `Workflows.changeStep`. */
  async change(project: Project, workflowId: string, stepId: string, input: Untrusted): Promise<KnownStep> {
    requireEnabled(project)
    const { type, name, config, templateId, position } = parse(ChangeStep, input)
    const known = stepOf(await this.drawing.graph(project, workflowId), stepId)
    if (type != null && type !== known.type) {
      throw refused([{ field: 'type', code: 'custom', message: `cannot be changed; it is ${known.type}` }])
    }
    if (isEntry(known) && config !== undefined) {
      const message = 'is that of the workflow: change its triggerConfig'
      throw refused([{ field: 'config', code: 'custom', message }])
    }
    const given = templateIn(known.type, templateId, config)
    const read = config && (await readConfig(this.configs, project, known.type, config))
    return this.drawing.edit(project, workflowId, async (tx, graph) => {
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
  async remove(project: Project, workflowId: string, stepId: string, query: Untrusted): Promise<void> {
    requireEnabled(project)
    const splice = parse(RemoveStep, query).splice === 'true'
    await this.drawing.edit(project, workflowId, async (tx, graph) => {
      const step = stepOf(graph, stepId)
      if (isEntry(step)) {
        throw new EngineError('BAD_REQUEST', 'The trigger is where a workflow begins; it cannot be deleted.')
      }
      if (splice && isBranching(graph, step)) {
        throw new EngineError('BAD_REQUEST', `"${step.name}" has branches, so nothing can take its place.`, {
          suggestion: 'Delete it without splice=true, then connect what is left.',
        })
      }
      const active = (await tx.executions.standingOn(project.id, workflowId)).get(stepId) ?? 0
      if (active > 0) throw stepInUse(step, active)
      await tx.workflows.removeStep(project.id, workflowId, stepId)
      const next = splice ? graph.transitions.find(({ fromStepId }) => fromStepId === stepId) : undefined
      if (next === undefined) return
      for (const before of graph.transitions.filter(({ toStepId }) => toStepId === stepId)) {
        await tx.workflows.insertTransition({ ...before, id: this.kit.newId(), toStepId: next.toStepId })
      }
    })
  }

  /** The transition to a new step, which is in the graph already. */
  #transitionTo(graph: KnownGraph, link: Link & Ends, { projectId, workflowId }: KnownStep): WorkflowTransition {
    const { branch, automatic, ...ends } = link
    const problem = linkProblem(graph, link)
    if (problem) throw refused([{ ...problem, field: problem.field === 'branch' ? 'branch' : 'afterStepId' }])
    const of = { id: this.kit.newId(), projectId, workflowId, priority: 0 }
    return { ...of, ...ends, ...(branch === undefined ? {} : { branch }), ...(automatic ? { automatic } : {}) }
  }
}

/** Where a new step is connected: as requested, or automatically. */
interface Ends {
  readonly fromStepId: string
  readonly branch?: Branch | undefined
  readonly automatic: boolean
}

/** By default a step follows the only open end of the graph (on that branch), if there is just one. */
function endsFor(graph: KnownGraph, wanted: v.InferOutput<typeof AddStep>): Ends | undefined {
  const { afterStepId, autoConnect } = wanted
  const branch = wanted.branch ?? undefined
  if (afterStepId != null) return { fromStepId: stepOf(graph, afterStepId).id, branch, automatic: false }
  if (autoConnect === false) return undefined
  const [end, ...more] = openEnds(graph, branch)
  if (end && more.length === 0) return { ...end, automatic: true }
  if (branch === undefined) return undefined
  const message = `is required: there is not exactly one branch ${branch} that leads nowhere`
  throw refused([{ field: 'afterStepId', code: 'required', message }])
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
