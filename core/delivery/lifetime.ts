import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import type { Email } from '../ports/store/emails.ts'
import { CampaignWatch } from './campaign-watch.ts'

/**
 * How long mails live. A waiting mail is due at the latest when its lifetime ends, so that the claim then sees that it
 * has expired; no other job looks for expired mail.
 */
@injectable()
export class Lifetime {
  readonly #milliseconds: number

  constructor(
    @inject(Kit) { settings }: Pick<Kit, 'settings'>,
    @inject(CampaignWatch) private readonly campaigns: CampaignWatch,
  ) {
    this.#milliseconds = settings.delivery.expireAfter * 1000
  }

  /** When a mail without its own limit expires, given when it is first due. */
  endFrom(firstDue: Date): Date {
    return new Date(firstDue.getTime() + this.#milliseconds)
  }

  /** When the mail expires. Time during which its campaign was paused does not count. */
  end(email: Email, now: Date): Date | Promise<Date> {
    const end = email.expiresAt ?? this.endFrom(email.createdAt)
    return end > now || email.campaignId === undefined ? end : this.#withCampaign(email, email.campaignId, end)
  }

  async #withCampaign({ projectId }: Email, campaignId: string, end: Date): Promise<Date> {
    const since = await this.campaigns.sendingSince(projectId, campaignId)
    const extended = since && this.endFrom(since)
    return extended && extended > end ? extended : end
  }
}

export function earlier(one: Date, other: Date): Date {
  return one < other ? one : other
}
