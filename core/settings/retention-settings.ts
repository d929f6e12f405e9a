import * as v from 'valibot'

const Days = v.union(
  [v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(36_500)), v.literal(false)],
  'must be a number of days from 1 to 36500, or false to keep it',
)

/** After how many days what is removed for good; what is not named is kept. All count for every project. */
export const RetentionSettings = v.object({
  /** What transactional and workflow mail said, and its attachments: from the mail's acceptance. Fixed links stay. */
  bodies: v.optional(Days, false),
  /** What any mail was filled in with: from its acceptance; for a campaign's, not before the campaign is done. */
  variables: v.optional(Days, false),
  /** The same for mails of campaigns: from the end of the campaign. */
  campaignVariables: v.optional(Days, 30),
  /** Events. */
  events: v.optional(Days, false),
  /** What executions of workflows were told and their steps answered: from their end. */
  executions: v.optional(Days, false),
})
export type RetentionSettings = v.InferOutput<typeof RetentionSettings>
