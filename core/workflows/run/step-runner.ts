import type { Contact } from '../../ports/store/contacts.ts'
import type { MailContent } from '../../ports/store/contents.ts'
import type { Email } from '../../ports/store/emails.ts'
import type { EventRecord } from '../../ports/store/events.ts'
import type { Execution } from '../../ports/store/executions.ts'
import type { Project } from '../../ports/store/projects.ts'
import type { Repositories } from '../../ports/store/store.ts'
import type { WebhookDelivery } from '../../ports/store/webhook-deliveries.ts'
import type { Branch, WorkflowGraph, WorkflowStep } from '../../ports/store/workflows.ts'
import type { JsonObject } from '../../values/json.ts'
import type { HeldContacts } from './held-contacts.ts'

/** The step to run, and its execution. */
export interface StepContext {
  readonly project: Project
  readonly graph: WorkflowGraph
  readonly step: WorkflowStep
  readonly execution: Execution
  /** Whether its wait on this step is over. */
  readonly waited: boolean
}

/** The result of a step. A step that fails throws. */
export type StepResult =
  /** The execution continues, on this branch. */
  | { readonly outcome: 'done'; readonly output?: JsonObject; readonly branch?: Branch; readonly skipped?: boolean }
  /** It stays until `dueAt`, until an event `waitingFor`, or until an answer comes. */
  | {
      readonly outcome: 'wait'
      readonly output?: JsonObject
      readonly dueAt?: Date
      readonly waitingFor?: string
    }
  | { readonly outcome: 'exit'; readonly reason?: string }

/** What the steps of one transaction read and write. */
export interface Batch {
  readonly tx: Repositories
  readonly now: Date
  readonly contacts: HeldContacts
  /** Written at the end of the transaction. */
  readonly emails: Email[]
  readonly contents: Map<string, MailContent>
  readonly deliveries: WebhookDelivery[]
  /** Written, with the changed contacts, before the next steps run. */
  readonly events: EventRecord[]
}

/** Runs the steps of one type. */
export interface StepRunner {
  /** Called once per batch, before the transaction: reads what these steps need from outside it. */
  ready?(steps: readonly { readonly project: Project; readonly step: WorkflowStep }[]): Promise<void>
  /** Called inside the transaction, before `run` for each of these: reads what they need, all at once. */
  prepare?(contexts: readonly StepContext[], batch: Batch): Promise<void>
  /**
   * Runs the step for a contact. It writes only when nothing can fail any more, so that a step that throws has left
   * nothing behind.
   */
  run(context: StepContext, contact: Contact, batch: Batch): StepResult
}
