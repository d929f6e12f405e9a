import { createHash } from 'node:crypto'
import type { Contact } from '../ports/store/contacts.ts'
import type { Repositories } from '../ports/store/store.ts'
import { mailboxOf } from '../values/mailbox-of.ts'

const DAY_MS = 24 * 3600 * 1000
/** How many mails a mailbox gets that does not answer, and in how many days. */
const TURNS = [
  { most: 1, days: 1 },
  { most: 3, days: 90 },
] as const

type Tx = Pick<Repositories, 'attempts'>
type Recipient = Pick<Contact, 'projectId' | 'email'>

/**
 * Counts by mailbox the mails of a project that anybody can cause by typing an address, whatever asks for them: a form, an
 * event with a public key, a choice of topics, the page to leave. Who answers one can be mailed again.
 */
export const mailboxTurns = {
  /** Counts a mail; false when it is one too many. */
  async take({ attempts }: Tx, recipient: Recipient, now: Date): Promise<boolean> {
    const taken: string[] = []
    for (const { most, days } of TURNS) {
      const key = keyOf(recipient, days)
      if ((await attempts.take(key, now, new Date(now.getTime() + days * DAY_MS), 1, most)) === 0) {
        for (const each of taken) await attempts.giveBack(each, 1)
        return false
      }
      taken.push(key)
    }
    return true
  },

  /** Takes back a mail that was counted and not stored. */
  async giveBack({ attempts }: Tx, recipient: Recipient): Promise<void> {
    for (const { days } of TURNS) await attempts.giveBack(keyOf(recipient, days), 1)
  },

  /** Forgets what was counted: the owner of the mailbox has used a link of a mail. */
  async end({ attempts }: Tx, recipient: Recipient): Promise<void> {
    for (const { days } of TURNS) await attempts.forgive(keyOf(recipient, days), true)
  },
}

/** A hash, so that no table of addresses comes about. */
function keyOf({ projectId, email }: Recipient, days: number): string {
  return createHash('sha256')
    .update(JSON.stringify(['mailbox', projectId, days, mailboxOf(email)]))
    .digest('base64url')
}
