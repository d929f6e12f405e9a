import { EVENTS } from '../values/event-names.ts'
import { isJsonObject, type Json } from '../values/json.ts'

/** Something gets another name, by which filters, steps and settings call it. */
export interface Rename {
  /** By its slug, or by its name; only bodies have the names of snippets. */
  readonly kind: 'topic' | 'event' | 'snippet'
  readonly from: string
  readonly to: string
}

/** Events whose data has the slug of a topic. */
const OF_TOPICS: ReadonlySet<string> = new Set([EVENTS.subscribed, EVENTS.unsubscribed])

/**
 * The filter, or the config of a step with filters, with the new name in it; undefined when it does not have the old one.
 * `events` are those whose data the step may ask for: those about topics bring the slug along as a value.
 */
export function renamed<Value>(
  written: Value,
  { kind, from, to }: Rename,
  events: readonly string[] = [],
): Value | undefined {
  const fields = kind === 'topic' ? [`topic.${from}`, `contact.topic.${from}`] : []
  const hasSlug = kind === 'topic' && events.some((name) => OF_TOPICS.has(name))
  let isOther = false
  const other = (text: string) => {
    isOther = true
    return text
  }
  const change = (key: string, value: unknown): unknown => {
    if (key === 'field' && typeof value === 'string') {
      const field = fields.find((each) => each === value)
      return field === undefined ? value : other(field.slice(0, -from.length) + to)
    }
    if (kind === 'event' && key === 'eventName') return value === from ? other(to) : value
    if (!hasSlug || !isJsonObject(value) || value.field !== 'event.topic') return value
    const inside = (part: Json): Json => {
      if (part === from) return other(to)
      if (Array.isArray(part)) return part.map(inside)
      return isJsonObject(part) && part.values !== undefined ? { ...part, values: inside(part.values) } : part
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, VALUES.has(name) ? inside(part) : part]),
    )
  }
  // what is plain JSON stays what it is
  const result: Value = JSON.parse(JSON.stringify(written, change))
  return isOther ? result : undefined
}

/** Where a condition and a SWITCH have what a field is compared with. */
const VALUES: ReadonlySet<string> = new Set(['value', 'cases'])

/** The names of events, or patterns such as `segment.vips.*`, with the new one among them; undefined without the old one. */
export function renamedEvents(names: readonly string[], { from, to }: Rename): readonly string[] | undefined {
  const dot = from.lastIndexOf('.')
  const pattern = `${from.slice(0, dot)}.*`
  if (!names.includes(from) && !names.includes(pattern)) return undefined
  const others = names.map((name) =>
    name === from ? to : name === pattern ? `${to.slice(0, to.lastIndexOf('.'))}.*` : name,
  )
  return [...new Set(others)]
}
