import * as v from 'valibot'
import type { CountedCampaign } from '../../core/campaigns/campaign-numbers.ts'
import { reasonToWait } from '../../core/campaigns/variants/test-progress.ts'
import { WAIT_REASONS } from '../../core/campaigns/waiting.ts'
import { FilterRecord } from '../../core/filters/filter-parameter.ts'
import { AUDIENCE_TYPES, type Brake, CAMPAIGN_STATUSES, type Campaign } from '../../core/ports/store/campaigns.ts'
import { named } from '../../core/values/described.ts'
import { WEEKDAYS } from '../../core/values/open-hours.ts'
import { answer } from './answer.ts'
import { counts, countsByOldNames, countsUnderOldNames } from './campaign-figures.ts'
import { CampaignVariantRecord, namedVariants, TestProgressAnswer, VariantTestRecord } from './campaign-variants.ts'
import { Count, Fields, Id, many, Time, UtmRecord, Warnings } from './parts.ts'
import { SourceRecord } from './templates.ts'

/** The refusals that a campaign was paused for; `POST /campaigns/{id}/resume` decides about them. */
const BrakeAnswer = answer(
  'CampaignBrake',
  { refused: Count, answers: Count, reply: v.string(), decision: v.nullable(v.picklist(['accept', 'retry'])) },
  (brake: Brake, hold: Campaign['hold']) => {
    return { ...brake, decision: hold === 'accept' || hold === 'retry' ? hold : null }
  },
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
  braked: v.optional(BrakeAnswer.schema),
  from: v.string(),
  fromName: v.optional(v.string()),
  replyTo: v.optional(v.string()),
  headers: v.optional(v.record(v.string(), v.string())),
  transport: v.optional(v.string()),
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
  testing: v.optional(TestProgressAnswer.schema),
  scheduledAt: v.nullable(Time),
  scheduledFor: v.nullable(Time),
  startedAt: v.optional(Time),
  sentAt: v.optional(Time),
  publishedAt: v.optional(Time),
  ...counts,
  ...countsUnderOldNames,
  version: Count,
  createdAt: Time,
  updatedAt: Time,
}

/** The filter and the schedule are under both of their names. */
function shownCampaign({ campaign, stats, waiting }: CountedCampaign) {
  const { status, statusReason, brake, hold, headers, scheduledAt } = campaign
  const { skipped, leftOutAtStart, anonymous, problem, ...counts } = stats
  const { phase, test } = campaign.fanOut ?? {}
  return {
    ...campaign,
    type: campaign.audienceType,
    statusReason: statusReason ?? reasonToWait(campaign),
    pauseReason: status === 'PAUSED' ? statusReason : undefined,
    problem: status === 'SENT' ? statusReason : undefined,
    braked: brake && BrakeAnswer.of(brake, hold),
    headers: headers && Object.fromEntries(headers),
    attachments: campaign.attachments && [...campaign.attachments],
    plan: planAsGiven(campaign),
    planZones: campaign.fanOut?.plan?.zones,
    audienceCondition: campaign.audienceCondition ?? campaign.audienceFilter,
    variants: namedVariants(campaign),
    testing: phase && test && TestProgressAnswer.of({ campaign, phase, test }),
    scheduledAt,
    scheduledFor: scheduledAt,
    ...counts,
    ...countsByOldNames(stats),
    waiting,
  }
}

/** The plan without what the engine keeps with it. */
function planAsGiven({ plan }: Campaign) {
  if (plan === undefined) return undefined
  const { paused, days, ...rest } = plan
  return { ...rest, days: days && [...days] }
}

/** A campaign without its body. */
export const ListedCampaignAnswer = answer('ListedCampaign', listed, shownCampaign)

export const CampaignAnswer = answer(
  'Campaign',
  {
    ...listed,
    body: v.string(),
    design: v.optional(Fields),
    source: v.optional(SourceRecord),
    waiting: v.optional(CampaignWaiting),
    variants: v.optional(v.array(CampaignVariantRecord)),
  },
  shownCampaign,
)

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

export const RetriedMails = named('RetriedMails', v.object({ retried: Count }))
