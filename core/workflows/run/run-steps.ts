import { inject, injectable } from '../../di.ts'
import { EngineError } from '../../errors.ts'
import { Filters } from '../../filters/filters.ts'
import { Kit } from '../../kit.ts'
import { CompiledMails } from '../../mail/compiled-mails.ts'
import type { Execution } from '../../ports/store/executions.ts'
import type { StepRun } from '../../ports/store/step-runs.ts'
import type { StepType } from '../../ports/store/workflows.ts'
import { Pace } from '../../values/pace.ts'
import { CallWebhook } from './call-webhook.ts'
import { Condition } from './condition.ts'
import { Interpolations } from './interpolation.ts'
import { ended, endedRun, movedOn, waiting } from './moves.ts'
import { SendEmail } from './send-email.ts'
import type { Batch, StepContext, StepResult, StepRunner } from './step-runner.ts'
import { UpdateContact } from './update-contact.ts'
import { delay, exit, trigger, waitForEvent } from './waiting-steps.ts'

/**
 * Pauses before the second, third and fourth try of a failed step, in seconds; after the last it has failed for good.
 */
const RETRY_DELAYS = [1, 5, 25] as const

/** A step runner for every type, for one batch. */
export type Runners = { readonly [Type in StepType]: StepRunner }

/** An execution with its changes to write. */
export interface StepOutcome {
  readonly context: StepContext
  readonly execution: Execution
  readonly runs: readonly StepRun[]
}

/** Runs steps and computes the next state of their executions. */
@injectable()
export class RunSteps {
  readonly #pace = new Pace()

  constructor(
    @inject(Filters) private readonly filters: Filters,
    @inject(CompiledMails) private readonly compiled: CompiledMails,
    @inject(Interpolations) private readonly interpolations: Interpolations,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** New runners: what they cache counts for one batch. */
  runners(now: Date): Runners {
    const { newId } = this.kit
    return {
      TRIGGER: trigger,
      SEND_EMAIL: new SendEmail(this.compiled, this.interpolations, newId),
      DELAY: delay,
      WAIT_FOR_EVENT: waitForEvent,
      CONDITION: new Condition(this.filters, now),
      WEBHOOK: new CallWebhook(this.interpolations, newId),
      UPDATE_CONTACT: new UpdateContact(this.interpolations, newId),
      EXIT: exit,
    }
  }

  /** Runs one step of each, and reads together what steps of one type need. `open` are step runs begun before. */
  async runEach(
    contexts: readonly StepContext[],
    runners: Runners,
    batch: Batch,
    open: ReadonlyMap<string, StepRun>,
  ): Promise<readonly StepOutcome[]> {
    const outcomes: StepOutcome[] = []
    for (const [type, group] of Map.groupBy(contexts, ({ step }) => step.type)) {
      const runner = runners[type]
      await runner.prepare?.(group, batch)
      for (const context of group) {
        outcomes.push(await this.#pace.run(() => this.#step(context, runner, batch, open.get(context.execution.id))))
      }
    }
    return outcomes
  }

  #step(context: StepContext, runner: StepRunner, batch: Batch, open: StepRun | undefined): StepOutcome {
    const { execution, step } = context
    const run = open?.stepId === step.id ? open : this.#begun(context, batch.now)
    const contact = batch.contacts.get(execution.contactId)
    if (contact === undefined) {
      const end = { status: 'CANCELLED', exitReason: 'contact-removed' } as const
      const runs = [endedRun(run, 'CANCELLED', batch.now)]
      return { context, execution: ended(execution, end, batch.now), runs }
    }
    try {
      return after(context, runner.run(context, contact, batch), run, batch.now)
    } catch (error) {
      if (!EngineError.is(error)) this.kit.log.error('a step of a workflow broke', { step: step.id, error })
      return failedOutcome(context, run, error, batch.now)
    }
  }

  #begun({ execution, step }: StepContext, now: Date): StepRun {
    const { id: executionId, projectId, workflowId } = execution
    return {
      id: this.kit.newId(),
      projectId,
      workflowId,
      executionId,
      stepId: step.id,
      status: 'RUNNING',
      startedAt: now,
    }
  }
}

/** The execution after a step that succeeded. */
function after(context: StepContext, result: StepResult, run: StepRun, now: Date): StepOutcome {
  const { execution, graph, step } = context
  switch (result.outcome) {
    case 'done': {
      const runs = [endedRun(run, result.skipped ? 'SKIPPED' : 'COMPLETED', now, { output: result.output })]
      return { context, execution: movedOn(execution, graph, step.id, result.branch, now), runs }
    }
    case 'wait': {
      const { outcome, output, ...until } = result
      const { error, ...unfinished } = run
      const runs: StepRun[] = [{ ...unfinished, status: 'WAITING', ...(output === undefined ? {} : { output }) }]
      return { context, execution: waiting(execution, until, now), runs }
    }
    case 'exit': {
      const { reason } = result
      const end = { status: 'EXITED', ...(reason === undefined ? {} : { exitReason: reason }) } as const
      const output = reason === undefined ? undefined : { reason }
      return {
        context,
        execution: ended(execution, end, now),
        runs: [endedRun(run, 'COMPLETED', now, { output })],
      }
    }
  }
}

/** The execution after a step that failed: another try after a pause, or the end. */
function failedOutcome(context: StepContext, run: StepRun, cause: unknown, now: Date): StepOutcome {
  const { execution, step } = context
  const error = EngineError.is(cause) ? cause.message : 'an unexpected error'
  const pause = RETRY_DELAYS[execution.attempts]
  if (pause === undefined) {
    const end = { status: 'FAILED', error: `${step.name}: ${error}` } as const
    return { context, execution: ended(execution, end, now), runs: [endedRun(run, 'FAILED', now, { error })] }
  }
  const dueAt = new Date(now.getTime() + pause * 1000)
  return {
    context,
    execution: { ...execution, status: 'RUNNING', dueAt, attempts: execution.attempts + 1, updatedAt: now },
    runs: [{ ...run, status: 'RUNNING', error }],
  }
}
