import type { Texts } from '../texts/types.ts'

/** Until when a WAIT_UNTIL step waits, as its form has it. */
export interface Until {
  readonly by: 'date' | 'time'
  readonly field: string
  readonly direction: 'before' | 'on' | 'after'
  readonly amount: number
  readonly unit: string
  readonly yearly: boolean
  readonly at: string
  readonly weekdays: readonly string[]
  readonly timezone: string
}

export function untilOf(config: Readonly<Record<string, unknown>>): Until {
  const { field, offset, yearly, at, weekdays, timezone } = config
  const { amount = 1, unit = 'days', direction = 'on' } = (offset ?? {}) as Partial<Until>
  const text = (given: unknown) => (typeof given === 'string' ? given : '')
  return {
    by: typeof field !== 'string' && (weekdays != null || at != null) ? 'time' : 'date',
    field: text(field),
    direction,
    amount,
    unit,
    yearly: yearly === true,
    at: text(at),
    weekdays: Array.isArray(weekdays) ? weekdays.map(String) : [],
    timezone: text(timezone),
  }
}

/** The settings as the API takes them, with what the form does not show. */
export function configOfUntil(until: Until, { timezoneField }: Readonly<Record<string, unknown>>) {
  const { by, field, direction, amount, unit, yearly, at, weekdays, timezone } = until
  const named = (name: string, value: string) => (value.trim() === '' ? {} : { [name]: value.trim() })
  const date = {
    field,
    ...(direction === 'on' ? {} : { offset: { amount, unit, direction } }),
    ...(yearly ? { yearly } : {}),
  }
  return {
    ...(by === 'date' ? date : weekdays.length === 0 ? {} : { weekdays }),
    ...named('at', at),
    ...named('timezone', timezone),
    ...(timezoneField === undefined ? {} : { timezoneField }),
  }
}

/** Until when, in words. */
export function untilWords(
  config: Readonly<Record<string, unknown>>,
  t: Texts,
  lasting: (amount: number, unit: string) => string,
): string {
  const { by, field, direction, amount, unit, yearly, at, weekdays } = untilOf(config)
  const { directions } = t.workflows.until
  const length = `${lasting(amount, unit)} `
  const names: Readonly<Record<string, string>> = t.workflows.until.weekdays
  const parts =
    by === 'date'
      ? [
          `${direction === 'on' ? '' : length}${directions[direction]} ${field.replace(/^data\./, '')}`,
          yearly ? t.workflows.until.eachYear : '',
        ]
      : weekdays.map((day) => names[day] ?? day)
  return [...parts, at].filter(Boolean).join(', ')
}
