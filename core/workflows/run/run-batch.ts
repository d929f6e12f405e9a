import { isAnswer } from '../../mails/answering.ts'
import type { ClaimedExecution, Execution } from '../../ports/store/executions.ts'
import type { Project } from '../../ports/store/projects.ts'
import type { StepRun } from '../../ports/store/step-runs.ts'
import type { Repositories, Store } from '../../ports/store/store.ts'
import type { WorkflowGraph } from '../../ports/store/workflows.ts'
import { Conflict } from '../../values/conflict.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { Batch, DueStep } from '../steps/step-definition.ts'
import { ended, endedRun } from './moves.ts'
import type { RunSteps, StepOutcome } from './run-steps.ts'

/** When executions of a disabled project are checked again. */
const REST_MS = 60_000

/** The work that a batch leaves to others. */
export interface BatchDone {
  /** Mails that answer others, by their projects. */
  readonly answers: ReadonlyMap<Project, readonly string[]>
  readonly emails: number
  readonly deliveries: number
  readonly events: number
}

/** Executions that others took over or cancelled meanwhile; then nothing of the batch was written. */
export interface BatchLost {
  readonly lost: ReadonlySet<string>
}

interface Written {
  readonly execution: Execution
  readonly runs: readonly StepRun[]
}

/**
 * Runs the steps of claimed executions, each as far as it goes, and writes everything in one transaction. Names those
 * without which that must be repeated, if any.
 */
export async function runBatch(
  store: Store,
  steps: RunSteps,
  claimed: readonly ClaimedExecution[],
  now: Date,
): Promise<BatchDone | BatchLost> {
  const known = await surroundings(store, claimed)
  const lost = new Set<string>()
  const run = async (tx: Repositories): Promise<BatchDone> => {
    const batch = steps.batch(tx, now)
    const open = await openRuns(tx, claimed)
    const written = new Map<string, Written>()
    let due: DueStep[] = []
    for (const { token, ...execution } of claimed) {
      const next = dueStep(execution, known, execution.status === 'WAITING')
      if ('graph' in next) due.push(next)
      else written.set(execution.id, next.end(now, open.get(execution.id)))
    }
    for (const [projectId, group] of Map.groupBy(due, ({ project }) => project.id)) {
      const ids = group.map(({ execution }) => execution.contactId)
      await batch.contacts.hold(tx, projectId, ids)
    }
    let events = 0
    const projects = new Map<ProjectId, Project>()
    while (due.length > 0) {
      for (const { project } of due) projects.set(project.id, project)
      const outcomes = await steps.runEach(due, batch, open)
      events += await writeContacts(batch)
      due = []
      for (const outcome of outcomes) {
        const { id } = outcome.execution
        written.set(id, { execution: outcome.execution, runs: [...(written.get(id)?.runs ?? []), ...outcome.runs] })
        const next = onward(outcome, known)
        if (next === undefined) continue
        if ('graph' in next) due.push(next)
        else written.set(id, { ...next.end(now, undefined), runs: written.get(id)?.runs ?? [] })
      }
    }
    if (batch.emails.length > 0) await tx.emails.add(batch.emails, [...batch.contents.values()])
    if (batch.deliveries.length > 0) await tx.webhookDeliveries.add(batch.deliveries)
    const ours = await writeMoves(tx, claimed, written)
    for (const { id } of claimed) if (!ours.has(id)) lost.add(id)
    if (lost.size > 0) throw new Conflict('gone')
    const answers = answersIn(batch, projects)
    return { answers, emails: batch.emails.length, deliveries: batch.deliveries.length, events }
  }
  return store.transaction(run).catch((error: unknown) => {
    if (Conflict.is(error, 'gone')) return { lost }
    throw error
  })
}

interface Surroundings {
  readonly projects: ReadonlyMap<ProjectId, Project>
  readonly graphs: ReadonlyMap<string, WorkflowGraph>
}

async function surroundings(store: Store, claimed: readonly Execution[]): Promise<Surroundings> {
  const projects = new Map<ProjectId, Project>()
  const graphs = new Map<string, WorkflowGraph>()
  for (const { projectId, workflowId } of claimed) {
    if (graphs.has(workflowId)) continue
    const graph = await store.workflows.graph(projectId, workflowId)
    if (graph) graphs.set(workflowId, graph)
    const project = projects.get(projectId) ?? (await store.projects.find(projectId))
    if (project) projects.set(projectId, project)
  }
  return { projects, graphs }
}

/** An execution whose current step is missing. */
interface Orphaned {
  end(now: Date, run: StepRun | undefined): Written
}

function dueStep(execution: Execution, known: Surroundings, waited: boolean): DueStep | Orphaned {
  const project = known.projects.get(execution.projectId)
  const graph = known.graphs.get(execution.workflowId)
  const step = graph?.steps.find(({ id }) => id === execution.currentStepId)
  if (project?.disabled) {
    return { end: (now) => ({ execution: { ...execution, dueAt: new Date(now.getTime() + REST_MS) }, runs: [] }) }
  }
  if (project && graph && step) return { project, graph, step, execution, waited }
  return {
    end: (now, run) => ({
      execution: ended(execution, { status: 'FAILED', error: 'the step it stood on was removed' }, now),
      runs: run ? [endedRun(run, 'CANCELLED', now)] : [],
    }),
  }
}

/** The next step to run at once; undefined when it waits, is tried again later, or has ended. */
function onward({ execution }: StepOutcome, known: Surroundings): DueStep | Orphaned | undefined {
  if (execution.status !== 'RUNNING' || execution.attempts > 0) return undefined
  return dueStep(execution, known, false)
}

/** The open step runs: of executions that have waited, or are tried again. */
async function openRuns(tx: Repositories, claimed: readonly Execution[]): Promise<ReadonlyMap<string, StepRun>> {
  const begun = claimed.filter(({ status, attempts }) => status === 'WAITING' || attempts > 0)
  const open = new Map<string, StepRun>()
  for (const [projectId, group] of Map.groupBy(begun, (each) => each.projectId)) {
    const ids = group.map(({ id }) => id)
    for (const run of await tx.stepRuns.open(projectId, ids)) open.set(run.executionId, run)
  }
  return open
}

async function writeContacts({ tx, contacts, events }: Batch): Promise<number> {
  await contacts.write(tx)
  const happened = events.splice(0)
  if (happened.length > 0) await tx.events.record(happened)
  return happened.length
}

/** Answers the ids of those that were still ours. */
async function writeMoves(
  tx: Repositories,
  claimed: readonly ClaimedExecution[],
  written: ReadonlyMap<string, Written>,
): Promise<ReadonlySet<string>> {
  const moves = claimed.flatMap(({ id, token }) => {
    const move = written.get(id)
    return move ? [{ ...move, token }] : []
  })
  return tx.executions.advance(moves)
}

/** The mails of a batch that name others in their header. */
function answersIn(
  { emails, contents }: Pick<Batch, 'emails' | 'contents'>,
  projects: ReadonlyMap<ProjectId, Project>,
): BatchDone['answers'] {
  const answering = new Set([...contents.values()].filter(isAnswer).map(({ id }) => id))
  const found = new Map<Project, string[]>()
  for (const { id, contentId, projectId } of answering.size === 0 ? [] : emails) {
    const project = projects.get(projectId)
    if (project && answering.has(contentId)) found.set(project, [...(found.get(project) ?? []), id])
  }
  return found
}
