import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { DELETED_RECIPIENT, type Email } from '../ports/store/emails.ts'
import type { ReachedMail } from '../ports/store/feedback.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import type { Suppression } from '../ports/store/suppressions.ts'

const DAY_MS = 24 * 3600 * 1000
/** An address is suppressed after this many temporary failures in a row … */
const IN_A_ROW = 5
/** … within this many days. A mailbox that is full for a week may be read again. */
const WITHIN_DAYS = 14
/** How many mails to one person are looked at; with more of them within the days, the newest. */
const MAX_MAILS = 200

/** A mail that failed for a temporary reason. */
export interface SoftBounce extends Pick<Email, 'id' | 'projectId' | 'contactId' | 'to'> {
  /** The last reason given. */
  readonly reason?: string | undefined
}

/**
 * Suppresses addresses whose mail fails again and again for temporary reasons: after a number of mails in a row within
 * some days.
 */
@injectable()
export class SoftBounces {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Suppresses those of these recipients that have reached the limit; call it after the bounces are committed. */
  async check(bounces: readonly SoftBounce[]): Promise<void> {
    for (const bounce of bounces) await this.store.transaction((tx) => this.checkIn(tx, bounce))
  }

  /** Does the same as `check`, inside the transaction that writes the bounce. */
  async checkIn(tx: Repositories, { id, projectId, contactId, to, reason }: SoftBounce): Promise<void> {
    if (contactId === undefined || to === DELETED_RECIPIENT) return
    const now = this.kit.now()
    const since = new Date(now.getTime() - WITHIN_DAYS * DAY_MS)
    const mails = await tx.feedback.mailsTo(projectId, contactId, since, MAX_MAILS)
    if (inARow(mails, id) < IN_A_ROW) return
    // an existing suppression has a better reason
    if ((await tx.suppressions.among(projectId, [to], now)).size > 0) return
    const detail = `${IN_A_ROW} mails in a row could not be delivered within ${WITHIN_DAYS} days${reason ? `; the last: ${reason}` : ''}`
    const entry: Suppression = { id: this.kit.newId(), projectId, email: to, reason: 'BOUNCE', detail, createdAt: now }
    await tx.suppressions.put(entry)
  }
}

/**
 * How many mails in a row up to this one failed for a temporary reason; `mails` has the newest first. A delivered mail
 * ends the row; one without a result yet, or one that failed through our own fault, is skipped. When a later one was
 * opened the row is over as well, since a person reads the mailbox.
 */
export function inARow(mails: readonly ReachedMail[], id: string): number {
  let count = 0
  for (const mail of mails) {
    const isAlive = mail.openedAt !== undefined || mail.clickedAt !== undefined
    if (mail.softBouncedAt !== undefined) {
      if (mail.id <= id) count++
    } else if (isAlive) return mail.id > id ? 0 : count
    else if (mail.id < id && mail.deliveredAt !== undefined && ARRIVED.has(mail.status)) return count
  }
  return count
}

/** The statuses of mail that was handed over and not refused later. */
const ARRIVED: ReadonlySet<string> = new Set(['DELIVERED', 'OPENED', 'CLICKED', 'COMPLAINED'])
