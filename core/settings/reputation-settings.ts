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

function limits(warn: number, stop: number) {
  const Limits = v.pipe(
    v.object({
      /** From this percentage on, the operator is warned; false: never. */
      warn: v.optional(Limit, warn),
      /** From this percentage on, marketing mail of the domain is stopped; false: never. */
      stop: v.optional(Limit, stop),
    }),
    v.check(
      (given) => given.warn === false || given.stop === false || given.warn <= given.stop,
      'has a warn above its stop, so there would be no warning',
    ),
  )
  return v.optional(Limits, {})
}

/** The rates at which operators are warned, and marketing mail of a sending domain is stopped. */
export const ReputationSettings = v.object({
  /** Permanent bounces, in percent of all mail that was accepted or refused. */
  bounceRate: limits(5, 10),
  /** Complaints, in percent of the same. */
  complaintRate: limits(0.1, 0.3),
})
export type ReputationSettings = v.InferOutput<typeof ReputationSettings>
