import * as v from 'valibot'

const Days = v.union(
  [v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(36_500)), v.literal(false)],
  'must be a number of days from 1 to 36500, or false to keep it',
)

/** After how many days data is deleted, for every project; what is not named is kept. */
export const RetentionSettings = v.object({
  /** Content and attachments of transactional and workflow mail, from acceptance. Fixed links stay. */
  bodies: v.optional(Days, false),
  /** Variables of any mail, from acceptance; for a campaign's, not before the campaign has ended. */
  variables: v.optional(Days, false),
  /** Events of contacts, from when they happened. */
  events: v.optional(Days, false),
  /** Event data and step results of workflow executions, from their end. */
  executions: v.optional(Days, false),
  /** Who changed what, from then. */
  audit: v.optional(Days, 365),
})
export type RetentionSettings = v.InferOutput<typeof RetentionSettings>
