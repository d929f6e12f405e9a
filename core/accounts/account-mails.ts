import { randomUUID } from 'node:crypto'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import { contentId, contentMarks, literalSender } from '../mail/content.ts'
import { ACCOUNT_TAG, newEmail } from '../mail/email.ts'
import { type Letter, letterHtml, letterText } from '../mail/letter.ts'
import type { Links } from '../mail/links/links.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { UserToken } from '../ports/store/user-tokens.ts'
import type { NamedAddress } from '../values/mailbox.ts'
import { type Doorbell, TOPICS } from '../work/doorbell.ts'
import { type AccountSender, accountSender } from './account-sender.ts'

const HOUR_MS = 3600 * 1000

/** Who invites, and what the project is called, both as they stand in a sentence. */
interface Invited {
  readonly inviter: string
  readonly project: string
}

/** The texts of each mail, and how long its link works. */
type MailedPurpose = 'verify' | 'reset' | 'invite'
const MAILS = {
  verify: {
    page: 'verify-email',
    hours: 24,
    subject: 'Confirm your e-mail address',
    request: () => 'Someone, probably you, signed up with this address. Confirm that it is yours.',
    button: 'Confirm the address',
    ignore: 'If you did not sign up, ignore this mail. The address cannot be confirmed without you.',
  },
  reset: {
    page: 'reset-password',
    hours: 1,
    subject: 'Set a new password',
    request: () => 'Someone, probably you, asked for a new password for your account. The link works for an hour.',
    button: 'Set a new password',
    ignore: 'If you did not ask for it, ignore this mail: your password will not change.',
  },
  invite: {
    page: 'accept-invite',
    hours: 7 * 24,
    subject: 'You are invited to a project',
    request: ({ inviter, project }: Invited) =>
      `${inviter} has invited you to a project called ${project}. The link works for seven days.`,
    button: 'Accept the invitation',
    ignore: 'If you do not know this person, ignore this mail. Nothing happens without you.',
  },
} as const

/** The person and project that a mail is about. */
type About = Omit<UserToken, 'id' | 'purpose' | 'expiresAt' | 'createdAt'> & { readonly email: string }

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
   * Stores a token and its mail with what caused them. Answers whether a mail will go out; call `ring` after the commit
   * then.
   */
  async add(
    tx: Repositories,
    sender: Sender,
    purpose: MailedPurpose,
    about: About,
    invited: Invited = { inviter: '', project: '' },
  ): Promise<boolean> {
    if (sender.problem !== undefined) return false
    const now = this.kit.now()
    const { page } = MAILS[purpose]
    const { id, expiresAt } = await this.addToken(tx, purpose, about)
    const content = contentOf(sender, letterOf(purpose), now)
    const email = newEmail(now, {
      id: this.kit.newId(),
      projectId: sender.project.id,
      contentId: content.id,
      to: about.email,
      sourceType: 'CAMPAIGN',
      lane: 'transactional',
      variables: { page, token: id, ...invited },
      tags: ACCOUNT_TAG,
      expiresAt,
    })
    await tx.emails.add([email], [content])
    return true
  }

  /** Stores a token without a mail: its link is passed on by other ways. */
  async addToken(tx: Repositories, purpose: MailedPurpose, about: About): Promise<UserToken> {
    const now = this.kit.now()
    const expiresAt = new Date(now.getTime() + MAILS[purpose].hours * HOUR_MS)
    // random, not an id that grows: who knew it in advance could have it signed
    const token = { id: randomUUID(), purpose, ...about, expiresAt, createdAt: now }
    await tx.userTokens.add(token)
    return token
  }

  /** Stores a mail without a token to each of these people, whose texts have placeholders for the variables. */
  async addNotice(
    tx: Repositories,
    sender: Exclude<Sender, { readonly problem: string }>,
    to: readonly string[],
    texts: Omit<Letter, 'language' | 'url'>,
    variables: Readonly<Record<string, string>>,
  ): Promise<void> {
    const now = this.kit.now()
    const content = contentOf(sender, { ...texts, language: 'en', url: '{{ link }}' }, now)
    const mails = to.map((address) =>
      newEmail(now, {
        id: this.kit.newId(),
        projectId: sender.project.id,
        contentId: content.id,
        to: address,
        sourceType: 'CAMPAIGN',
        lane: 'transactional',
        variables,
        tags: ACCOUNT_TAG,
      }),
    )
    await tx.emails.add(mails, [content])
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

function letterOf(purpose: MailedPurpose): Letter {
  const { subject, request, button, ignore } = MAILS[purpose]
  const texts = { subject, request: request({ inviter: '{{ inviter }}', project: '{{ project }}' }), button, ignore }
  return { language: 'en', ...texts, url: '{{ mailwright_account }}' }
}

/** The same for all mails of a kind. */
function contentOf({ project, from }: { project: Project; from: NamedAddress }, letter: Letter, now: Date) {
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
