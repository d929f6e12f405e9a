import { inject, injectable } from '../di.ts'
import type { Email } from '../ports/store/emails.ts'
import { type EngineValues, Values } from '../settings/engine-values.ts'
import { CampaignWatch } from './campaign-watch.ts'

/**
 * How long mails live. A mail that waits is due again at the latest when its lifetime ends, so that whoever claims it
 * then sees that it has; nothing else has to look for those that end.
 */
@injectable()
export class Lifetime {
  readonly #milliseconds: number

  constructor(
    @inject(Values) values: EngineValues,
    @inject(CampaignWatch) private readonly campaigns: CampaignWatch,
  ) {
    this.#milliseconds = values.delivery.expireAfter * 1000
  }

  /** When a mail ends that falls due first at this moment and says nothing else. */
  endFrom(firstDue: Date): Date {
    return new Date(firstDue.getTime() + this.#milliseconds)
  }

  /** When the mail ends. The time during which a campaign was held counts for none of its mails. */
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

/** The earlier of two moments. */
export function earlier(one: Date, other: Date): Date {
  return one < other ? one : other
}
