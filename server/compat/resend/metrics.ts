import * as v from 'valibot'
import { invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { definedOnly } from '../../../core/values/defined-only.ts'
import { parse } from '../../../core/values/parse.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'

type Day = Answer<'getTimeSeries'>[number]

/** The figures that there are, each made of the days it is about. */
const FIGURES: Readonly<Record<string, (sum: (name: keyof Omit<Day, 'date'>) => number) => number>> = {
  sent: (sum) => sum('emails'),
  delivered: (sum) => sum('delivered'),
  bounced: (sum) => sum('bounces'),
  complained: (sum) => sum('complaints'),
  unique_opened: (sum) => sum('opens'),
  unique_clicked: (sum) => sum('clicks'),
  delivery_rate: (sum) => share(sum('delivered'), sum('emails')),
  open_rate: (sum) => share(sum('opens'), sum('delivered')),
  click_rate: (sum) => share(sum('clicks'), sum('delivered')),
  bounce_rate: (sum) => share(sum('bounces'), sum('emails')),
  complaint_rate: (sum) => share(sum('complaints'), sum('delivered')),
}
const NAMES = Object.keys(FIGURES)
const DAY_MS = 86_400_000
const DAYS = 7

const Query = v.object({
  start_date: v.optional(v.string()),
  end_date: v.optional(v.string()),
  timezone: v.optional(v.string()),
  granularity: v.optional(v.picklist(['daily', 'weekly', 'monthly']), 'daily'),
  metrics: v.optional(v.string()),
  dimensions: v.optional(v.string()),
})
const FIELDS = { startDate: 'start_date', endDate: 'end_date' }

/** `resend.emails.metrics`: the days of our analytics. */
export const metrics: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/emails/metrics',
    methods: ['emails.metrics'],
    difference: `of whole days, at most 366; the metrics are ${NAMES.map((name) => `\`${name}\``).join(', ')}; the dimension is \`period\`, with the granularity \`daily\`, \`weekly\` or \`monthly\`; domains, mails and broadcasts cannot be asked for one by one`,
    fields: FIELDS,
    async answer({ query, now }, ours) {
      for (const name of ['domain_id', 'email_id', 'broadcast_id']) {
        if (query.has(name)) throw invalidField(name, 'custom', 'cannot be asked for here')
      }
      const { start_date, end_date, timezone, granularity, ...asked } = parse(Query, Object.fromEntries(query))
      const names = listIn(asked.metrics, 'metrics', NAMES, NAMES)
      const dimensions = listIn(asked.dimensions, 'dimensions', ['period'], [])
      const end = end_date ?? now.toISOString()
      const start = start_date ?? new Date((Date.parse(end) || now.getTime()) - (DAYS - 1) * DAY_MS).toISOString()
      const days = await typedApi(ours).call('getTimeSeries', {
        query: definedOnly({ startDate: start, endDate: end, timezone }),
      })
      const shown = {
        object: 'metrics',
        start_date: start,
        end_date: end,
        metrics: names,
        dimensions,
        granularity,
        totals: figuresOf(days, names),
      }
      return { status: 200, body: dimensions.length === 0 ? shown : { ...shown, data: rows(days, names, granularity) } }
    },
  },
]

function rows(days: readonly Day[], names: readonly string[], granularity: 'daily' | 'weekly' | 'monthly') {
  const groups = Map.groupBy(days, ({ date }) => periodOf(date, granularity))
  return [...groups].map(([period, group]) => ({ period, ...figuresOf(group, names) }))
}

function figuresOf(days: readonly Day[], names: readonly string[]): Record<string, number> {
  const sum = (name: keyof Omit<Day, 'date'>) => days.reduce((all, day) => all + day[name], 0)
  return Object.fromEntries(names.map((name) => [name, FIGURES[name]?.(sum) ?? 0]))
}

/** The first day of the period that a day is in; weeks begin on Monday. */
function periodOf(date: string, granularity: 'daily' | 'weekly' | 'monthly'): string {
  if (granularity === 'daily') return date
  if (granularity === 'monthly') return `${date.slice(0, 7)}-01`
  const day = new Date(date)
  return new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10)
}

function listIn(given: string | undefined, field: string, known: readonly string[], usual: readonly string[]) {
  if (given === undefined) return usual
  const names = [...new Set(given.split(',').map((name) => name.trim()))]
  if (names.every((name) => known.includes(name))) return names
  throw invalidField(field, 'invalid_enum_value', `may have only these here: ${known.join(', ')}`)
}

/** In percent, with two decimals. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100
}
