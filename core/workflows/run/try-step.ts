import * as v from 'valibot'
import { DATA_LIMITS, dataObject } from '../../contacts/data-limits.ts'
import { EngineError, type FieldProblem } from '../../errors.ts'
import type { Kit } from '../../kit.ts'
import type { Project } from '../../ports/store/projects.ts'
import type { Repositories, Store } from '../../ports/store/store.ts'
import { EmailAddress } from '../../values/email-address.ts'
import { isId } from '../../values/id.ts'
import type { InputOf } from '../../values/input.ts'
import type { JsonObject, Untrusted } from '../../values/json.ts'
import { parse } from '../../values/parse.ts'
import { shownId } from '../../values/shown-id.ts'
import { executionOf } from '../dispatch/start-executions.ts'
import { missingWorkflow, stepOf } from '../edit-graph.ts'
import { knownGraph, STEPS } from '../steps/registry.ts'
import type { RunSteps } from './run-steps.ts'

export const TryStep = v.object({
  /** The contact, by its id. */
  contactId: v.nullish(v.string()),
  /** The contact, by its address. */
  email: v.nullish(EmailAddress),
  /** The `context.*` of the execution. */
  context: v.nullish(dataObject(DATA_LIMITS.eventBytes)),
  /** The data of the event that started it, `event.*`. */
  event: v.nullish(dataObject(DATA_LIMITS.eventBytes)),
})

/** The contact to try a step with, and what its execution would have. */
export interface TryStepInput extends InputOf<typeof TryStep> {}

/** The result of a step for a contact. */
export interface TriedStep {
  /** The branch it takes. */
  readonly branch?: string
  /** Until when it waits first. */
  readonly until?: Date
  /** Whether the step is skipped, and the execution continues. */
  readonly skipped: boolean
  /** The output that the run would have. */
  readonly output: JsonObject
}

/** See `Executions.tryStep`. */
export async function tryStep(
  { store, steps, kit }: { readonly store: Store; readonly steps: RunSteps; readonly kit: Kit },
  project: Project,
  workflowId: string,
  stepId: string,
  input: Untrusted,
): Promise<TriedStep> {
  const { contactId, email, context, event } = parse(TryStep, input, oneContact)
  return store.transaction(async (tx) => {
    const stored = isId(workflowId) ? await tx.workflows.graph(project.id, workflowId) : undefined
    const graph = knownGraph(stored ?? missingWorkflow(workflowId))
    const step = stepOf(graph, stepId)
    if (!STEPS[step.type].decides) throw decidesNothing(step.type)
    const named = contactId ?? email ?? ''
    const id = contactId ?? (await contactWith(tx, project, named))
    const now = kit.now()
    const made = executionOf({ graph, contactId: id ?? '', context: context ?? {} }, kit.newId, now)
    if (id === undefined || !isId(id) || made === undefined) throw noContact(named)
    const execution = { ...made, event: event ?? {}, currentStepId: step.id }
    const result = await steps.tried({ project, graph, step, execution, waited: false }, id, steps.batch(tx, now))
    if (result === undefined) throw noContact(named)
    if (result.outcome === 'exit') throw decidesNothing(step.type)
    // the mail with this id is never made
    const { emailId, ...output } = result.output ?? {}
    if (result.outcome === 'wait') {
      return { branch: 'reached', skipped: false, output, ...(result.dueAt ? { until: result.dueAt } : {}) }
    }
    const { branch, skipped = false } = result
    return { skipped, output, ...(branch === undefined ? {} : { branch }) }
  })
}

function oneContact({ contactId, email }: Partial<v.InferOutput<typeof TryStep>>): readonly FieldProblem[] {
  if (contactId == null && email == null) {
    return [{ field: 'contactId', code: 'required', message: 'is required, or email in its place' }]
  }
  if (contactId == null || email == null) return []
  return [{ field: 'email', code: 'custom', message: 'cannot be given together with contactId' }]
}

async function contactWith(tx: Repositories, project: Project, email: string): Promise<string | undefined> {
  return (await tx.contacts.lockByAddress(project.id, [email])).get(email)?.id
}

function noContact(named: string): EngineError {
  return new EngineError('CONTACT_NOT_FOUND', `There is no contact ${shownId(named, 320)}.`)
}

function decidesNothing(type: string): EngineError {
  const types = Object.values(STEPS).flatMap((step) => (step.decides ? step.type : []))
  return new EngineError('BAD_REQUEST', `A ${type} step decides nothing that could be tried.`, {
    suggestion: `Try a step of one of these types: ${types.join(', ')}.`,
  })
}
