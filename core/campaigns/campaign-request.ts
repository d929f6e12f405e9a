import * as v from 'valibot'
import { FilterParameter } from '../filters/filter-parameter.ts'
import { Design } from '../mail/design.ts'
import { WrittenSource } from '../mail/formats/source.ts'
import { Headers } from '../mails/header-input.ts'
import { ListEmails } from '../mails/list-emails.ts'
import { AUDIENCE_TYPES, CAMPAIGN_STATUSES, TEST_PARTS, VARIANTS } from '../ports/store/campaigns.ts'
import { EMAIL_STATUSES } from '../ports/store/emails.ts'
import { TransportName } from '../projects/nameable-transports.ts'
import { EmailAddress } from '../values/email-address.ts'
import { headerText } from '../values/header-text.ts'
import { isId } from '../values/id.ts'
import { type InputOf, takes } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'
import type { Untrusted } from '../values/json.ts'
import { MailboxText } from '../values/mailbox.ts'
import { StoredReplyTo } from '../values/mailbox-list.ts'
import type { CursorInput, PageInput } from '../values/page.ts'
import { CursorQuery, PageQuery } from '../values/page.ts'
import { parse, refused, say } from '../values/parse.ts'
import { SEEN_VERSION } from '../values/record-version.ts'
import { TrueOrFalse } from '../values/true-or-false.ts'
import { instead, misnamedTimes } from '../values/unknown-keys.ts'
import { Utm } from '../values/utm.ts'
import { SendPlanInput } from './send-plan.ts'
import { WriteVariant, WriteVariantTest } from './variants/variant-request.ts'

/** How many characters a campaign's name may have. */
export const NAME_LENGTH = 255

/**
 * The body of `POST /campaigns`. The filters room reads the filter, under either of its names. `templateId` is accepted
 * because records call their `template` so.
 */
export const WriteCampaign = v.object({
  /** The name in lists. */
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(NAME_LENGTH)),
  /** A description for the editors. */
  description: v.nullish(v.pipe(v.string(), v.maxLength(10_000))),
  /** The subject, with placeholders; without it the template's. */
  subject: v.nullish(headerText(1, 998)),
  /**
   * The preview text that inboxes show after the subject, with placeholders; without it that of the template, when its
   * body is taken.
   */
  preheader: v.nullish(headerText(1, 255)),
  /** The id of the layout around the body; null removes it. Without it the template's. */
  layoutId: v.nullish(v.string()),
  /** The id or the slug of the topic it goes out under; null removes it. Without it the template's. */
  topicId: v.nullish(v.string()),
  /** The HTML, with placeholders; without it the template's. */
  body: v.nullish(v.pipe(v.string(), v.minLength(1))),
  /** The mail as it was written in another format, of which the body is made; null removes it, and so does another body. */
  source: v.nullish(WrittenSource),
  /**
   * The visual editor's document that the body was made from; null removes it, and so does another body without one.
   */
  design: v.nullish(Design),
  /** The id or the slug of a template, which fills in what is left out here. */
  template: v.nullish(v.string()),
  /** Another name of `template`. */
  templateId: v.nullish(v.string()),
  /** The sender: an address or `Ada <ada@example.com>`; without it the template's. */
  from: v.nullish(MailboxText),
  /** The sender's name, when `from` is a bare address. */
  fromName: v.nullish(headerText(0, 255)),
  /** Where replies go: an address, or up to 20 between commas or as a list. */
  replyTo: v.nullish(StoredReplyTo),
  /** Further header fields: names and texts, up to 100; null removes them. */
  headers: v.nullish(takes<Readonly<Record<string, string>>>()(Headers)),
  /** The mail server that its mails go by, and no other: the name of one that the project may name; null removes it. */
  transport: v.nullish(TransportName),
  /** Added to links, instead of the project's; `{}` adds nothing, null leaves it to the project. */
  utm: v.nullish(Utm),
  /** When its mails may go; null removes it. */
  plan: v.nullish(SendPlanInput),
  /** Its other variants, B to E; null or an empty list removes them. */
  variants: v.nullish(v.pipe(v.array(WriteVariant), v.maxLength(VARIANTS.length - 1))),
  /** How its variants are tested; null removes it. */
  test: v.nullish(WriteVariantTest),
  /** `ALL` subscribed contacts, those of a `SEGMENT`, or those a filter finds (`FILTERED`). */
  audienceType: v.picklist(AUDIENCE_TYPES),
  /** The segment, for `SEGMENT`. */
  segmentId: v.nullish(v.pipe(v.string(), v.nonEmpty(say('required', 'is required when audienceType is SEGMENT')))),
  /** The filter, for `FILTERED`. */
  audienceFilter: v.optional(FilterParameter),
  /** Another name of `audienceFilter`. */
  audienceCondition: v.optional(FilterParameter),
})
export type WriteCampaign = v.InferOutput<typeof WriteCampaign>

/**
 * The body of `PUT /campaigns/{id}`: with name, subject, body, from and audienceType it replaces the campaign, so that
 * optional fields that it leaves out are cleared. Without one of these, and with PATCH, what it leaves out stays unchanged.
 */
