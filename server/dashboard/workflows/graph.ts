import type { components } from '../api/client.ts'
import type { Texts } from '../texts/types.ts'
import { startWords } from './start.ts'

export type Workflow = components['schemas']['Workflow']
export type Step = components['schemas']['Step']
type Transition = Workflow['transitions'][number]
type Count = components['schemas']['WorkflowStats']['steps'][number]
export type Counts = ReadonlyMap<string, Count>

/** A way out of a step: its only one, or that of one of its branches. */
export interface Outlet {
  readonly from: string
  readonly branch: string | undefined
  /** The transition that leaves here; none at an open end. One without a branch leaves at all branches. */
  readonly way: Transition | undefined
}

/** The branches of a step of this type and these settings, in their order; none where it has one way out, or none at all. */
export function branchesOf({ type, config }: { readonly type: string; readonly config: unknown }): readonly string[] {
  // one whose name is still missing is refused by its own field
  const named = (given: unknown) =>
    Array.isArray(given) ? given.map(({ branch }) => String(branch)).filter((name) => name !== '') : []
  const { cases, branches, field } = { cases: [], branches: [], field: undefined, ...(config as object) }
  switch (type) {
    case 'CONDITION':
      return ['yes', 'no']
    case 'WAIT_FOR_EVENT':
      return ['event', 'timeout']
    case 'WAIT_UNTIL':
      return typeof field === 'string' ? ['reached', 'missing'] : []
    case 'SWITCH':
      return [...named(cases), 'else']
    case 'SPLIT':
      return named(branches)
    default:
      return []
  }
}

/** The ways out of a step, those of its branches in their order. */
export function outletsOf({ transitions }: Workflow, step: Step): readonly Outlet[] {
  const { id, type } = step
  if (type === 'EXIT') return []
  const out = transitions.filter(({ fromStepId }) => fromStepId === id)
  const branches = branchesOf(step)
  if (branches.length === 0) return [{ from: id, branch: undefined, way: out[0] }]
  return branches.map((branch) => ({
    from: id,
    branch,
    way: out.find((each) => (each.branch ?? branch) === branch),
  }))
}

/** The name of a branch of a step: of a SWITCH or SPLIT, the one that it was given. */
export function branchName({ branch }: Pick<Outlet, 'branch'>, type: string, t: Texts): string | undefined {
  const isNamed = type === 'SPLIT' || (type === 'SWITCH' && branch !== 'else')
  return branch === undefined || isNamed ? branch : (t.workflows.branches[branch] ?? branch)
}

/** The name of a step; of the start, its trigger in short. */
export function stepName({ type, name }: Step, workflow: Workflow, t: Texts): string {
  return type === 'TRIGGER' ? startWords(workflow, t) : name
}

/** A step with what follows it: each step once, where one meets it first. */
export interface Branching {
  readonly step: Step
  readonly ways: readonly {
    readonly outlet: Outlet
    /** The step that follows here, with those after it. */
    readonly next?: Branching
    /** The step that follows here, but is met before. */
    readonly back?: Step
  }[]
}

/** All steps as one meets them, from the start down; what nothing leads to is last. */
export function branchingsOf(workflow: Workflow): readonly Branching[] {
  const byId = new Map(workflow.steps.map((step) => [step.id, step]))
  const met = new Set<Step>()
  const follow = (step: Step): Branching => {
    met.add(step)
    const ways = outletsOf(workflow, step).map((outlet) => {
      const next = byId.get(outlet.way?.toStepId ?? '')
      if (next === undefined) return { outlet }
      return met.has(next) ? { outlet, back: next } : { outlet, next: follow(next) }
    })
    return { step, ways }
  }
  return rootsOf(workflow).map(follow)
}

/** All steps in the order in which one meets them: down the first branch, then down the next one. */
export function inOrder(workflow: Workflow): readonly Step[] {
  const flat = ({ step, ways }: Branching): readonly Step[] => [
    step,
    ...ways.flatMap(({ next }) => (next ? flat(next) : [])),
  ]
  return branchingsOf(workflow).flatMap(flat)
}

/** The steps that nothing leads to, the start first. */
function rootsOf({ steps, transitions }: Workflow): readonly Step[] {
  const reached = new Set(transitions.map(({ toStepId }) => toStepId))
  const isStart = ({ type }: Step) => type === 'TRIGGER'
  return steps.filter(({ id }) => !reached.has(id)).toSorted((a, b) => Number(isStart(b)) - Number(isStart(a)))
}

/** The steps that would hang in the air without this one, but for those that are reached by what is kept. */
export function lostWith(workflow: Workflow, step: Step, kept: string | undefined): readonly Step[] {
  const next = Map.groupBy(workflow.transitions, ({ fromStepId }) => fromStepId)
  const reach = (from: readonly string[], without?: string) => {
    const reached = new Set(from.filter((id) => id !== without))
    for (const id of reached)
      for (const { toStepId } of next.get(id) ?? []) if (toStepId !== without) reached.add(toStepId)
    return reached
  }
  const roots = rootsOf(workflow).map(({ id }) => id)
  const stays = reach([...roots, ...(kept === undefined ? [] : [kept])], step.id)
  const below = reach((next.get(step.id) ?? []).map(({ toStepId }) => toStepId))
  return workflow.steps.filter(({ id }) => below.has(id) && !stays.has(id))
}
