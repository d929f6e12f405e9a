import * as v from 'valibot'

/** A percentage of the mail; `false` turns it off. */
const Limit = v.union(
  [
    v.pipe(
      v.number(),
      v.check((given) => given > 0 && given <= 100),
    ),
    v.literal(false),
  ],
  'must be a percentage above 0 and up to 100, or false for none',
)

function limit(stop: number) {
  return v.optional(
    v.object({
      /** From this percentage on, marketing mail of the domain is stopped; false: never. */
      stop: v.optional(Limit, stop),
    }),
    {},
  )
}

/** The rates at which marketing mail of a sending domain is stopped. */
export const ReputationSettings = v.object({
  /** Permanent bounces, in percent of all mail that was accepted or refused. */
  bounceRate: limit(10),
  /** Complaints, in percent of the same. */
  complaintRate: limit(0.3),
})
export type ReputationSettings = v.InferOutput<typeof ReputationSettings>
