import type { ProjectId } from '../../values/project-id.ts'

/**
 * What is counted of a mail for its two domains. `sent`: somebody's server took or refused it for good; `delivered`: it was
 * taken; `deferred`: a try was put off by the recipient's side; `bounced`: for good; `complained`: somebody called it spam.
 */
export const COUNTED = ['sent', 'delivered', 'deferred', 'bounced', 'complained'] as const
export type CountedFact = (typeof COUNTED)[number]

/** What a try or a report adds to the figures of the two domains of its mail. */
export interface Counted {
  readonly projectId: ProjectId
  readonly at: Date
  /** The domain of `From`, as addresses have it. */
  readonly sendingDomain: string
  /** Empty: it says nothing about the recipient's domain. */
  readonly recipientDomain: string
  readonly facts: readonly CountedFact[]
  readonly refusal?: { readonly code: string; readonly text: string }
}

export type DomainSide = 'recipientDomain' | 'sendingDomain'

export type Figures = Readonly<Record<CountedFact, number>>

/** What became of the mail to, or from, one domain. */
export interface DomainFigures extends Figures {
  readonly domain: string
}

export interface SenderFigures extends DomainFigures {
  readonly projectId: ProjectId
}

export interface DomainRefusal {
  readonly domain: string
  readonly at: Date
  readonly code: string
  readonly text: string
}

/** How well the mail of projects arrives, by day and by the domains it is from and to; days are those of UTC. */
export interface ReputationRepository {
  /** Adds these to the figures; of several refusals with one code between two domains the newest is kept. */
  add(counted: readonly Counted[]): Promise<void>
  /** The figures since that day of the domains with the most mail, most first, then by name; at most `limit`. */
  figures(projectId: ProjectId, by: DomainSide, since: Date, limit: number): Promise<readonly DomainFigures[]>
  /** The newest refusals of each of these domains since then, newest first, at most `each`. */
  refusals(
    projectId: ProjectId,
    by: DomainSide,
    domains: readonly string[],
    since: Date,
    each: number,
  ): Promise<readonly DomainRefusal[]>
  /** The figures of mail from one domain since that day. */
  sender(projectId: ProjectId, domain: string, since: Date): Promise<Figures>
  /** The figures of all sending domains of all projects since that day that have at least `least` mails. */
  senders(since: Date, least: number): Promise<readonly SenderFigures[]>
  /** Forgets what was counted before that day, and refusals before it; up to `limit` rows of each, answers how many. */
  forget(before: Date, limit: number): Promise<number>
}
