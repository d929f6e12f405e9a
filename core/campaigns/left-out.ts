import type { AudienceMember } from '../ports/store/campaign-mails.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { StartReason } from '../ports/store/left-out.ts'

/** Why a contact of the audience gets no mail, named as in the statistics. */
export function leftOut({ subscribed, suppressed, paused, withoutTopic }: AudienceMember): StartReason | undefined {
  if (suppressed !== undefined) return 'suppressed'
  if (!subscribed) return 'unsubscribed'
  if (paused) return 'paused'
  return withoutTopic ? 'topic' : undefined
}

/** The topic to ask an audience about; nothing for a campaign without one. */
export function underTopic({ topicId }: Campaign): { readonly topicId?: string } {
  return topicId === undefined ? {} : { topicId }
}
