import type { FieldProblem } from '../errors.ts'

/** How people and other services call the time to send at, without signs and in lower case. */
const NAMES: ReadonlySet<string> = new Set([
  ...['scheduledat', 'scheduleat', 'scheduledfor', 'schedulefor', 'scheduledon', 'scheduledate', 'scheduletime'],
  ...['scheduled', 'schedule', 'sendat', 'sendon', 'senddate', 'sendtime', 'sendlater', 'deliverat', 'deliverytime'],
  ...['deliverydate', 'delayuntil', 'notbefore'],
])

/** Names for which every schema has its own refusal. */
const REFUSED: ReadonlySet<string> = new Set(['scheduledAt', 'sendAt', 'send_at'])

/**
 * The keys of a request that give a time to send at by another name than `scheduledFor`: dropped, the mail would go at
 * once. With `isOnlyTime` the request has no other key, so that whatever holds a time is meant to be one.
 */
export function* misnamedTimes(
  sent: Readonly<Record<string, unknown>>,
  { isOnlyTime = false }: { readonly isOnlyTime?: boolean } = {},
): Generator<FieldProblem> {
  for (const [key, value] of Object.entries(sent)) {
    if (key === 'scheduledFor' || REFUSED.has(key) || value === null || value === false) continue
    if (NAMES.has(key.toLowerCase().replace(/[_-]/g, '')) || (isOnlyTime && isTime(value)))
      yield { field: key.slice(0, 200), code: 'custom', message: 'is not a key here: use scheduledFor' }
  }
}

/** Whether a value is a date, or a number as a clock counts it. */
function isTime(value: unknown): boolean {
  if (typeof value === 'number') return value > 1e9
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value)
}
