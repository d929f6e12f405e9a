import type { MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { RampedRule } from '../settings/route-settings.ts'

/** A mail that the transport of a ramp took, and that may be refused since. */
export interface LateRefusal {
  readonly rule: RampedRule
  /** When the transport took it. */
  readonly takenAt: Date
}

/**
 * Counts mails that the transport of a ramp took and that are refused since. The ways of mail do it, whose room comes
 * after this one.
 */
export interface LateRefusals {
  /** Undefined for a mail that went another way. Throws what the store throws. */
  of(email: Email, content: MailContent | undefined): Promise<LateRefusal | undefined>
  /** Counts them in the transaction that stores that they are refused, so that each counts once. */
  count(tx: Pick<Repositories, 'attempts'>, refused: readonly LateRefusal[]): Promise<void>
  /** Has ramps go back of which too much is refused now. Never rejects. */
  judge(refused: readonly LateRefusal[]): Promise<void>
}
/** Answers them: only when they are asked for, since the ways of mail lead to the simulator, which reports to this room. */
export const LateRefusals = Symbol('LateRefusals')
