import * as v from 'valibot'
import { invalidField } from '../../../core/errors.ts'
import { definedOnly } from '../../../core/values/defined-only.ts'
import type { Json, JsonObject } from '../../../core/values/json.ts'
import { parse } from '../../../core/values/parse.ts'

/* The steps of Resend's automations and those of our workflows, each as the other has them. */

const Config = v.record(v.string(), v.unknown())
const Reference = v.object({ var: v.string() })

const Delay = v.object({ duration: v.string() })
const SendEmail = v.object({
  template: v.object({ id: v.string(), variables: v.nullish(Config) }),
  subject: v.nullish(v.string()),
  from: v.nullish(v.string()),
  reply_to: v.nullish(v.string()),
  topic_id: v.nullish(v.string()),
})
const WaitForEvent = v.object({
  event_name: v.string(),
  timeout: v.nullish(v.string()),
  filter_rule: v.nullish(v.unknown()),
})
const ContactUpdate = v.object({
  first_name: v.nullish(v.union([v.string(), Reference])),
  last_name: v.nullish(v.union([v.string(), Reference])),
  unsubscribed: v.nullish(v.boolean()),
  properties: v.nullish(v.record(v.string(), v.nullable(v.union([v.string(), v.number(), v.boolean(), Reference])))),
})
const Rule = v.object({
  field: v.string(),
  operator: v.string(),
  value: v.optional(v.nullable(v.union([v.string(), v.number(), v.boolean()]))),
})

const SECONDS = { second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800 } as const
const SPAN = /^(\d{1,7}(?:\.\d{1,3})?|an?) ?(second|minute|hour|day|week)s?$/
/** How deep rules may stand in rules. */
const DEPTH = 5

const OPERATORS = new Map([
  ['eq', 'equals'],
  ['neq', 'notEquals'],
  ['gt', 'greaterThan'],
  ['gte', 'greaterThanOrEqual'],
  ['lt', 'lessThan'],
  ['lte', 'lessThanOrEqual'],
  ['contains', 'contains'],
  ['starts_with', 'startsWith'],
  ['ends_with', 'endsWith'],
  ['exists', 'exists'],
  ['is_empty', 'notExists'],
])

/** Resend's names of our types of steps. */
const THEIR_TYPES: Readonly<Record<string, string>> = {
  TRIGGER: 'trigger',
  DELAY: 'delay',
  SEND_EMAIL: 'send_email',
  WAIT_FOR_EVENT: 'wait_for_event',
  CONDITION: 'condition',
  UPDATE_CONTACT: 'contact_update',
}

/** Resend's names of ways between steps, each with the branch of ours. */
export const BRANCHES = new Map([
  ['default', undefined],
  ['condition_met', 'yes'],
  ['condition_not_met', 'no'],
  ['event_received', 'event'],
  ['timeout', 'timeout'],
])

/** The type and the config of a step as ours has it. Throws EngineError `VALIDATION_ERROR` for what our workflows cannot say. */
export function ourStep(
  type: string,
  given: unknown,
  field: string,
): { readonly type: string; readonly config: JsonObject } {
  switch (type) {
    case 'delay': {
      const amount = secondsOf(parse(Delay, given).duration, `${field}.duration`)
      return { type: 'DELAY', config: { amount, unit: 'seconds' } }
    }
    case 'send_email':
      return { type: 'SEND_EMAIL', config: mailOf(parse(SendEmail, given), field) }
    case 'wait_for_event': {
      const { event_name: eventName, timeout, filter_rule } = parse(WaitForEvent, given)
      if (filter_rule != null) {
        throw invalidField(
          `${field}.filter_rule`,
          'custom',
          'cannot be set here: a CONDITION after the step can ask for it',
        )
      }
      const seconds = timeout == null ? undefined : secondsOf(timeout, `${field}.timeout`)
      return { type: 'WAIT_FOR_EVENT', config: definedOnly({ eventName, timeout: seconds }) as JsonObject }
    }
    case 'condition':
      return { type: 'CONDITION', config: filterOf(given, field, DEPTH) }
    case 'contact_update':
      return { type: 'UPDATE_CONTACT', config: changeOf(parse(ContactUpdate, given)) }
    default:
      throw invalidField(
        field.replace(/\.config$/, '.type'),
        'invalid_enum_value',
        'must be trigger, delay, send_email, wait_for_event, condition or contact_update here',
      )
  }
}

