import { EngineError, type FieldProblem } from '../errors.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { EventTrigger } from '../ports/store/workflows.ts'
import { findTopic } from '../subscriptions/named-topic.ts'
import { EVENTS } from '../values/event-names.ts'
import { isId } from '../values/id.ts'
import type { JsonObject } from '../values/json.ts'
import { refused } from '../values/parse.ts'
import type { ProjectId } from '../values/project-id.ts'

const OF_SUBSCRIPTIONS: readonly string[] = [EVENTS.subscribed, EVENTS.unsubscribed]

/** The events that each part of a trigger can choose among. */
const EVENTS_OF: { readonly [Part in keyof EventTrigger]-?: readonly string[] } = {
  // a form makes no one leave
  formId: [EVENTS.formSubmitted, EVENTS.subscribed],
  topicId: OF_SUBSCRIPTIONS,
  wholeSubscription: OF_SUBSCRIPTIONS,
  campaignId: [
    EVENTS.sent,
    EVENTS.delivery,
    EVENTS.open,
    EVENTS.click,
    EVENTS.bounce,
    EVENTS.complaint,
    EVENTS.replied,
  ],
}

/** Whether an event of the right name is one that starts the workflow. */
export function isAmong(trigger: EventTrigger | undefined, data: JsonObject): boolean {
  if (trigger === undefined) return true
  const { formId, topicId, campaignId, wholeSubscription = false } = trigger
  return (
    [
      [formId, data.formId],
      [topicId, data.topicId],
      [campaignId, data.campaignId],
    ].every(([wanted, given]) => wanted === undefined || wanted === given) &&
    !(wholeSubscription && data.topicId !== undefined)
  )
}

/** The parts of a trigger that can choose among no events of this name, and those that do not go together. */
export function wrongParts(trigger: EventTrigger, eventName: string | undefined): readonly FieldProblem[] {
  const given = Object.keys(EVENTS_OF).filter(
    (part): part is keyof EventTrigger => trigger[part as keyof EventTrigger] !== undefined,
  )
  const problem = (part: string, message: string) =>
    ({ field: `triggerConfig.${part}`, code: 'custom', message }) as const
  const wrong = given.filter((part) => eventName === undefined || !EVENTS_OF[part].includes(eventName))
  if (wrong.length > 0) {
    return wrong.map((part) => problem(part, `can be given only with one of the events ${EVENTS_OF[part].join(', ')}`))
  }
  const { topicId, formId, wholeSubscription } = trigger
  if (topicId === undefined) return []
  return [
    ...(formId === undefined ? [] : [problem('formId', 'cannot be given together with topicId')]),
    ...(wholeSubscription ? [problem('wholeSubscription', 'cannot be true together with topicId')] : []),
  ]
}

/**
 * Makes sure inside a transaction that what the trigger names is there, and stays until it ends; answers it with the id
 * of the topic. Throws EngineError `VALIDATION_ERROR` such as `triggerConfig.formId`.
 */
export async function holdTrigger(
  tx: Repositories,
  projectId: ProjectId,
  trigger: EventTrigger,
): Promise<EventTrigger> {
  const { formId, topicId, campaignId } = trigger
  const missing = (part: string, noun: string, name: string): EngineError =>
    refused([
      {
        field: `triggerConfig.${part}`,
        code: 'custom',
        message: `must be ${noun}: there is none ${name.slice(0, 64)}`,
      },
    ])
  if (formId !== undefined && !(isId(formId) && (await tx.forms.lock(projectId, formId)))) {
    throw missing('formId', 'the id of a form', formId)
  }
  if (campaignId !== undefined && !(isId(campaignId) && (await tx.campaigns.lock(projectId, campaignId)))) {
    throw missing('campaignId', 'the id of a campaign', campaignId)
  }
  if (topicId === undefined) return trigger
  const topic = await findTopic(tx, projectId, topicId)
  if (topic && (await tx.topics.hold(projectId, topic.id))) return { ...trigger, topicId: topic.id }
  throw missing('topicId', 'the id or the slug of a topic', topicId)
}
