import type { ProjectId } from '../../values/project-id.ts'

/**
 * Facts about a mail that count for its two domains. `sent`: a server accepted or permanently refused it. `delivered`:
 * accepted. `deferred`: the recipient's side put off a try. `bounced`: permanently refused. `complained`: marked as
 * spam.
 */
export const COUNTED = ['sent', 'delivered', 'deferred', 'bounced', 'complained'] as const
export type CountedFact = (typeof COUNTED)[number]

/** The counts that a try or a report adds to the figures of its mail's two domains. */
export interface Counted {
  readonly projectId: ProjectId
  readonly at: Date
  /** The domain of `From`, as in addresses. */
  readonly sendingDomain: string
  /** Empty when it says nothing about the recipient's domain. */
  readonly recipientDomain: string
  readonly facts: readonly CountedFact[]
  readonly refusal?: { readonly code: string; readonly text: string }
}

export type DomainSide = 'recipientDomain' | 'sendingDomain'

export type Figures = Readonly<Record<CountedFact, number>>

/** The figures of mail to, or from, one domain. */
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

/** How well the mail of projects arrives, by day (UTC) and by the domains of sender and recipient. */
export interface ReputationRepository {
  /** Adds to the figures. Of several refusals with one code between two domains, the newest is kept. */
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
  /** The figures of mail from one domain to these, by day (`YYYY-MM-DD`, UTC) since then, oldest first. */
  between(
    projectId: ProjectId,
    from: string,
    to: readonly string[],
    since: Date,
  ): Promise<readonly (Figures & { readonly day: string })[]>
  /** The figures since that day of all projects' sending domains with at least `least` mails. */
  senders(since: Date, least: number): Promise<readonly SenderFigures[]>
  /** Deletes figures and refusals from before that day; up to `limit` rows of each, answers how many. */
  forget(before: Date, limit: number): Promise<number>
}
