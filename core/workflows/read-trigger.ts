import * as v from 'valibot'
import type { FieldProblem } from '../errors.ts'
import { AnyEventName } from '../events/event.ts'
import type { Filters } from '../filters/filters.ts'
import { subjectInWorkflow } from '../filters/workflow-filter.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { DateTrigger, EventTrigger, TriggerType, Workflow } from '../ports/store/workflows.ts'
import type { Untrusted } from '../values/json.ts'
import { noteWarning, refused, say } from '../values/parse.ts'
import { TimeZone } from '../values/time-zone.ts'
import { MAX_OFFSET_DAYS, UNIT_MS } from './contact-dates.ts'
import { DateField, TimeOfDay, warnOfField, wrongFields } from './date-fields.ts'
import { wrongParts } from './event-trigger.ts'

/** The time of day of a date that comes without one. */
const MORNING = '09:00'

const Id = v.nullish(v.pipe(v.string(), v.minLength(1), v.maxLength(64)))

/** The event, or the date of contacts, that starts a workflow. */
export const TriggerConfig = v.object({
  /** The event that starts it. */
  eventName: v.nullish(AnyEventName),
  /** Only events by this form. */
  formId: Id,
  /** Only events about this topic, by its id or slug. */
  topicId: Id,
  /** Only events about mails of this campaign. */
  campaignId: Id,
  /** Of `contact.subscribed` and `contact.unsubscribed`: only what is not about a topic. */
  wholeSubscription: v.nullish(v.boolean()),
  /** Of DATE: the field with the date, such as `data.trialEnds`. */
  field: v.nullish(DateField),
  /** Of DATE: how long before or after the date. */
  offset: v.nullish(
    v.pipe(
      v.object({
        /** How many, in `unit`: a whole number. */
        amount: v.pipe(v.number(), v.integer(say('invalid_type', 'must be a whole number')), v.minValue(1)),
        /** Those of the calendar, so the time of day stays. */
        unit: v.picklist(['days', 'weeks']),
        /** Whether it is before the date or after it. */
        direction: v.picklist(['before', 'after']),
      }),
      v.forward(
        v.check(
          ({ amount, unit }) => amount * UNIT_MS[unit] <= MAX_OFFSET_DAYS * UNIT_MS.days,
          say('too_big', `must be at most ${MAX_OFFSET_DAYS} days`),
        ),
        ['amount'],
      ),
    ),
  ),
  /** Of DATE: true for every year, as for birthdays. */
  yearly: v.nullish(v.boolean()),
  /** Of DATE: the time of day; by default 09:00. */
  at: v.nullish(TimeOfDay),
  /** Of DATE: the time zone of contacts that have none; by default that of the project. */
  timezone: v.nullish(TimeZone),
  /** Of DATE: the field with the contact's time zone; by default `timezone`. */
  timezoneField: v.nullish(DateField),
})
type TriggerConfig = v.InferOutput<typeof TriggerConfig>

/** The trigger of a workflow, as it is stored. */
export type Trigger = Pick<Workflow, 'triggerType' | 'eventName' | 'eventTrigger' | 'dateTrigger'>

/** The trigger in a request. */
interface WantedTrigger {
  readonly triggerType?: TriggerType | null | undefined
  readonly eventName?: string | null | undefined
  readonly triggerConfig?: TriggerConfig | null | undefined
}

const OF_DATES = ['field', 'offset', 'yearly', 'at', 'timezone', 'timezoneField'] as const
const OF_EVENTS = ['eventName', 'formId', 'topicId', 'campaignId', 'wholeSubscription'] as const

/** The trigger after a request; a config replaces the earlier one. Throws EngineError `VALIDATION_ERROR`. */
export function triggerAfter(wanted: WantedTrigger, before: Trigger): Trigger {
  const triggerType = wanted.triggerType ?? before.triggerType
  const problems = triggerProblems(wanted, before)
  if (problems.length > 0) throw refused(problems)
  return triggerType === 'DATE' ? dateAfter(wanted, before) : eventAfter(triggerType, wanted, before)
}

/** The problems of the trigger of a request: parts that its type does not have, or else those that it lacks. */
export function triggerProblems(wanted: WantedTrigger, before: Trigger): readonly FieldProblem[] {
  const triggerType = wanted.triggerType ?? before.triggerType
  const misplaced = triggerType === 'DATE' ? notOfDates(wanted) : notOfEvents(wanted)
  if (misplaced.length > 0) return misplaced
  const { triggerConfig } = wanted
  if (triggerType === 'DATE') {
    if (triggerConfig?.field != null || (triggerConfig === undefined && before.dateTrigger)) return []
    const message = 'is required: the field with the date that starts the workflow'
    return [{ field: 'triggerConfig.field', code: 'required', message }]
  }
  if (triggerType === 'MANUAL' || eventNameAfter(wanted, before) !== undefined) return []
  const field = triggerConfig === undefined && wanted.triggerType == null ? 'eventName' : 'triggerConfig.eventName'
  return [{ field, code: 'required', message: 'is required: the event that starts the workflow' }]
}

