import type { FieldProblem } from '../errors.ts'
import type { Branch, WorkflowTransition } from '../ports/store/workflows.ts'
import { branchesOf, type KnownGraph, type KnownStep, STEPS } from './steps/registry.ts'
import { isEntry } from './steps/trigger.ts'

/** The graph of a workflow, without its other fields. */
export type Drawing = Pick<KnownGraph, 'steps' | 'transitions'>

/** A transition to be added between two steps of the graph. */
export interface Link {
  readonly fromStepId: string
  readonly toStepId: string
  readonly branch?: Branch | undefined
}

/**
 * Why this transition cannot be added; undefined when it can. Both steps are in the graph. No transition leads back,
 * into the entry or out of a step that ends. A step with branches has one transition for each or, where none is required,
 * one without a branch for all; other steps have one.
 */
export function linkProblem(graph: Drawing, link: Link): FieldProblem | undefined {
  const { fromStepId, toStepId } = link
  const from = stepIn(graph, fromStepId)
  const to = stepIn(graph, toStepId)
  if (fromStepId === toStepId) return problem('toStepId', 'must not be the step it comes from')
  if (from && STEPS[from.type].branches === 'none') {
    return problem('fromStepId', `is an ${from.type}, which nothing follows`)
  }
  if (to && isEntry(to)) return problem('toStepId', 'is the entry, which follows nothing')
  const wrong = from && branchProblem(graph, from, link.branch)
  if (wrong) return wrong
  if (reachableFrom(graph, toStepId).has(fromStepId)) {
    return problem('toStepId', 'leads back to the step it comes from; a workflow has no circles')
  }
  return undefined
}

/** A place where another step can follow. */
export interface OpenEnd {
  readonly fromStepId: string
  readonly branch?: Branch
}

/**
 * Where the graph can continue: at steps without a successor, on each branch where one is required. An open branch beside
 * a used one is a deliberate end: it counts only when `wanted` names it, as do branches that one transition may take all.
 */
export function openEnds({ steps, transitions }: Drawing, wanted?: Branch): readonly OpenEnd[] {
  return steps.flatMap((step): readonly OpenEnd[] => {
    const { id, type } = step
    const out = transitions.filter(({ fromStepId }) => fromStepId === id)
    const { names, required } = branchesOf(step)
    if (wanted !== undefined) {
      const isTaken = out.some(({ branch }) => branch === undefined || branch === wanted)
      return names.includes(wanted) && !isTaken ? [{ fromStepId: id, branch: wanted }] : []
    }
    if (STEPS[type].branches === 'none' || out.length > 0) return []
    return required ? names.map((branch) => ({ fromStepId: id, branch })) : [{ fromStepId: id }]
  })
}

/**
 * The automatic transitions that conflict with this one: that have its place, or would close a circle with it. A user's
 * transition replaces an automatic one.
 */
export function guessesInTheWay(graph: Drawing, link: Link): readonly WorkflowTransition[] {
  const { fromStepId, toStepId, branch } = link
  const guesses = graph.transitions.filter(({ automatic }) => automatic)
  const taking = guesses.filter(
    (each) =>
      each.fromStepId === fromStepId && (each.branch === undefined || branch === undefined || each.branch === branch),
  )
  const rest = { ...graph, transitions: graph.transitions.filter((each) => !taking.includes(each)) }
  const onTheWay = reachableFrom(rest, toStepId)
  if (!onTheWay.has(fromStepId)) return taking
  const leadingBack = guesses.filter(
    (each) => onTheWay.has(each.fromStepId) && reachableFrom(rest, each.toStepId).has(fromStepId),
  )
  return [...taking, ...leadingBack.filter((each) => !taking.includes(each))]
}

/** The graph without these transitions. */
export function withoutTransitions(graph: KnownGraph, gone: readonly WorkflowTransition[]): KnownGraph {
  return gone.length === 0 ? graph : { ...graph, transitions: graph.transitions.filter((each) => !gone.includes(each)) }
}

/** The branches that a transition stands for besides this one, when it stands for all of its step. */
export function otherBranches(
  graph: Drawing,
  { fromStepId, branch }: WorkflowTransition,
  wanted?: Branch,
): readonly Branch[] {
  const from = stepIn(graph, fromStepId)
  if (from === undefined || branch !== undefined || wanted === undefined) return []
  return branchesOf(from).names.filter((each) => each !== wanted)
}

/** The steps reachable from this one, including itself. */
export function reachableFrom({ transitions }: Drawing, stepId: string): ReadonlySet<string> {
  const next = Map.groupBy(transitions, ({ fromStepId }) => fromStepId)
  const reached = new Set([stepId])
  // the loop also visits what is added to the set meanwhile
  for (const id of reached) for (const { toStepId } of next.get(id) ?? []) reached.add(toStepId)
  return reached
}

/** Whether several transitions can leave the step, so that it has no single successor. */
export function isBranching(graph: Drawing, step: KnownStep): boolean {
  if (branchesOf(step).required) return true
  return graph.transitions.some(({ fromStepId, branch }) => fromStepId === step.id && branch !== undefined)
}

/** The branch of a transition that the step would no longer have after a change of its config. */
export function lostBranch({ transitions }: Drawing, changed: KnownStep): Branch | undefined {
  const { names } = branchesOf(changed)
  return transitions.find(
    ({ fromStepId, branch }) => fromStepId === changed.id && branch !== undefined && !names.includes(branch),
  )?.branch
}

/** The step of this id. */
function stepIn({ steps }: Drawing, id: string): KnownStep | undefined {
  return steps.find((step) => step.id === id)
}

function branchProblem(graph: Drawing, from: KnownStep, branch: Branch | undefined): FieldProblem | undefined {
  const out = graph.transitions.filter(({ fromStepId }) => fromStepId === from.id)
  const { names, required } = branchesOf(from)
  if (names.length === 0) {
    if (branch !== undefined) return problem('branch', `cannot be given: a ${from.type} step has no branches`)
    return out.length > 0 ? problem('fromStepId', 'has a transition already, and only one is possible') : undefined
  }
  if (branch !== undefined && !names.includes(branch)) {
    const message = `must be one of ${names.join(', ')}: it leaves a ${from.type} step`
    return { field: 'branch', code: 'invalid_enum_value', message }
  }
  if (branch === undefined && required) {
    return { field: 'branch', code: 'required', message: `is required: one of ${names.join(', ')}` }
  }
  const taken = out.some((each) => each.branch === undefined || branch === undefined || each.branch === branch)
  return taken ? problem('branch', 'has a transition already, and only one is possible') : undefined
}

function problem(field: string, message: string): FieldProblem {
  return { field, code: 'custom', message }
}
