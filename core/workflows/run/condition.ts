import { EngineError } from '../../errors.ts'
import { filterOf } from '../../filters/condition-step.ts'
import type { Filters } from '../../filters/filters.ts'
import { isMet, type StoreTest, storeTests, type WorkflowTest } from '../../filters/workflow-filter.ts'
import type { Contact } from '../../ports/store/contacts.ts'
import type { Project } from '../../ports/store/projects.ts'
import type { WorkflowStep } from '../../ports/store/workflows.ts'
import type { Batch, StepContext, StepResult, StepRunner } from './step-runner.ts'
import { unreadable } from './waiting-steps.ts'

/** CONDITION: a condition or a filter; branches `yes` and `no`. One object serves one batch. */
export class Condition implements StepRunner {
  readonly #filters: Filters
  readonly #now: Date
  readonly #tests = new Map<string, WorkflowTest>()
  readonly #failed = new Map<string, EngineError>()
  /** The contacts that match each test that only the store can answer. */
  readonly #answers = new Map<StoreTest, ReadonlySet<string>>()

  constructor(filters: Filters, now: Date) {
    this.#filters = filters
    this.#now = now
  }

  async ready(steps: readonly { readonly project: Project; readonly step: WorkflowStep }[]): Promise<void> {
    for (const { project, step } of steps) {
      try {
        this.#tests.set(step.id, await this.#filters.inWorkflow(project, filterOf(step.config), this.#now))
      } catch (error) {
        if (!EngineError.is(error) || error.kind === 'unavailable') throw error
        this.#failed.set(step.id, error)
      }
    }
  }

  async prepare(contexts: readonly StepContext[], { tx }: Batch): Promise<void> {
    const byStep = Map.groupBy(contexts, ({ step }) => step.id)
    for (const [stepId, group] of byStep) {
      const test = this.#tests.get(stepId)
      const [first] = group
      if (test === undefined || first === undefined) continue
      const contacts = [...new Set(group.map(({ execution }) => execution.contactId))]
      for (const asked of storeTests(test)) {
        this.#answers.set(asked, await tx.contacts.among(first.project.id, contacts, asked))
      }
    }
  }

  run({ step, execution }: StepContext, contact: Contact): StepResult {
    const test = this.#tests.get(step.id)
    if (test === undefined) throw this.#failed.get(step.id) ?? unreadable('CONDITION')
    const met = isMet(test, contact, execution, (asked) => this.#answers.get(asked)?.has(contact.id) ?? false)
    const branch = met ? 'yes' : 'no'
    return { outcome: 'done', branch, output: { branch } }
  }
}
