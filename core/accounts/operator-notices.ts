import type { Transports } from '../delivery/transports.ts'
import type { Kit } from '../kit.ts'
import type { Store } from '../ports/store/store.ts'
import type { User } from '../ports/store/users.ts'
import type { AccountMails } from './account-mails.ts'
import { dashboardLink } from './dashboard-link.ts'
import type { Members } from './members.ts'

/** For how long it is remembered that a mail went out, in milliseconds: longer than any ramp. */
const REMEMBERED_MS = 3_650 * 86_400_000

/** Mails those who run the server about ramps of rules that went back. */
export class OperatorNotices {
  constructor(
    private readonly store: Store,
    private readonly mails: AccountMails,
    private readonly members: Pick<Members, 'isOperator'>,
    private readonly transports: Pick<Transports, 'rampsGoneBack'>,
    private readonly kit: Kit,
  ) {}

  /** Now and then: reports each ramp that went back once, whichever process saw it. */
  async tick(signal: AbortSignal): Promise<void> {
    for (const { key, rule, transport, sent, refused, backAt } of await this.transports.rampsGoneBack()) {
      if (signal.aborted) return
      const [now, sender] = [this.kit.now(), await this.mails.sender()]
      const to = await this.#operators()
      const link = dashboardLink(this.kit.settings, 'operator/routes')
      const isMailed = await this.store.transaction(async (tx) => {
        const isFirst = await tx.attempts.take(key, now, new Date(now.getTime() + REMEMBERED_MS), 1, 1)
        // without such a person or a sender, the dashboard and the log are all that tells of it
        if (isFirst === 0 || sender.problem !== undefined || to.length === 0) return false
        const values = () => ({ rule, transport, sent: `${sent}`, refused: `${refused}`, backAt: `${backAt}` })
        await this.mails.addNotice(tx, sender, { to, project: sender.project, letter: 'wentBack', values, link })
        return true
      })
      if (isMailed) this.mails.ring()
    }
  }

  /** Those who run the server. */
  async #operators(): Promise<readonly User[]> {
    const trusted = await this.store.users.trusted()
    const areOperators = await Promise.all(trusted.map((user) => this.members.isOperator(user)))
    return trusted.filter((_user, i) => areOperators[i])
  }
}
