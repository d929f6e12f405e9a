import * as v from 'valibot'
import { FilterKeys } from '../filters/filter-keys.ts'
import { EMAIL_STATUSES } from '../sending/email.ts'
import { EmailAddress } from '../values/email-address.ts'
import { headerText } from '../values/header-text.ts'
import { IsoDate } from '../values/iso-date.ts'
import { MailboxLine, MailboxText } from '../values/mailbox.ts'
import { CursorQuery, PageQuery } from '../values/page.ts'
import { say } from '../values/parse.ts'
import { instead, readElsewhere } from '../values/unknown-keys.ts'
import { AUDIENCE_TYPES, CAMPAIGN_STATUSES } from './campaign.ts'

/** How many characters a campaign's name may have. */
export const NAME_LENGTH = 255

/**
 * The body of `POST /campaigns`. The filter, under either of its names, is read by the filters
 * room. `templateId` is what a record that was read before calls its `template`.
 */
export const WriteCampaign = v.object({
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(NAME_LENGTH)),
  description: v.nullish(v.pipe(v.string(), v.maxLength(10_000))),
  subject: v.nullish(headerText(1, 998)),
  body: v.nullish(v.pipe(v.string(), v.minLength(1))),
  template: v.nullish(v.string()),
  templateId: v.nullish(v.string()),
  from: v.nullish(MailboxText),
  fromName: v.nullish(headerText(0, 255)),
  replyTo: v.nullish(MailboxLine),
  audienceType: v.picklist(AUDIENCE_TYPES),
  segmentId: v.nullish(v.pipe(v.string(), v.nonEmpty(say('required', 'is required when audienceType is SEGMENT')))),
  audienceFilter: v.optional(readElsewhere(v.unknown(), FilterKeys)),
  audienceCondition: v.optional(readElsewhere(v.unknown(), FilterKeys)),
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
  scheduledFor: v.nullish(IsoDate),
  scheduledAt: instead('scheduledFor'),
  sendAt: instead('scheduledFor'),
  send_at: instead('scheduledFor'),
})

/** The body of `POST /campaigns/{id}/test`. */
export const TestCampaign = v.object({ email: EmailAddress })

/** The query of `GET /campaigns`. */
export const ListCampaigns = v.object({ ...PageQuery.entries, status: v.optional(v.picklist(CAMPAIGN_STATUSES)) })

/** The query of `GET /campaigns/{id}/recipients`. */
export const ListRecipients = v.object({ ...CursorQuery.entries, status: v.optional(v.picklist(EMAIL_STATUSES)) })

/** The query of `GET /campaigns/{id}/stats`. */
export const CampaignStatsQuery = v.object({
  excludeMachine: v.optional(
    v.pipe(
      v.union([v.boolean(), v.picklist(['true', 'false'])], say('invalid_type', 'must be true or false')),
      v.transform((given) => String(given) === 'true'),
    ),
    false,
  ),
})