export const ChangeCampaign = v.object({
  ...WriteCampaign.entries,
  name: v.nullish(WriteCampaign.entries.name),
  audienceType: v.optional(WriteCampaign.entries.audienceType),
  /** Of a scheduled campaign: when it goes out instead (ISO 8601). Without it the time stays. */
  scheduledFor: v.nullish(IsoDate),
  /** Another name of `scheduledFor`, as the record has it: of the two the one that changed counts. */
  scheduledAt: v.nullish(IsoDate),
  sendAt: instead('scheduledFor'),
  send_at: instead('scheduledFor'),
  ...SEEN_VERSION,
})
export type ChangeCampaign = v.InferOutput<typeof ChangeCampaign>

/** The body of `POST /campaigns/{id}/send`. */
export const SendCampaign = v.object({
  /** When it goes out (ISO 8601); without it at once. */
  scheduledFor: v.nullish(IsoDate),
  scheduledAt: instead('scheduledFor'),
  sendAt: instead('scheduledFor'),
  send_at: instead('scheduledFor'),
})

/** Reads when a campaign goes out. Throws EngineError `VALIDATION_ERROR`, also for a time under another name. */
export function readSendCampaign(input: Untrusted, now: Date): v.InferOutput<typeof SendCampaign> {
  const read = parse(SendCampaign, input ?? {}, ({ scheduledFor }, sent) =>
    misnamedTimes(sent, { isOnlyTime: scheduledFor == null }),
  )
  if (!read.scheduledFor || read.scheduledFor > now) return read
  throw refused([{ field: 'scheduledFor', code: 'too_small', message: 'must not be in the past' }])
}

/** The decision about the bounces of a braked campaign. */
const BOUNCE_DECISIONS = ['accept', 'retry'] as const
export type BounceDecision = (typeof BOUNCE_DECISIONS)[number]

/** The body of `POST /campaigns/{id}/resume`. */
export const ResumeCampaign = v.object({
  /**
   * Needed when the campaign was paused for its bounces, without effect otherwise. `accept`: they are judged as any
   * others, so those whose address is no good are suppressed and unsubscribed; `retry`: the mails are sent again.
   */
  bounces: v.nullish(v.picklist(BOUNCE_DECISIONS)),
})

/** The body of `POST /campaigns/{id}/test`. */
export const TestCampaign = v.object({
  /** The recipient of the test. */
  email: EmailAddress,
  /** The variant that is sent; without it the campaign as it is. */
  variant: v.nullish(v.picklist(VARIANTS)),
  /** The contact whose fields fill it in; by default the contact with that address, if there is one. */
  contactId: v.nullish(v.string()),
})

/** Whom a campaign may be sent to again. */
const AGAIN_TO = ['opened', 'not-opened', 'clicked', 'not-clicked', 'failed', 'new'] as const

/** The body of `POST /campaigns/{id}/again`. */
export const SendAgain = v.object({
  /**
   * Those who opened it, received it and did not, the same for clicks, those it failed for or bounced, or those in its
   * audience who have no mail of it. Only what people did counts as opening and clicking.
   */
  to: v.picklist(AGAIN_TO),
  /** Another subject, with placeholders. */
  subject: v.nullish(headerText(1, 998)),
  /** The name in lists; without it "… (Again)". */
  name: v.nullish(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(NAME_LENGTH))),
})
export type SendAgain = v.InferOutput<typeof SendAgain>

const Folder = v.pipe(v.string(), v.trim(), v.maxLength(100))

/** The body of `PATCH /campaigns/{id}/filing`. */
export const FileCampaign = v.object({
  /** The folder it is listed in; null or nothing takes it out. */
  folder: v.nullish(Folder),
  /** A note for the team; null or an empty text removes it. */
  note: v.nullish(v.pipe(v.string(), v.trim(), v.maxLength(5000))),
  /** Whether it is put away, so that lists leave it out. */
  shelved: v.nullish(v.boolean()),
})
export type FileCampaign = v.InferOutput<typeof FileCampaign>

/** How many campaigns one request may name. */
const MANY = 500

/** The body of `POST /campaigns/bulk-delete`. */
export const ChosenCampaigns = v.object({
  /** Their ids, at most 500. */
  ids: v.pipe(v.array(v.pipe(v.string(), v.maxLength(100))), v.minLength(1), v.maxLength(MANY)),
})

/** The body of `POST /campaigns/bulk-file`. */
export const ShelveCampaigns = v.object({
  ...ChosenCampaigns.entries,
  /** Whether they are put away, so that lists leave them out. */
  shelved: FileCampaign.entries.shelved,
  /** The folder they are listed in; null or nothing takes them out. */
  folder: FileCampaign.entries.folder,
})

