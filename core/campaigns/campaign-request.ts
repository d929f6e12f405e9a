import * as v from 'valibot'
import { FilterKeys } from '../filters/filter-keys.ts'
import { AUDIENCE_TYPES, CAMPAIGN_STATUSES } from '../ports/store/campaigns.ts'
import { EMAIL_STATUSES } from '../ports/store/emails.ts'
import type { FilterInput } from '../ports/store/filters.ts'
import { EmailAddress } from '../values/email-address.ts'
import { headerText } from '../values/header-text.ts'
import { type InputOf, takes } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'
import { MailboxLine, MailboxText } from '../values/mailbox.ts'
import type { CursorInput, PageInput } from '../values/page.ts'
import { CursorQuery, PageQuery } from '../values/page.ts'
import { say } from '../values/parse.ts'
import { instead, readElsewhere } from '../values/unknown-keys.ts'

/** How many characters a campaign's name may have. */
export const NAME_LENGTH = 255

/**
 * The body of `POST /campaigns`. The filter, under either of its names, is read by the filters
 * room. `templateId` is what a record that was read before calls its `template`.
 */
export const WriteCampaign = v.object({
  /** What it is called in lists. */
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(NAME_LENGTH)),
  /** What it is for. */
  description: v.nullish(v.pipe(v.string(), v.maxLength(10_000))),
  /** The subject, with placeholders; that of the template without it. */
  subject: v.nullish(headerText(1, 998)),
  /** The HTML, with placeholders; that of the template without it. */
  body: v.nullish(v.pipe(v.string(), v.minLength(1))),
  /** The id of a template: it gives what is left out here. */
  template: v.nullish(v.string()),
  /** Another name of `template`. */
  templateId: v.nullish(v.string()),
  /** The sender: an address or `Ada <ada@example.com>`; the template's without it. */
  from: v.nullish(MailboxText),
  /** The sender's name, where `from` is a bare address. */
  fromName: v.nullish(headerText(0, 255)),
  /** Where replies go. */
  replyTo: v.nullish(MailboxLine),
  /** `ALL` subscribed contacts, those of a `SEGMENT`, or those a filter finds (`FILTERED`). */
  audienceType: v.picklist(AUDIENCE_TYPES),
  /** The segment, for `SEGMENT`. */
  segmentId: v.nullish(v.pipe(v.string(), v.nonEmpty(say('required', 'is required when audienceType is SEGMENT')))),
  /** The filter, for `FILTERED`. */
  audienceFilter: v.optional(readElsewhere(takes<FilterInput>()(v.unknown()), FilterKeys)),
  /** Another name of `audienceFilter`. */
  audienceCondition: v.optional(readElsewhere(takes<FilterInput>()(v.unknown()), FilterKeys)),
})
export type WriteCampaign = v.InferOutput<typeof WriteCampaign>

/** The body of `PUT /campaigns/{id}`: what is left out stays. */
export const ChangeCampaign = v.object({
  ...WriteCampaign.entries,
  name: v.nullish(WriteCampaign.entries.name),
  audienceType: v.optional(WriteCampaign.entries.audienceType),
})
export type ChangeCampaign = v.InferOutput<typeof ChangeCampaign>

/** The body of `POST /campaigns/{id}/send`. */
export const SendCampaign = v.object({
  /** When it goes out (ISO 8601); at once without it. */
  scheduledFor: v.nullish(IsoDate),
  scheduledAt: instead('scheduledFor'),
  sendAt: instead('scheduledFor'),
  send_at: instead('scheduledFor'),
})

/** The body of `POST /campaigns/{id}/test`. */
export const TestCampaign = v.object({
  /** Who gets the one mail. */
  email: EmailAddress,
})

/** The query of `GET /campaigns`. */
export const ListCampaigns = v.object({
  ...PageQuery.entries,
  /** Only campaigns that are so. */
  status: v.optional(v.picklist(CAMPAIGN_STATUSES)),
})

/** The query of `GET /campaigns/{id}/recipients`. */
export const ListRecipients = v.object({
  ...CursorQuery.entries,
  /** Only mails that are so. */
  status: v.optional(v.picklist(EMAIL_STATUSES)),
})

/** The query of `GET /campaigns/{id}/stats`. */
export const CampaignStatsQuery = v.object({
  /** Whether openings and clicks by machines are left out. */
  excludeMachine: v.optional(
    v.pipe(
      v.union([v.boolean(), v.picklist(['true', 'false'])], say('invalid_type', 'must be true or false')),
      v.transform((given) => String(given) === 'true'),
    ),
    false,
  ),
})

/** A campaign as it is written. */
export interface WriteCampaignInput extends InputOf<typeof WriteCampaign> {}

/** The fields of a campaign that are to change; null takes an optional one away. */
export interface ChangeCampaignInput extends Partial<WriteCampaignInput> {}

/** When a campaign goes out. */
export interface SendCampaignInput extends InputOf<typeof SendCampaign> {}

/** Who gets a mail of a campaign as a test. */
export interface TestCampaignInput extends InputOf<typeof TestCampaign> {}

/** Which campaigns are wanted. */
export interface ListCampaignsInput extends PageInput, Omit<InputOf<typeof ListCampaigns>, keyof PageInput> {}

/** Which mails of a campaign are wanted. */
export interface ListRecipientsInput extends CursorInput, Omit<InputOf<typeof ListRecipients>, keyof CursorInput> {}

/** How a campaign is counted. */
export interface CampaignStatsInput extends InputOf<typeof CampaignStatsQuery> {}
