const UNIT = '(?:min(?:ute)?s?|hours?|days?|weeks?|months?|quarters?|years?)'
const NAMED = `now|today|tomorrow|yesterday|midnight|(?:last|next|this) ${UNIT}`

/** Times that are said from now on, such as `today`, `today + 7 days`, `now-7d`, `+7 days`, `in 2 weeks`, `3 days ago`. */
const RELATIVE = [
  new RegExp(`^(?:${NAMED})(?: ?[+-] ?[0-9]+ ?(?:${UNIT}|[mhdwy]))?$`),
  new RegExp(`^(?:[+-] ?|in |last |next |past )?[0-9]+ ?${UNIT}(?: ago| from now| later)?$`),
  /^[+-] ?[0-9]+ ?[mhdwy]$/,
]
/** The longest text that is looked at: the longest that can be one. */
const MAX_LENGTH = 60

/** Why such a text is not taken as a time, and what to write; undefined for any other text. */
export function relativeDate(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const said = text.trim().replace(/\s+/g, ' ').toLowerCase()
  if (!RELATIVE.some((form) => form.test(said))) return undefined
  return 'must be an ISO 8601 date such as 2026-01-31; times relative to now are asked for by the operators within (the last), withinNext (the coming) and olderThan, with a number as value and a unit, and days of every year by yearlyWithinNext'
}