/** The query of `GET /campaigns`. */
export const ListCampaigns = v.object({
  ...PageQuery.entries,
  /** Only campaigns with this status. */
  status: v.optional(v.picklist(CAMPAIGN_STATUSES)),
  /** A part of the name or the subject. */
  search: v.optional(v.pipe(v.string(), v.maxLength(255))),
  /** Only campaigns in this folder; an empty one finds those in none. */
  folder: v.optional(Folder),
  /** Only campaigns that send this one again. */
  originId: v.optional(v.pipe(v.string(), v.check(isId, say('invalid_string', 'must be the id of a campaign')))),
  /** Only issues of this series. */
  seriesId: v.optional(v.pipe(v.string(), v.check(isId, say('invalid_string', 'must be the id of a series')))),
  /** Whether only those that were put away are listed, or only the others. */
  shelved: v.optional(TrueOrFalse),
})

/** The query of `GET /campaigns/{id}/recipients`. */
export const ListRecipients = v.object({
  ...CursorQuery.entries,
  /** Only mails with this status. */
  status: v.optional(v.picklist(EMAIL_STATUSES)),
  /** Only mails that were handed over. */
  sent: ListEmails.entries.sent,
  /** Only mails that were delivered and did not come back later. */
  delivered: ListEmails.entries.delivered,
  /** Only mails that were opened. */
  opened: ListEmails.entries.opened,
  /** Only mails of which a link was clicked. */
  clicked: ListEmails.entries.clicked,
  /** Only mails that bounced permanently. */
  bounced: ListEmails.entries.bounced,
  /** Only mails that were complained about. */
  complained: ListEmails.entries.complained,
  /** Only mails by whose links the recipient unsubscribed. */
  unsubscribed: ListEmails.entries.unsubscribed,
  /** Only mails that a person answered. */
  replied: ListEmails.entries.replied,
  /** Only mails of which a person clicked this link. */
  link: ListEmails.entries.link,
  /** Only mails of this part of its test: a variant, the `rest` after the test, or those `held-out`. */
  variant: v.optional(v.picklist(TEST_PARTS)),
  /** Only mails to people who met what its variants are compared by. */
  metric: v.optional(TrueOrFalse),
})

/** The figures of `skipped`, which count those who were left out. */
export const LEFT_OUT_FIGURES = [
  'unsubscribed',
  'suppressed',
  'paused',
  'topic',
  'contactRemoved',
  'cancelled',
  'capped',
  'heldOut',
  'caught',
] as const
export type LeftOutFigure = (typeof LEFT_OUT_FIGURES)[number]

/** The query of `GET /campaigns/{id}/left-out`. */
export const ListLeftOut = v.object({
  ...CursorQuery.entries,
  /** Only those behind this figure of `skipped`. */
  reason: v.optional(v.picklist(LEFT_OUT_FIGURES)),
})

/** The query of `GET /campaigns/{id}/stats`. */
export const CampaignStatsQuery = v.object({
  /** Whether openings and clicks by machines are left out. */
  excludeMachine: v.optional(TrueOrFalse, false),
})

/** The fields of a new campaign. */
export interface WriteCampaignInput extends InputOf<typeof WriteCampaign> {}

/** The fields of a campaign to change, or all of them instead of what it has; null removes an optional one. */
export interface ChangeCampaignInput extends Partial<WriteCampaignInput> {
  /** When a scheduled campaign goes out instead (ISO 8601). */
  readonly scheduledFor?: string | null
  /** Another name of `scheduledFor`. */
  readonly scheduledAt?: string | null
  /** The version that the change was made for: refused with `VERSION_CONFLICT` when it is not the current one any more. */
  readonly version?: number | null
}

/** When a campaign goes out. */
export interface SendCampaignInput extends InputOf<typeof SendCampaign> {}

/** Whom a campaign is sent to again, and with which subject. */
export interface SendAgainInput extends InputOf<typeof SendAgain> {}

/** Where a campaign is kept. */
export interface FileCampaignInput extends InputOf<typeof FileCampaign> {}

/** Several campaigns. */
export interface ChosenCampaignsInput extends InputOf<typeof ChosenCampaigns> {}

/** Where several campaigns are kept. */
export interface ShelveCampaignsInput extends InputOf<typeof ShelveCampaigns> {}

/** How a paused campaign continues. */
export interface ResumeCampaignInput extends InputOf<typeof ResumeCampaign> {}

/** The recipient of a campaign's test mail. */
export interface TestCampaignInput extends InputOf<typeof TestCampaign> {}

/** Narrows and pages a list of campaigns. */
export interface ListCampaignsInput extends PageInput, Omit<InputOf<typeof ListCampaigns>, keyof PageInput> {}

/** Narrows and pages a list of a campaign's mails. */
export interface ListRecipientsInput extends CursorInput, Omit<InputOf<typeof ListRecipients>, keyof CursorInput> {}

/** Narrows and pages a list of those whom a campaign left out. */
export interface ListLeftOutInput extends CursorInput, Omit<InputOf<typeof ListLeftOut>, keyof CursorInput> {}

/** Options of a campaign's statistics. */
export interface CampaignStatsInput extends InputOf<typeof CampaignStatsQuery> {}