function dateAfter({ triggerConfig }: WantedTrigger, { dateTrigger: earlier }: Trigger): Trigger {
  const { field, offset, yearly, at, timezone, timezoneField } = triggerConfig ?? {}
  if (field == null) return { triggerType: 'DATE', ...(earlier ? { dateTrigger: earlier } : {}) }
  const dateTrigger: DateTrigger = {
    field,
    at: at ?? MORNING,
    ...(offset == null ? {} : { offset }),
    ...(yearly ? { yearly } : {}),
    ...(timezone == null ? {} : { timezone }),
    ...(timezoneField == null ? {} : { timezoneField }),
  }
  return { triggerType: 'DATE', dateTrigger }
}

function eventAfter(triggerType: 'EVENT' | 'MANUAL', wanted: WantedTrigger, before: Trigger): Trigger {
  const { triggerConfig } = wanted
  const eventName = eventNameAfter(wanted, before)
  // what narrowed another event says nothing of this one
  const earlier = eventName === before.eventName ? before.eventTrigger : undefined
  const eventTrigger = triggerConfig === undefined ? earlier : partsOf(triggerConfig)
  // what was stored is not read anew: a workflow that it would be refused for could not even be disabled
  const wrong = eventTrigger && eventTrigger !== earlier ? wrongParts(eventTrigger, eventName) : []
  if (wrong.length > 0) throw refused(wrong)
  return { triggerType, ...(eventName === undefined ? {} : { eventName }), ...(eventTrigger ? { eventTrigger } : {}) }
}

function eventNameAfter({ eventName, triggerConfig }: WantedTrigger, before: Trigger): string | undefined {
  const fallback = triggerConfig === undefined ? before.eventName : triggerConfig?.eventName
  return (eventName === undefined ? fallback : eventName) ?? undefined
}

/** Undefined when nothing narrows the event. */
function partsOf(config: TriggerConfig | null): EventTrigger | undefined {
  const { formId, topicId, campaignId, wholeSubscription } = config ?? {}
  const parts = {
    ...(formId == null ? {} : { formId }),
    ...(topicId == null ? {} : { topicId }),
    ...(campaignId == null ? {} : { campaignId }),
    ...(wholeSubscription ? { wholeSubscription } : {}),
  }
  return Object.keys(parts).length === 0 ? undefined : parts
}

function notOfEvents({ triggerConfig }: WantedTrigger): readonly FieldProblem[] {
  return given(OF_DATES, triggerConfig).map((name) => ({
    field: `triggerConfig.${name}`,
    code: 'custom',
    message: 'can be given only with "triggerType": "DATE"',
  }))
}

function notOfDates({ eventName, triggerConfig }: WantedTrigger): readonly FieldProblem[] {
  const message = 'cannot be given with "triggerType": "DATE", which no event starts'
  const names = given(OF_EVENTS, triggerConfig).map((name) => `triggerConfig.${name}`)
  return [...(eventName == null ? [] : ['eventName']), ...names].map((field) => ({ field, code: 'custom', message }))
}

function given<Name extends keyof TriggerConfig>(names: readonly Name[], config: TriggerConfig | null | undefined) {
  return names.filter((name) => config?.[name] != null && config[name] !== false)
}

const SEGMENT_EVENT = /^segment\.(.+)\.(?:entry|exit)$/

/**
 * Checks what the schema cannot see, outside of transactions: the fields of a date, of which the input is warned when no
 * contact has them, as of a segment whose entries make no events. Throws EngineError `VALIDATION_ERROR`.
 */
export async function checkTrigger(
  project: Project,
  { triggerType, eventName, dateTrigger }: Trigger,
  input: Untrusted,
  { filters, reads }: { readonly filters: Filters; readonly reads: Pick<Repositories, 'segments'> },
): Promise<void> {
  if (triggerType === 'DATE' && dateTrigger) {
    const { field, timezoneField } = dateTrigger
    const elsewhere = Object.entries({ field, timezoneField }).filter(([, name]) => name && isElsewhere(name))
    const problems: readonly FieldProblem[] = [
      ...wrongFields({ field, timezoneField }, 'triggerConfig'),
      ...elsewhere.map(([name]) => ({
        field: `triggerConfig.${name}`,
        code: 'invalid_enum_value' as const,
        message: 'must be a field of contacts: there is no event and no context before the workflow starts',
      })),
    ]
    if (problems.length > 0) throw refused(problems)
    return warnOfField(field, 'triggerConfig', { project, filters, told: { input, place: '' } })
  }
  const slug = triggerType === 'EVENT' ? SEGMENT_EVENT.exec(eventName ?? '')?.[1] : undefined
  if (slug === undefined) return
  const segment = (await reads.segments.all(project.id)).find((each) => each.slug === slug)
  if (segment?.trackMembership || segment?.type === 'STATIC') return
  const why = segment ? 'does not track its members; set its trackMembership' : 'does not exist'
  const message = `the segment ${slug.slice(0, 100)} ${why}, so nothing starts this workflow`
  noteWarning(input, { field: 'triggerConfig.eventName', message })
}

function isElsewhere(name: string): boolean {
  const subject = subjectInWorkflow(name, 'exists')
  return subject?.kind === 'data' && subject.isElsewhere === true
}
