import type { Campaign } from '../ports/store/campaigns.ts'
import { definedOnly } from '../values/defined-only.ts'
import { refused } from '../values/parse.ts'
import type { ChangeCampaign } from './campaign-request.ts'

/** The fields of a campaign that a request sets; the engine sets the rest. */
export type CampaignFields = Pick<
  Campaign,
  | 'name'
  | 'description'
  | 'subject'
  | 'preheader'
  | 'body'
  | 'design'
  | 'layoutId'
  | 'topicId'
  | 'source'
  | 'from'
  | 'fromName'
  | 'replyTo'
  | 'headers'
  | 'utm'
  | 'templateId'
  | 'transport'
  | 'plan'
  | 'audienceType'
  | 'segmentId'
  | 'audienceFilter'
  | 'audienceCondition'
  | 'variants'
  | 'test'
>

/** These, the new time of a scheduled campaign, and its next version. */
export type ChangedFields = CampaignFields & Pick<Campaign, 'scheduledAt' | 'version'>

/** A draft or a scheduled campaign with other fields; what no request sets stays. */
export function withFields(held: Campaign, fields: ChangedFields, now: Date): Campaign {
  const { id, projectId, status, createdAt, scheduledAt, attachments } = held
  const { originId, seriesId, folder, note, shelvedAt, publishedAt } = held
  const kept = { scheduledAt, attachments, originId, seriesId, folder, note, shelvedAt, publishedAt }
  return { id, projectId, status, createdAt, ...definedOnly(kept), ...fields, updatedAt: now }
}

/**
 * The new time of a scheduled campaign, for `scheduledFor` or `scheduledAt` as a change gives them; nothing when it stays. A
 * record that was read before may be sent back as it is, with one of the two changed. Throws EngineError
 * `VALIDATION_ERROR`.
 */
export function rescheduled(
  { status, scheduledAt }: Pick<Campaign, 'status' | 'scheduledAt'>,
  given: Pick<ChangeCampaign, 'scheduledFor' | 'scheduledAt'>,
  now: Date,
): { readonly scheduledAt?: Date } {
  const [scheduledFor, other] = [given.scheduledFor, given.scheduledAt].filter(
    (time) => time !== undefined && time?.getTime() !== scheduledAt?.getTime(),
  )
  if (scheduledFor === undefined) return {}
  if (other !== undefined && other?.getTime() !== scheduledFor?.getTime())
    throw refused([{ field: 'scheduledAt', code: 'custom', message: 'means scheduledFor, which has another value' }])
  const problem = (message: string) => refused([{ field: 'scheduledFor', code: 'custom', message }])
  if (status !== 'SCHEDULED') {
    if (scheduledFor === null) return {}
    throw problem('is for a campaign that is SCHEDULED: POST /campaigns/{id}/send with it schedules this one')
  }
  if (scheduledFor === null) throw problem('must be a time: POST /campaigns/{id}/cancel ends a scheduled campaign')
  if (scheduledFor > now) return { scheduledAt: scheduledFor }
  throw refused([{ field: 'scheduledFor', code: 'too_small', message: 'must not be in the past' }])
}
