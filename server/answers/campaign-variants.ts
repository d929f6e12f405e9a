import * as v from 'valibot'
import { endOfTest } from '../../core/campaigns/variants/test-progress.ts'
import { type Campaign, type FanOut, TEST_METRICS, TEST_PARTS, VARIANTS } from '../../core/ports/store/campaigns.ts'
import { named } from '../../core/values/described.ts'
import { answer } from './answer.ts'
import { Count, Fields, Id, Percentage, Time } from './parts.ts'
import { SourceRecord } from './templates.ts'

const Phase = v.picklist(['testing', 'waiting', 'rest'])
const ChosenBy = v.picklist(['person', 'figures', 'best-so-far'])

/** Another variant: what it has instead of the campaign's. */
export const CampaignVariantRecord = named(
  'CampaignVariant',
  v.object({
    variant: v.picklist(VARIANTS),
    subject: v.optional(v.string()),
    preheader: v.optional(v.nullable(v.string())),
    layoutId: v.optional(v.nullable(Id)),
    body: v.optional(v.string()),
    source: v.optional(SourceRecord),
    design: v.optional(Fields),
    from: v.optional(v.string()),
    fromName: v.optional(v.nullable(v.string())),
  }),
)

/** How the variants are tested. */
export const VariantTestRecord = named(
  'VariantTest',
  v.object({
    share: v.number(),
    holdOut: v.number(),
    metric: v.picklist(TEST_METRICS),
    event: v.optional(v.string()),
    hours: v.number(),
    winner: v.picklist(['automatic', 'manual']),
    whenUnclear: v.picklist(['wait', 'best']),
  }),
)

/** The campaign's other variants with their names; undefined when it has none. */
export function namedVariants({ variants }: Campaign) {
  return variants?.map((variant, place) => ({ variant: VARIANTS[place + 1] ?? VARIANTS[0], ...variant }))
}

/** How far the test of a campaign is, once it has begun. */
export const TestProgressAnswer = answer(
  'TestProgress',
  {
    phase: Phase,
    endsAt: v.nullable(Time),
    unclear: v.boolean(),
    whole: v.boolean(),
    winner: v.nullable(v.picklist(VARIANTS)),
    chosenBy: v.nullable(ChosenBy),
    chosenAt: v.nullable(Time),
  },
  ({ campaign, phase, test }: { campaign: Campaign } & Required<Pick<FanOut, 'phase' | 'test'>>) => ({
    unclear: false,
    whole: false,
    ...test,
    phase,
    endsAt: endOfTest(campaign),
    chosenAt: test.chosenAt === undefined ? null : new Date(test.chosenAt),
  }),
)

const partResult = {
  variant: v.picklist(TEST_PARTS),
  recipients: Count,
  sent: Count,
  delivered: Count,
  toFolder: Count,
  opened: Count,
  humanOpened: Count,
  clicked: Count,
  humanClicked: Count,
  bounced: Count,
  complained: Count,
  unsubscribed: Count,
  failed: Count,
  skipped: Count,
  met: Count,
  rate: Percentage,
  low: Percentage,
  high: Percentage,
  pValue: v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
}
const TestPartResult = named('TestPartResult', v.object(partResult))

/** The answer of `GET /campaigns/{id}/variants`. */
export const VariantResults = named(
  'VariantResults',
  v.object({
    phase: v.nullable(Phase),
    metric: v.nullable(v.picklist(TEST_METRICS)),
    event: v.nullable(v.string()),
    endsAt: v.nullable(Time),
    winner: v.nullable(v.picklist(VARIANTS)),
    chosenBy: v.nullable(ChosenBy),
    best: v.nullable(v.picklist(VARIANTS)),
    isClear: v.boolean(),
    variants: v.array(
      named(
        'VariantResult',
        v.object({ ...partResult, variant: v.picklist(VARIANTS), subject: v.string(), from: v.string() }),
      ),
    ),
    rest: v.nullable(TestPartResult),
    heldOut: v.nullable(TestPartResult),
  }),
)
