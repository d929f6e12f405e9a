import { isMet, type StoreTest, storeTests, type WorkflowTest } from '../../filters/workflow-filter.ts'
import type { Filter } from '../../ports/store/filters.ts'
import type { Batch, StepContext } from './step-definition.ts'

/**
 * Which of these filters a contact meets first, by its index; undefined: none. What only the store knows is asked once
 * for all contacts of the batch.
 */
export async function firstMet(
  contexts: readonly StepContext[],
  asked: readonly Filter[],
  { tx, now, filters }: Batch,
): Promise<(context: StepContext) => number | undefined> {
  const project = contexts[0]?.project
  if (project === undefined) return () => undefined
  const tests: WorkflowTest[] = []
  for (const filter of asked) tests.push(await filters.inWorkflow(project, filter, now, tx))
  const contacts = [...new Set(contexts.map(({ contact }) => contact.id))]
  const answers = new Map<StoreTest, ReadonlySet<string>>()
  for (const test of tests.flatMap(storeTests)) answers.set(test, await tx.contacts.among(project.id, contacts, test))
  return ({ contact, execution }) => {
    const met = tests.findIndex((test) =>
      isMet(test, contact, execution, (question) => answers.get(question)?.has(contact.id) ?? false),
    )
    return met < 0 ? undefined : met
  }
}
