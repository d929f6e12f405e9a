import { EngineError, type FieldProblem } from '../errors.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Template } from '../ports/store/templates.ts'
import type { WorkflowGraph, WorkflowStep } from '../ports/store/workflows.ts'
import { requireVerifiedDomain } from '../projects/project.ts'
import { type Drawing, reachableFrom } from './graph-links.ts'
import { senderIn } from './step-configs.ts'

/**
 * Why a workflow cannot run: each problem with its step as in `steps.<stepId>.config.from` and the step's name; empty
 * when it can. Only steps reachable from the entry count. `templates` are those its steps name, by id.
 */
export function whatStops(
  graph: WorkflowGraph,
  project: Project,
  templates: ReadonlyMap<string, Template>,
): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  const { triggerType, eventName } = graph.workflow
  if (triggerType === 'EVENT' && eventName === undefined) {
    problems.push({ field: 'triggerConfig.eventName', code: 'required', message: 'is required' })
  }
  for (const step of stepsOnTheWay(graph)) {
    const out = graph.transitions.filter(({ fromStepId }) => fromStepId === step.id)
    if (step.type === 'TRIGGER' && out.length === 0) problems.push(inStep(step, '', 'has no step after it'))
    if (step.type === 'CONDITION' && out.length === 0) problems.push(inStep(step, '', 'has no branch'))
    if (step.type === 'SEND_EMAIL') problems.push(...mailProblems(step, project, templates))
  }
  return problems
}

/** The steps reachable from the entry, the entry first. */
export function stepsOnTheWay(graph: Drawing): readonly WorkflowStep[] {
  const entry = graph.steps.find(({ type }) => type === 'TRIGGER')
  const reached = entry ? reachableFrom(graph, entry.id) : new Set<string>()
  return graph.steps.filter(({ id }) => reached.has(id))
}

/** A problem of a step, with the step's name and its place. */
export function inStep({ id, name }: WorkflowStep, place: string, message: string): FieldProblem {
  return { field: `steps.${id}${place}`, code: 'custom', message: `the step "${name}" ${message}` }
}

function mailProblems(
  step: WorkflowStep,
  project: Project,
  templates: ReadonlyMap<string, Template>,
): readonly FieldProblem[] {
  const { config, templateId } = step
  const template = templateId === undefined ? undefined : templates.get(templateId)
  if (templateId !== undefined && template === undefined) {
    return [inStep(step, '.templateId', 'names a template that is not there')]
  }
  if (template === undefined && (config.subject === undefined || config.body === undefined)) {
    return [inStep(step, '.templateId', 'needs a template, or a subject and a body')]
  }
  const sender = senderIn(config) ?? template?.from ?? project.from?.email
  if (sender === undefined) {
    return [inStep(step, '.config.from', 'needs a sender: neither its template nor the project has one')]
  }
  try {
    requireVerifiedDomain(project, sender)
    return []
  } catch (error) {
    if (!EngineError.is(error)) throw error
    return [inStep(step, '.config.from', `cannot send from ${sender}: ${error.message}`)]
  }
}
