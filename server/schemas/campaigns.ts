import * as v from 'valibot'
import { LEFT_OUT_FIGURES } from '../../core/campaigns/campaign-request.ts'
import { WAIT_REASONS } from '../../core/campaigns/waiting.ts'
import { FilterRecord } from '../../core/filters/filter-parameter.ts'
import {
  AUDIENCE_TYPES,
  CAMPAIGN_STATUSES,
  TEST_METRICS,
  TEST_PARTS,
  VARIANTS,
} from '../../core/ports/store/campaigns.ts'
import { EMAIL_STATUSES } from '../../core/ports/store/emails.ts'
import { named } from '../../core/values/described.ts'
import { WEEKDAYS } from '../../core/values/open-hours.ts'
import { Count, Fields, Id, many, Percentage, success, Time, UtmRecord, Warnings } from './parts.ts'
import { SourceRecord } from './templates.ts'

const counts = {
  totalRecipients: Count,
  queued: Count,
  sent: Count,
  delivered: Count,
  toFolder: Count,
  opened: Count,
  clicked: Count,
  bounced: Count,
  complained: Count,
  unsubscribed: Count,
  replied: Count,
  failed: Count,
}

/** The same figures under Plunk's names. */
const countsByOldNames = {
  sentCount: Count,
  deliveredCount: Count,
  openedCount: Count,
  clickedCount: Count,
  bouncedCount: Count,
  complainedCount: Count,
  unsubscribedCount: Count,
  failedCount: Count,
}

/** The refusals that a campaign was paused for; `POST /campaigns/{id}/resume` decides about them. */
const Brake = named(
  'CampaignBrake',
  v.object({
    refused: Count,
    answers: Count,
    reply: v.string(),
    decision: v.nullable(v.picklist(['accept', 'retry'])),
  }),
)

/** A file that goes with a campaign's mails. */
const CampaignAttachmentRecord = named(
  'CampaignAttachment',
  v.object({
    id: Id,
    filename: v.string(),
    contentType: v.string(),
    disposition: v.picklist(['attachment', 'inline']),
    contentId: v.optional(v.string()),
    size: Count,
  }),
)

/** When the mails of a campaign may go. */
const SendPlanRecord = named(
  'SendPlan',
  v.object({
    days: v.optional(v.array(v.picklist(WEEKDAYS))),
    from: v.optional(v.string()),
    until: v.optional(v.string()),
    timeZone: v.optional(v.string()),
    at: v.optional(v.string()),
    overHours: v.optional(Count),
    perDay: v.optional(Count),
  }),
)

/** By what the time zones of how many recipients were found. */
const PlanZones = named(
  'PlanZones',
  v.object({ contact: v.optional(Count), country: v.optional(Count), project: v.optional(Count) }),
)

/** The reason why a campaign that is being sent waits. */
const CampaignWaiting = named(
  'CampaignWaiting',
  v.object({
    nextAt: Time,
    lastAt: Time,
    reason: v.optional(v.picklist(WAIT_REASONS)),
    message: v.optional(v.string()),
  }),
)

const Phase = v.picklist(['testing', 'waiting', 'rest'])
const ChosenBy = v.picklist(['person', 'figures', 'best-so-far'])

