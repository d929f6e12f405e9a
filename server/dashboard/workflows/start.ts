import type { components } from '../../client/index.ts'
import { eventInWords } from '../parts/event-in-words.ts'
import { fieldInWords } from '../parts/field-in-words.ts'
import type { Texts } from '../texts/types.ts'

type Config = components['schemas']['TriggerConfig']

/** The trigger of a workflow, as the API has it. */
export interface Trigger {
  readonly triggerType: 'EVENT' | 'MANUAL' | 'DATE'
  readonly triggerConfig: Config
}

export type StartKind =
  | 'subscribes'
  | 'topic'
  | 'form'
  | 'enters'
  | 'date'
  | 'opens'
  | 'clicks'
  | 'replies'
  | 'added'
  | 'unsubscribes'
  | 'leavesTopic'
  | 'leaves'
  | 'event'
  | 'manual'

/** The trigger of a workflow, as its form has it: fields that a kind has no use for are kept, and not sent. */
export interface Start {
  readonly kind: StartKind
  readonly formId: string
  readonly topicId: string
  readonly campaignId: string
  /** By its slug, as its events have it. */
  readonly segment: string
  readonly eventName: string
  readonly field: string
  readonly direction: 'before' | 'on' | 'after'
  readonly amount: number
  readonly unit: 'days' | 'weeks'
  readonly yearly: boolean
  readonly at: string
  readonly timezone: string
  readonly timezoneField: string
}

export const EMPTY_START: Start = {
  kind: 'subscribes',
  formId: '',
  topicId: '',
  campaignId: '',
  segment: '',
  eventName: '',
  field: '',
  direction: 'on',
  amount: 7,
  unit: 'days',
  yearly: false,
  at: '09:00',
  timezone: '',
  timezoneField: '',
}

/** The kinds in the order of how often they are wanted: what needs a program is last. */
export const START_GROUPS = [
  ['people', ['subscribes', 'topic', 'form', 'enters', 'date']],
  ['mails', ['opens', 'clicks', 'replies']],
  ['others', ['added', 'unsubscribes', 'leavesTopic', 'leaves']],
  ['program', ['event', 'manual']],
] as const satisfies readonly (readonly [string, readonly StartKind[]])[]

/** The events of a kind that is always the same one. */
const EVENT_OF = {
  subscribes: 'contact.subscribed',
  unsubscribes: 'contact.unsubscribed',
  topic: 'contact.subscribed',
  leavesTopic: 'contact.unsubscribed',
  form: 'form.submitted',
  added: 'contact.created',
  opens: 'email.open',
  clicks: 'email.click',
  replies: 'email.replied',
} as const satisfies Partial<Record<StartKind, string>>

const SEGMENT_EVENT = /^segment\.(.+)\.(entry|exit)$/

/** The values of a form for this trigger. */
export function startOf({ triggerType, triggerConfig }: Trigger): Start {
  const { eventName = '', formId = '', topicId = '', campaignId = '', offset, yearly = false } = triggerConfig
  const { field = '', at = '', timezone = '', timezoneField = '' } = triggerConfig
  const [, segment = ''] = SEGMENT_EVENT.exec(eventName) ?? []
  const dated = { ...EMPTY_START, field, at: at || EMPTY_START.at, timezone, timezoneField, yearly, ...offset }
  return {
    ...dated,
    direction: offset?.direction ?? 'on',
    kind: kindOf(triggerType, triggerConfig),
    formId,
    topicId,
    campaignId,
    segment,
    eventName,
  }
}

function kindOf(type: Trigger['triggerType'], config: Config): StartKind {
  const { eventName = '', formId, topicId, wholeSubscription } = config
  if (type === 'DATE') return 'date'
  if (type === 'MANUAL') return 'manual'
  const change = SEGMENT_EVENT.exec(eventName)?.[2]
  if (change !== undefined) return change === 'entry' ? 'enters' : 'leaves'
  const isLeaving = eventName === EVENT_OF.unsubscribes
  if (eventName === EVENT_OF.subscribes || isLeaving) {
    if (topicId !== undefined) return isLeaving ? 'leavesTopic' : 'topic'
    // with the choices of topics it is none of ours
    return wholeSubscription ? (isLeaving ? 'unsubscribes' : 'subscribes') : 'event'
  }
  if (eventName === EVENT_OF.form) return formId === undefined ? 'event' : 'form'
  if (eventName === EVENT_OF.added) return 'added'
  if (eventName === EVENT_OF.opens) return 'opens'
  if (eventName === EVENT_OF.clicks) return 'clicks'
  return eventName === EVENT_OF.replies ? 'replies' : 'event'
}

/** The topic that people chose when this starts: what they are sent is about it. */
export function topicOf({ kind, topicId }: Start): string | undefined {
  return kind === 'topic' && topicId !== '' ? topicId : undefined
}

/** The trigger, as the API takes it. */
export function triggerOf(start: Start): Trigger {
  const { kind, formId, topicId, campaignId, segment, field, direction, amount, unit, yearly, at } = start
  const event = (eventName: string, more: Config = {}): Trigger => ({
    triggerType: 'EVENT',
    triggerConfig: { eventName, ...more },
  })
  switch (kind) {
    case 'subscribes':
      return event(EVENT_OF[kind], { wholeSubscription: true, ...(formId === '' ? {} : { formId }) })
    case 'unsubscribes':
      return event(EVENT_OF[kind], { wholeSubscription: true })
    case 'topic':
    case 'leavesTopic':
      return event(EVENT_OF[kind], { topicId })
    case 'form':
      return event(EVENT_OF[kind], { formId })
    case 'enters':
      return event(segment === '' ? '' : `segment.${segment}.entry`)
    case 'leaves':
      return event(segment === '' ? '' : `segment.${segment}.exit`)
    case 'opens':
    case 'clicks':
    case 'replies':
      return event(EVENT_OF[kind], campaignId === '' ? {} : { campaignId })
    case 'added':
      return event(EVENT_OF[kind])
    case 'event':
      return event(start.eventName.trim(), topicOrForm(start))
    case 'manual':
      return { triggerType: 'MANUAL', triggerConfig: {} }
    case 'date': {
      const named = (name: 'timezone' | 'timezoneField') => (start[name] === '' ? {} : { [name]: start[name] })
      const triggerConfig = {
        field,
        ...(direction === 'on' ? {} : { offset: { amount, unit, direction } }),
        ...(yearly ? { yearly } : {}),
        ...(at === '' ? {} : { at }),
        ...named('timezone'),
        ...named('timezoneField'),
      }
      return { triggerType: 'DATE', triggerConfig }
    }
  }
}

/** The condition of an event that is shown by its name alone. */
function topicOrForm({ formId, topicId, eventName }: Start): Config {
  const isOfSubscription = /^contact\.(un)?subscribed$/.test(eventName)
  if (isOfSubscription && topicId !== '') return { topicId }
  return (eventName === EVENT_OF.subscribes || eventName === EVENT_OF.form) && formId !== '' ? { formId } : {}
}

/** The trigger of a workflow in words; `about` is the name of a topic, form, segment or campaign, or the words of a date. */
export function startWords(trigger: Trigger, t: Texts, about = ''): string {
  const { kind, eventName, field } = startOf(trigger)
  const { says } = t.workflows.starting
  if (kind === 'event') {
    const words = eventInWords(eventName, t)
    return words === eventName ? says.event(eventName) : words
  }
  return says[kind](kind === 'date' && about === '' ? fieldInWords(field) : about)
}
