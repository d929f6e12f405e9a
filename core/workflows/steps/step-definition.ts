import * as v from 'valibot'
import { EngineError } from '../../errors.ts'
import type { Filters } from '../../filters/filters.ts'
import type { CompiledMails } from '../../mail/compiled-mails.ts'
import type { TemplateSource } from '../../mail/thread/mail-question.ts'
import type { Contact } from '../../ports/store/contacts.ts'
import type { MailContent } from '../../ports/store/contents.ts'
import type { Email } from '../../ports/store/emails.ts'
import type { EventRecord } from '../../ports/store/events.ts'
import type { Execution } from '../../ports/store/executions.ts'
import type { Project } from '../../ports/store/projects.ts'
import type { Repositories } from '../../ports/store/store.ts'
import type { Template } from '../../ports/store/templates.ts'
import type { WebhookDelivery } from '../../ports/store/webhook-deliveries.ts'
import type { Branch, WorkflowGraph, WorkflowStep } from '../../ports/store/workflows.ts'
import type { WebhookSender } from '../../ports/webhook-sender.ts'
import type { NameableTransports } from '../../projects/nameable-transports.ts'
import type { StepUse } from '../../references/step-uses.ts'
import { describedBy } from '../../values/described.ts'
import type { NewId } from '../../values/id.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { say } from '../../values/parse.ts'
import type { HeldContacts } from './held-contacts.ts'
import type { Interpolation } from './interpolation.ts'

/**
 * Everything about one type of step. A type runs each contact by itself (`run`), or first reads in the transaction what
 * the contacts on one step need together, and answers their `run` (`prepare`).
 */
export type StepDefinition<Type extends string, Config> = StepRules<Type, Config> &
  (
    | { readonly run: Run<Config>; readonly prepare?: undefined }
    | { readonly prepare: Prepare<Config>; readonly run?: undefined }
  )

interface StepRules<Type extends string, Config> {
  readonly type: Type
  /** The name of a step that is given none. */
  readonly name: string
  /** Reads a config, as sent and as stored: its answer is stored as JSON, without nulls. */
  readonly Config: v.GenericSchema<unknown, Config>
  /**
   * The transitions that may leave it: none, one, or one for each branch, which may be those of its config. Where
   * `required` is false, one without a branch may stand for all of them.
   */
  readonly branches: 'none' | 'one' | Branches<Config>
  /** Whether its result can be asked for beforehand: it depends on the contact, and running it without writing does nothing. */
  readonly decides?: true
  /** The problem when nothing follows it, as the end of a sentence; left out where a workflow may end with it. */
  readonly deadEnd?: string
  /** Whether a template can be named beside the config; it is then in the config that the functions here get. */
  readonly takesTemplate?: true
  /** The texts with placeholders, which must parse. */
  texts?(config: Config): Iterable<TemplateSource>
  /** The things that it names, which are therefore not deleted while the step needs them. */
  uses?(config: Config): readonly StepUse[]
  /**
   * Checks what the schema cannot tell, when the config is written and when the workflow is enabled, outside of
   * transactions. Throws EngineError.
   */
  check?(config: Config, given: CheckContext): void | Promise<void>
  /** Why an enabled workflow could not run it, asked inside the transaction that changes the workflow. */
  problems?(config: Config, given: ProblemContext): readonly StepProblem[]
}

interface Branches<Config> {
  readonly names: (config: Config) => readonly Branch[]
  readonly required: boolean
}

/** Runs a step for one contact. It changes nothing itself: its result says what is written. A step that fails throws. */
type Run<Config> = (context: StepContext<Config>) => StepResult

type Prepare<Config> = (contexts: readonly StepContext<Config>[], batch: Batch) => Promise<Run<Config>>

/** A definition with the types of its config as they are in its schema. */
export function defineStep<const Type extends string, const Schema extends v.GenericSchema>(
  definition: StepDefinition<Type, v.InferOutput<Schema>> & { readonly Config: Schema },
) {
  return definition
}

/** The surroundings that a config is checked against. */
export interface CheckContext {
  readonly project: Project
  /** The config as it was sent, for the places in errors. */
  readonly sent: JsonObject
  readonly filters: Filters
  readonly webhooks: WebhookSender
  readonly nameable: NameableTransports
  /** The domains of projects, those too that wait for their records. */
  readonly reads: Pick<Repositories, 'domains'>
}

/** The surroundings that a step of an enabled workflow needs to run. */
export interface ProblemContext {
  readonly project: Project
  /** The templates that the workflow's steps name, by id. */
  readonly templates: ReadonlyMap<string, Template>
}

/** A problem of a step: its place in the step, such as `config.from`, and the end of a sentence about the step. */
export interface StepProblem {
  readonly place: string
  readonly message: string
}

/** An execution on its step, to be run. */
export interface DueStep {
  readonly project: Project
  readonly graph: WorkflowGraph
  readonly step: WorkflowStep
  readonly execution: Execution
  /** Whether its wait on this step is over. */
  readonly waited: boolean
}

/** All that a step runs with. */
export interface StepContext<Config = unknown> extends DueStep {
  readonly config: Config
  /** The contact as the steps before have left it. */
  readonly contact: Contact
  readonly now: Date
  readonly newId: NewId
  /** Fills in placeholders for the contact. */
  fill(): Interpolation
}

/** The result of a step. */
export type StepResult = StepMove & {
  /** The rows to write with the move. */
  readonly writes?: {
    readonly contact?: Contact
    readonly event?: EventRecord
    readonly mail?: { readonly email: Email; readonly content: MailContent }
    readonly delivery?: WebhookDelivery
  }
}

type StepMove =
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

/** The rows that the steps of one transaction read, and those they have written so far. */
export interface Batch {
  readonly tx: Repositories
  readonly now: Date
  readonly contacts: HeldContacts
  readonly filters: Filters
  readonly mails: CompiledMails
  /** Written at the end of the transaction. */
  readonly emails: Email[]
  readonly contents: Map<string, MailContent>
  readonly deliveries: WebhookDelivery[]
  /** Written, with the changed contacts, before the next steps run. */
  readonly events: EventRecord[]
}

/** The error of a step whose stored config cannot be read. */
export function unreadable(type: string): EngineError {
  return new EngineError('VALIDATION_ERROR', `The config of this ${type} step cannot be read.`)
}

/** Any object, as it is. */
export const AnyObject = describedBy(
  v.custom<JsonObject>(isJsonObject, say('invalid_type', 'must be an object')),
  v.record(v.string(), v.unknown()),
)

/** How many characters the name of a branch may have. */
const BRANCH_LENGTH = 40

/** The name of a branch. */
export const BranchName = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(BRANCH_LENGTH),
  v.check(
    (name) => /^[\p{L}\p{N}](?:[\p{L}\p{N} _.-]*[\p{L}\p{N}])?$/u.test(name),
    say('invalid_string', 'must be letters and digits, with spaces, hyphens, underscores and dots only between them'),
  ),
)

/** The longest wait, in seconds: 365 days. */
export const MAX_WAIT = 365 * 86_400

export const Positive = v.pipe(
  v.number(),
  v.check((amount) => amount > 0, say('too_small', 'must be greater than 0')),
)

/** The texts in a value, each with its place. */
export function* textsIn(value: Json | undefined, field: string): Generator<TemplateSource> {
  if (typeof value === 'string') yield { kind: 'text', source: value, field }
  if (typeof value !== 'object' || value === null) return
  for (const [key, each] of Object.entries(value)) yield* textsIn(each, `${field}.${key}`)
}