/** Another variant: what it has instead of the campaign's. */
const CampaignVariantRecord = named(
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
const VariantTestRecord = named(
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

/** How far the test is. */
const TestProgressRecord = named(
  'TestProgress',
  v.object({
    phase: Phase,
    endsAt: v.nullable(Time),
    unclear: v.boolean(),
    whole: v.boolean(),
    winner: v.nullable(v.picklist(VARIANTS)),
    chosenBy: v.nullable(ChosenBy),
    chosenAt: v.nullable(Time),
  }),
)

const listed = {
  id: Id,
  name: v.string(),
  description: v.optional(v.string()),
  subject: v.string(),
  preheader: v.optional(v.string()),
  layoutId: v.optional(Id),
  topicId: v.optional(Id),
  type: v.picklist(AUDIENCE_TYPES),
  status: v.picklist(CAMPAIGN_STATUSES),
  statusReason: v.optional(v.string()),
  // why it is PAUSED, when no user asked for it
  pauseReason: v.optional(v.string()),
  // what went wrong, although it is SENT
  problem: v.optional(v.string()),
  braked: v.optional(Brake),
  from: v.string(),
  fromName: v.optional(v.string()),
  replyTo: v.optional(v.string()),
  headers: v.optional(v.record(v.string(), v.string())),
  attachments: v.optional(v.array(CampaignAttachmentRecord)),
  utm: v.optional(UtmRecord),
  templateId: v.optional(Id),
  plan: v.optional(SendPlanRecord),
  planZones: v.optional(PlanZones),
  audienceType: v.picklist(AUDIENCE_TYPES),
  segmentId: v.optional(Id),
  originId: v.optional(Id),
  seriesId: v.optional(Id),
  folder: v.optional(v.string()),
  note: v.optional(v.string()),
  shelvedAt: v.optional(Time),
  audienceFilter: v.optional(FilterRecord),
  // in the form it was written in
  audienceCondition: v.optional(v.union([FilterRecord, Fields])),
  test: v.optional(VariantTestRecord),
  testing: v.optional(TestProgressRecord),
  scheduledAt: v.nullable(Time),
  scheduledFor: v.nullable(Time),
  startedAt: v.optional(Time),
  sentAt: v.optional(Time),
  publishedAt: v.optional(Time),
  ...counts,
  ...countsByOldNames,
  version: Count,
  createdAt: Time,
  updatedAt: Time,
}

/** A campaign without its body. */
export const ListedCampaign = named('ListedCampaign', v.object(listed))
export const CampaignRecord = named(
  'Campaign',
  v.object({
    ...listed,
    body: v.string(),
    design: v.optional(Fields),
    source: v.optional(SourceRecord),
    waiting: v.optional(CampaignWaiting),
    variants: v.optional(v.array(CampaignVariantRecord)),
  }),
)

const figures = {
  ...counts,
  ...countsByOldNames,
  anonymous: v.object({ opened: Count, clicked: Count }),
  skipped: v.object({
    unsubscribed: Count,
    suppressed: Count,
    paused: Count,
    topic: Count,
    contactRemoved: Count,
    cancelled: Count,
    capped: Count,
    heldOut: Count,
  }),
  leftOutAtStart: Count,
  openRate: Percentage,
  clickRate: Percentage,
  bounceRate: Percentage,
  deliveryRate: Percentage,
  // what went wrong, although the campaign is SENT
  problem: v.optional(v.string()),
}

export const CampaignFigures = named('CampaignStats', v.object(figures))

/** The figures beside `success`, and under `data`. */
export const CampaignStatsAnswer = success({ ...figures, data: CampaignFigures })

export const CampaignPreview = named(
  'CampaignPreview',
  v.object({
    totalRecipients: Count,
    skipped: v.object({ unsubscribed: Count, suppressed: Count, paused: Count, topic: Count }),
    leavers: Count,
    sample: v.object({ subject: v.string(), html: v.string(), text: v.string() }),
    warnings: v.optional(Warnings),
  }),
)

/** The answer of `GET /campaigns/{id}/timeseries`. */
export const CampaignSeries = many(
  named(
    'CourseFigures',
    v.object({ date: v.string(), delivered: Count, opens: Count, clicks: Count, unsubscribes: Count }),
  ),
)

/** The answer of `GET /campaigns/{id}/links`. */
export const CampaignLinks = many(
  named('CampaignLink', v.object({ url: v.string(), clicks: Count, humanClicks: Count, people: Count })),
)

/** The answer of `GET /campaigns/folders`. */
export const CampaignFolders = many(named('CampaignFolder', v.object({ name: v.string(), count: Count })))

/** The result for several campaigns. */
export const ManyCampaigns = named(
  'ManyCampaigns',
  v.object({
    done: Count,
    left: v.array(named('CampaignLeft', v.object({ id: v.string(), code: v.string(), reason: v.string() }))),
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

export const RetriedMails = named('RetriedMails', v.object({ retried: Count }))

export const Recipient = named(
  'Recipient',
  v.object({
    id: Id,
    contactId: v.nullable(Id),
    // or "deleted", once the contact is erased
    email: v.string(),
    status: v.picklist(EMAIL_STATUSES),
    sentAt: v.optional(Time),
    toFolder: v.optional(v.boolean()),
    deliveredAt: v.optional(Time),
    openedAt: v.optional(Time),
    clickedAt: v.optional(Time),
    bouncedAt: v.optional(Time),
    unsubscribedAt: v.optional(Time),
    repliedAt: v.optional(Time),
    error: v.optional(v.string()),
    skipReason: v.optional(v.string()),
    variant: v.optional(v.picklist(TEST_PARTS)),
  }),
)

/** A contact that a campaign left out. */
export const LeftOutRecord = named(
  'LeftOut',
  v.object({
    id: Id,
    contactId: v.nullable(Id),
    // or "deleted", once the contact is erased
    email: v.string(),
    reason: v.picklist(LEFT_OUT_FIGURES),
    at: Time,
  }),
)
