import { randomUUID } from 'node:crypto'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import { contentId, contentMarks, literalSender } from '../mail/content.ts'
import { ACCOUNT_TAG, newEmail } from '../mail/email.ts'
import { letterHtml, letterText } from '../mail/letter.ts'
import type { Links } from '../mail/links/links.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { UserToken } from '../ports/store/user-tokens.ts'
import type { User } from '../ports/store/users.ts'
import type { NamedAddress } from '../values/mailbox.ts'
import { type Doorbell, TOPICS } from '../work/doorbell.ts'
import { type AccountSender, accountSender } from './account-sender.ts'
import { type AccountLetters, type LetterWords, lettersIn } from './letters.ts'

const HOUR_MS = 3600 * 1000

/** The page of each mail's link, and how long it works. */
type MailedPurpose = 'verify' | 'reset' | 'invite'
const PAGES = {
  verify: { page: 'verify-email', hours: 24 },
  reset: { page: 'reset-password', hours: 1 },
  invite: { page: 'accept-invite', hours: 7 * 24 },
} as const

/** The person and project that a mail is about. */
type About = Omit<UserToken, 'id' | 'purpose' | 'expiresAt' | 'createdAt'> & { readonly email: string }

/** A mail to members of a project, or to those who run the server. */
export interface Notice {
  /** Whom it is for. */
  readonly to: readonly Pick<User, 'email' | 'language'>[]
  /** The project it is about; of mails to those who run the server, that which sends them. */
  readonly project: Project
  /** Whose words it has. */
  readonly letter: 'waiting' | 'paused' | 'attacked' | 'held' | 'reported' | 'wentBack'
  /** The values of its placeholders, besides the project's name. */
  values(words: AccountLetters): Readonly<Record<string, string>>
  /** Where its button leads. */
  readonly link: string
}

export type Sender = AccountSender<Project>

/** Sends mails with links about accounts, as mails of one of the projects. */
export class AccountMails {
  constructor(
    private readonly store: Store,
    private readonly links: Links,
    private readonly doorbell: Doorbell,
    private readonly kit: Kit,
  ) {}

  /** Who sends; a problem is in the log, too, so that the operator sees why people get no mail. */
  async sender(): Promise<Sender> {
    const sender = await this.#sender()
    if (sender.problem !== undefined)
      this.kit.log.warn(`no mail about accounts can be sent: ${sender.problem}`, { see: 'docs/accounts.md' })
    return sender
  }

  /** Throws EngineError `CONFLICT` when no mail can be sent. */
  async requireSender(): Promise<Exclude<Sender, { readonly problem: string }>> {
    const sender = await this.sender()
    if (sender.problem === undefined) return sender
    throw new EngineError('CONFLICT', `This server cannot send mail about accounts: ${sender.problem}.`, {
      suggestion: 'The operator of this server sets accounts.from and server.publicUrl (docs/accounts.md).',
    })
  }

  /**
   * Stores a token and its mail, in the language of these words, with what caused them; `values` are those of its
   * placeholders. Answers whether a mail will go out; call `ring` after the commit then.
   */
  async add(
    tx: Repositories,
    sender: Sender,
    purpose: MailedPurpose,
    about: About,
    words: AccountLetters,
    values: Readonly<Record<string, string>> = {},
  ): Promise<boolean> {
    if (sender.problem !== undefined) return false
    const now = this.kit.now()
    const { page } = PAGES[purpose]
    const { id, expiresAt } = await this.addToken(tx, purpose, about)
    const content = contentOf(sender, words, words[purpose], '{{ mailwright_account }}', now)
    const email = newEmail(now, {
      id: this.kit.newId(),
      projectId: sender.project.id,
      contentId: content.id,
      to: about.email,
      sourceType: 'CAMPAIGN',
      lane: 'transactional',
      variables: { ...values, page, token: id },
      tags: ACCOUNT_TAG,
      expiresAt,
    })
    await tx.emails.add([email], [content])
    return true
  }

  /** Stores a token without a mail: its link is passed on by other ways. */
  async addToken(tx: Repositories, purpose: MailedPurpose, about: About): Promise<UserToken> {
    const now = this.kit.now()
    const expiresAt = new Date(now.getTime() + PAGES[purpose].hours * HOUR_MS)
    // random, not an id that grows: who knew it in advance could have it signed
    const token = { id: randomUUID(), purpose, ...about, expiresAt, createdAt: now }
    await tx.userTokens.add(token)
    return token
  }

  /**
   * Stores a mail without a token to each of these people, each in the person's own language, else in that of the project
   * it is about; `link` is where its button leads.
   */
  async addNotice(
    tx: Repositories,
    sender: Exclude<Sender, { readonly problem: string }>,
    { to, project, letter, values, link }: Notice,
  ): Promise<void> {
    const now = this.kit.now()
    for (const [words, people] of Map.groupBy(to, ({ language }) => lettersIn(language, project.locale))) {
      const content = contentOf(sender, words, words[letter], '{{ link }}', now)
      const variables = { project: project.name, ...values(words), link }
      const mails = people.map(({ email }) =>
        newEmail(now, {
          id: this.kit.newId(),
          projectId: sender.project.id,
          contentId: content.id,
          to: email,
          sourceType: 'CAMPAIGN',
          lane: 'transactional',
          variables,
          tags: ACCOUNT_TAG,
        }),
      )
      await tx.emails.add(mails, [content])
    }
  }

  /** Has stored mail sent at once. */
  ring(): void {
    this.kit.metrics.accepted('transactional', 1)
    this.doorbell.ring(TOPICS.mail, { lane: 'transactional' })
  }

  async #sender(): Promise<Sender> {
    return accountSender(await this.store.projects.list(), this.kit.settings.accounts, this.links.isPublic)
  }
}

/** The same for all mails of a kind in one language. */
function contentOf(
  { project, from }: { project: Project; from: NamedAddress },
  { language }: AccountLetters,
  texts: LetterWords,
  url: string,
  now: Date,
) {
  const letter = { language, url, ...texts }
  const written = {
    projectId: project.id,
    subject: letter.subject,
    html: letterHtml(letter),
    text: letterText(letter),
    from: literalSender({ email: from.email, name: from.name ?? project.name }),
    cc: [],
    bcc: [],
    headers: [['Auto-Submitted', 'auto-generated'] as const],
    attachments: [],
    ...contentMarks(project, false, false),
  }
  return { id: contentId(written), ...written, createdAt: now }
}
