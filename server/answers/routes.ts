import * as v from 'valibot'
import { MAIL_CLASSES, RECEIVER_NAMES } from '../../core/settings/route-settings.ts'
import { named } from '../../core/values/described.ts'
import { Count, many } from './parts.ts'

const place = { number: Count, name: v.string(), because: v.string() }

/** The way of a mail by the rules: the same for one that is stored and one that is described. */
export const EXPLAINED = {
  receiver: v.optional(v.picklist(RECEIVER_NAMES)),
  rule: v.optional(v.object({ ...place, fits: many(v.object({ key: v.string(), value: v.string() })) })),
  shares: v.optional(v.record(v.string(), v.number())),
  ramp: v.optional(
    v.object({
      transport: v.string(),
      share: v.number(),
      isBack: v.boolean(),
      from: v.string(),
      add: v.number(),
      backAt: v.number(),
    }),
  ),
  named: v.optional(v.object({ transport: v.string(), counts: v.boolean() })),
}

/** A rule that a mail does not fit. */
export const NotFitting = v.object({
  ...place,
  key: v.string(),
  value: v.optional(v.string()),
  wanted: many(v.string()),
  wantedMore: Count,
})

/** The answer of `POST /users/@me/operator/routes/explain`. */
export const RouteExplained = named(
  'RouteExplained',
  v.object({
    ...EXPLAINED,
    transports: many(v.string()),
    notFitting: many(NotFitting),
    more: Count,
    toSimulator: v.optional(v.boolean()),
    toOwn: v.optional(v.boolean()),
  }),
)

const texts = v.optional(many(v.string()))
const values = v.optional(v.record(v.string(), v.string()))

const Rule = named(
  'RouteRule',
  v.object({
    name: v.optional(v.string()),
    when: v.object({
      class: v.optional(many(v.picklist(MAIL_CLASSES))),
      project: texts,
      senderDomain: texts,
      recipientDomain: texts,
      receiver: v.optional(many(v.picklist(RECEIVER_NAMES))),
      template: texts,
      tag: values,
      header: values,
    }),
    to: v.union([v.string(), v.record(v.string(), v.number())]),
    ramp: v.optional(
      v.object({
        to: v.string(),
        from: v.string(),
        start: v.number(),
        add: v.number(),
        backAt: v.number(),
      }),
    ),
    fallback: texts,
    whenFull: v.optional(v.picklist(['wait', 'fallback'])),
  }),
)

const MayName = v.record(v.string(), v.union([v.literal(true), many(v.string())]))

/** The rules of routing: those of the configuration, and those that were set. */
export const RouteRules = named(
  'RouteRules',
  v.object({
    version: Count,
    rules: many(Rule),
    given: many(Rule),
    givenMore: Count,
    problems: many(v.object({ field: v.string(), message: v.string() })),
    transports: many(v.string()),
    mayName: MayName,
    givenMayName: MayName,
    setBy: v.optional(v.string()),
  }),
)
