import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { Branch, WorkflowTransition } from '../ports/store/workflows.ts'
import { refused } from '../values/parse.ts'
import { shownId } from '../values/shown-id.ts'
import { guessesInTheWay, linkProblem, otherBranches, withoutTransitions } from './graph-links.ts'
import type { KnownGraph } from './steps/registry.ts'

// How transitions are stored, each within the transaction that edits the graph.

/**
 * Stores a transition, instead of the automatic ones in its way; answers the graph with it. Throws EngineError
 * `VALIDATION_ERROR`, about the field that `places` has for that of a transition.
 */
export async function drawTransition(
  tx: Repositories,
  graph: KnownGraph,
  transition: WorkflowTransition,
  places: Readonly<Record<string, string>> = {},
): Promise<KnownGraph> {
  const { projectId, workflowId } = transition
  const guesses = transition.automatic ? [] : guessesInTheWay(graph, transition)
  const open = withoutTransitions(graph, guesses)
  const problem = linkProblem(open, transition)
  if (problem) throw refused([{ ...problem, field: places[problem.field] ?? problem.field }])
  for (const { id } of guesses) await tx.workflows.removeTransition(projectId, workflowId, id)
  await tx.workflows.insertTransition(transition)
  return { ...open, transitions: [...open.transitions, transition] }
}

/** The changes of a transition. */
interface Change {
  readonly toStepId: string
  /** Left out, it keeps its branch. */
  readonly branch: Branch | undefined
  readonly priority?: number
}

/**
 * Makes a transition lead to another step or leave at another branch; answers the graph with it. When one that stands
 * for all branches gets a branch, new ones keep the other branches where they lead. Throws as `drawTransition` does.
 */
export async function leadTransition(
  tx: Repositories,
  graph: KnownGraph,
  before: WorkflowTransition,
  { toStepId, branch: wanted, priority = before.priority }: Change,
  newId: Kit['newId'],
): Promise<KnownGraph> {
  const { id, projectId, workflowId, fromStepId } = before
  const branch = wanted ?? before.branch
  const from = { projectId, workflowId, fromStepId }
  await tx.workflows.removeTransition(projectId, workflowId, id)
  const after = { id, ...from, toStepId, ...(branch === undefined ? {} : { branch }), priority }
  let drawn = await drawTransition(tx, withoutTransitions(graph, [before]), after)
  for (const other of otherBranches(graph, before, branch)) {
    const kept = { ...before, id: newId(), branch: other }
    drawn = await drawTransition(tx, drawn, kept)
  }
  return drawn
}

/** The transition of the workflow. Throws EngineError `TRANSITION_NOT_FOUND`. */
export function transitionOf({ transitions }: KnownGraph, id: string): WorkflowTransition {
  const found = transitions.find((each) => each.id === id)
  if (found) return found
  throw new EngineError('TRANSITION_NOT_FOUND', `There is no transition ${shownId(id)} in this workflow.`)
}
