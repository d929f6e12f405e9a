import { EngineError, type FieldProblem } from '../errors.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Template } from '../ports/store/templates.ts'
import type { WorkflowStep } from '../ports/store/workflows.ts'
import { type Drawing, reachableFrom } from './graph-links.ts'
import { type KnownGraph, type KnownStep, rulesOf, STEPS, stepOrError } from './steps/registry.ts'
import { isEntry } from './steps/trigger.ts'

/**
 * Why a workflow cannot run: each problem with its step as in `steps.<stepId>.config.from` and the step's name; empty
 * when it can. Only steps reachable from the entry count. `templates` are those its steps name, by id.
 */
export function whatStops(
  graph: KnownGraph,
  project: Project,
  templates: ReadonlyMap<string, Template>,
): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  const { triggerType, eventName, dateTrigger } = graph.workflow
  if (triggerType === 'EVENT' && eventName === undefined) {
    problems.push({ field: 'triggerConfig.eventName', code: 'required', message: 'is required' })
  }
  if (triggerType === 'DATE' && dateTrigger === undefined) {
    problems.push({ field: 'triggerConfig.field', code: 'required', message: 'is required' })
  }
  for (const step of stepsOnTheWay(graph)) {
    const out = graph.transitions.filter(({ fromStepId }) => fromStepId === step.id)
    const { deadEnd } = STEPS[step.type]
    if (deadEnd !== undefined && out.length === 0) problems.push(inStep(step, '', deadEnd))
    const read = stepOrError(step)
    if (EngineError.is(read)) continue
    for (const { place, message } of rulesOf(read).problems({ project, templates })) {
      problems.push(inStep(step, `.${place}`, message))
    }
  }
  return problems
}

/** The steps reachable from the entry, the entry first. */
export function stepsOnTheWay(graph: Drawing): readonly KnownStep[] {
  const entry = graph.steps.find(isEntry)
  const reached = entry ? reachableFrom(graph, entry.id) : new Set<string>()
  return graph.steps.filter(({ id }) => reached.has(id))
}

/** A problem of a step, with the step's name and its place. */
export function inStep({ id, name }: WorkflowStep, place: string, message: string): FieldProblem {
  return { field: `steps.${id}${place}`, code: 'custom', message: `the step "${name}" ${message}` }
}