/** A step of ours as Resend shows it; a config that it does not know stays as ours is. */
export function theirStep(type: string, config: JsonObject): { readonly type: string; readonly config: JsonObject } {
  const shown = { type: THEIR_TYPES[type] ?? type.toLowerCase(), config }
  if (type === 'TRIGGER') return { ...shown, config: { event_name: config.eventName ?? null } }
  if (type === 'DELAY') return { ...shown, config: { duration: `${config.amount} ${config.unit}` } }
  if (type === 'WAIT_FOR_EVENT') {
    const timeout = typeof config.timeout === 'number' ? `${config.timeout} seconds` : null
    return { ...shown, config: { event_name: config.eventName ?? '', timeout } }
  }
  if (type === 'SEND_EMAIL') {
    const { templateId = null, subject = null, from = null, replyTo = null } = config
    return { ...shown, config: { template: { id: templateId }, subject, from, reply_to: replyTo } }
  }
  return shown
}

/** A span in seconds, such as that of `3 days`. */
function secondsOf(text: string, field: string): number {
  const [, count = '', unit = ''] = SPAN.exec(text.trim().toLowerCase()) ?? []
  const factor = SECONDS[unit as keyof typeof SECONDS]
  if (factor !== undefined) return Math.round((count.startsWith('a') ? 1 : Number(count)) * factor)
  throw invalidField(field, 'invalid_string', 'must be a span such as "30 minutes", "1 hour", "3 days" or "1 week"')
}

function mailOf(
  { template, subject, from, reply_to, topic_id }: v.InferOutput<typeof SendEmail>,
  field: string,
): JsonObject {
  if (Object.keys(template.variables ?? {}).length > 0) {
    const message =
      'cannot be set here: the template has the fields of the contact and of the event, such as {{ event.plan }}'
    throw invalidField(`${field}.template.variables`, 'custom', message)
  }
  if (topic_id != null)
    throw invalidField(`${field}.topic_id`, 'custom', 'cannot be set here: a template has its topic')
  return definedOnly({
    templateId: template.id,
    subject: subject ?? undefined,
    from: from ?? undefined,
    replyTo: reply_to ?? undefined,
  }) as JsonObject
}

function changeOf({
  first_name,
  last_name,
  unsubscribed,
  properties,
}: v.InferOutput<typeof ContactUpdate>): JsonObject {
  const data = definedOnly({ ...properties, firstName: first_name, lastName: last_name })
  const written = Object.entries(data).map(([name, value]): [string, Json] => [
    name,
    value !== null && typeof value === 'object' ? `{{ ${ourField(value.var)} }}` : (value ?? null),
  ])
  const subscribed = unsubscribed == null ? {} : { subscribed: !unsubscribed }
  return { data: Object.fromEntries(written), ...subscribed }
}

/** A condition as our filters have it. */
function filterOf(given: unknown, field: string, depth: number): JsonObject {
  const { type, rules } = parse(v.object({ type: v.string(), rules: v.optional(v.array(v.unknown())) }), given)
  if (type === 'and' || type === 'or') {
    if (depth === 0) throw invalidField(field, 'too_big', `may have rules in rules ${DEPTH} deep`)
    const conditions = (rules ?? []).map((rule, i) => filterOf(rule, `${field}.rules.${i}`, depth - 1))
    return { operator: type.toUpperCase(), conditions }
  }
  if (type !== 'rule') throw invalidField(`${field}.type`, 'invalid_enum_value', 'must be rule, and or or')
  const { field: asked, operator, value } = parse(Rule, given)
  const ours = OPERATORS.get(operator)
  if (ours === undefined) {
    throw invalidField(`${field}.operator`, 'invalid_enum_value', `must be one of ${[...OPERATORS.keys()].join(', ')}`)
  }
  const hasValue = ours !== 'exists' && ours !== 'notExists'
  const isAbout = asked === 'contact.unsubscribed'
  if (isAbout && typeof value === 'boolean') return { field: 'subscribed', operator: ours, value: !value }
  return { field: ourField(asked), operator: ours, ...(hasValue && value !== undefined ? { value } : {}) }
}

/** Our name of a field such as `contact.first_name`. */
function ourField(name: string): string {
  if (!name.startsWith('contact.')) return name
  const rest = name.slice('contact.'.length).replace(/^properties\./, '')
  if (rest === 'email') return 'email'
  if (rest === 'first_name') return 'data.firstName'
  return rest === 'last_name' ? 'data.lastName' : `data.${rest}`
}
