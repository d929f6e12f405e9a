import { inject, injectable } from '../../di.ts'
import { EngineError } from '../../errors.ts'
import { Kit } from '../../kit.ts'
import type { StepRun } from '../../ports/store/step-runs.ts'
import type { Repositories } from '../../ports/store/store.ts'
import type { WebhookDelivery } from '../../ports/store/webhook-deliveries.ts'
import type { WorkflowStep } from '../../ports/store/workflows.ts'
import type { JsonObject } from '../../values/json.ts'
import type { DeliveryEnd } from '../../webhooks/delivery-end.ts'
import { Doorbell, TOPICS } from '../../work/doorbell.ts'
import { stepOrError } from '../steps/registry.ts'
import { ended, endedRun, movedOn } from './moves.ts'

/** Continues executions whose WEBHOOK step has waited for a delivery. */
@injectable()
export class AnswerWebhooks implements DeliveryEnd {
  constructor(
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * A failed delivery fails the execution, unless the step's `onFailure` is `continue`. Nothing happens when no
   * execution waits for this very delivery: it was repeated by hand, or the execution was cancelled.
   */
  async ended(tx: Repositories, delivery: WebhookDelivery): Promise<boolean> {
    const { projectId, workflowId, executionId, stepId, status } = delivery
    if (workflowId === undefined || executionId === undefined || stepId === undefined) return false
    const execution = await tx.executions.find(projectId, workflowId, executionId)
    if (execution?.status !== 'WAITING' || execution.currentStepId !== stepId) return false
    const open = await tx.stepRuns.open(projectId, [executionId])
    const run = open.find((each) => each.stepId === stepId)
    if (run?.output?.deliveryId !== delivery.id) return false
    const graph = await tx.workflows.graph(projectId, workflowId)
    const step = graph?.steps.find(({ id }) => id === stepId)
    if (graph === undefined || step === undefined) return false
    const now = this.kit.now()
    const error = delivery.error ?? 'the request has failed'
    const goesOn = status === 'SUCCEEDED' || continuesAfterFailure(step)
    const to = goesOn
      ? movedOn(execution, graph, stepId, undefined, now)
      : ended(execution, { status: 'FAILED', error: `${step.name}: ${error}` }, now)
    const runs = [answered(run, delivery, error, now)]
    const woken = await tx.executions.wake([{ from: execution, to, runs }])
    return woken.has(executionId) && to.status === 'RUNNING'
  }

  ask(): void {
    this.doorbell.ring(TOPICS.workflows)
  }
}

function continuesAfterFailure(step: WorkflowStep): boolean {
  const read = stepOrError(step)
  return !EngineError.is(read) && read.type === 'WEBHOOK' && read.config.onFailure === 'continue'
}

function answered(run: StepRun, delivery: WebhookDelivery, error: string, now: Date): StepRun {
  const { id: deliveryId, attempts, responseStatus } = delivery
  const output: JsonObject = {
    deliveryId,
    attempts,
    ...(responseStatus === undefined ? {} : { status: responseStatus }),
  }
  return delivery.status === 'SUCCEEDED'
    ? endedRun(run, 'COMPLETED', now, { output })
    : endedRun(run, 'FAILED', now, { output, error })
}
