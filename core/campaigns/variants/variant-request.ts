import * as v from 'valibot'
import { EventName } from '../../events/event.ts'
import { Design } from '../../mail/design.ts'
import { WrittenSource } from '../../mail/formats/source.ts'
import { TEST_METRICS, VARIANTS } from '../../ports/store/campaigns.ts'
import { headerText } from '../../values/header-text.ts'
import type { InputOf } from '../../values/input.ts'
import { MailboxText } from '../../values/mailbox.ts'

/** How many percent of the audience may get nothing. */
const MAX_HOLD_OUT = 50
/** The longest test, in hours: two weeks. */
const MAX_HOURS = 336

/** Another variant: what it has instead of the campaign's. */
export const WriteVariant = v.object({
  /** Its name, B to E, as answers have it. It follows from the place in the list. */
  variant: v.optional(v.picklist(VARIANTS)),
  /** Another subject. */
  subject: v.nullish(headerText(1, 998)),
  /** Another preheader; null: none. */
  preheader: v.nullish(headerText(1, 255)),
  /** Another layout around the body; null: none. */
  layoutId: v.nullish(v.string()),
  /** Another HTML. */
  body: v.nullish(v.pipe(v.string(), v.minLength(1))),
  /** The other HTML as it was written in another format, of which it is made. */
  source: v.nullish(WrittenSource),
  /** The visual editor's document that the other HTML was made from. */
  design: v.nullish(Design),
  /** Another sender: an address or `Ada <ada@example.com>`. */
  from: v.nullish(MailboxText),
  /** Another name of the sender; null: none. */
  fromName: v.nullish(headerText(0, 255)),
})
export type WriteVariant = v.InferOutput<typeof WriteVariant>

const Percent = (least: number, most: number) => v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most))

/** How the variants are tested. */
export const WriteVariantTest = v.object({
  /** How many percent take part, of those who get anything: 1 to 100, by default 20. With 100 there is no winner. */
  share: v.optional(Percent(1, 100), 20),
  /** How many percent of the audience get nothing, to compare the others with: 0 to 50, by default 0. */
  holdOut: v.optional(Percent(0, MAX_HOLD_OUT), 0),
  /** The figure that they are compared by: `opens`, `clicks` (by default) or an `event`. */
  metric: v.optional(v.picklist(TEST_METRICS), 'clicks'),
  /** The name of the event, for the metric `event`. */
  event: v.nullish(EventName),
  /** How many hours they are compared: 1 to 336, by default 4. */
  hours: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_HOURS)), 4),
  /** Whether the figures choose the winner once the time is over (`automatic`, by default) or a person does (`manual`). */
  winner: v.optional(v.picklist(['automatic', 'manual']), 'automatic'),
  /** When the figures cannot tell: `wait` (by default) for a person, or the `best` so far wins. */
  whenUnclear: v.optional(v.picklist(['wait', 'best']), 'wait'),
})
export type WriteVariantTest = v.InferOutput<typeof WriteVariantTest>

/** The body of `POST /campaigns/{id}/winner`. */
export const ChooseWinner = v.object({
  /** The variant that everyone who is not in the test gets. */
  variant: v.picklist(VARIANTS),
})

/** The query of `POST /campaigns/{id}/preview`. */
export const PreviewQuery = v.object({
  /** The variant that is shown; without it the campaign as it is. */
  variant: v.optional(v.picklist(VARIANTS)),
})

/** The variant that wins. */
export interface ChooseWinnerInput extends InputOf<typeof ChooseWinner> {}

/** The variant, contact or place of a campaign to preview. */
export interface PreviewCampaignInput extends InputOf<typeof PreviewQuery> {}
