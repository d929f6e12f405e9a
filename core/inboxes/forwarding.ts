import { EngineError, invalidField } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Translations } from '../mail/languages/translations.ts'
import { translationsIn } from '../mail/languages/translations-in.ts'
import { letterHtml, letterText } from '../mail/letter.ts'
import type { Links } from '../mail/links/links.ts'
import { literalHtml } from '../mail/render/printed.ts'
import type { SendInput } from '../mails/send-request.ts'
import type { Inbox } from '../ports/store/inboxes.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'

/** A link by which a mailbox agrees to get the mail of an inbox. */
export interface ForwardRequest {
  /** The project of the inbox. */
  readonly project: Project
  /** The address of the inbox. */
  readonly address: string
  /** The mailbox that agrees. */
  readonly email: string
  /** The words of its page. */
  readonly translations: Translations
}

/** The mailboxes that the mail of inboxes goes on to. Each has to agree by a link that is mailed to it. */
export class InboxForwarding {
  constructor(
    private readonly store: Store,
    private readonly links: Links,
    private readonly kit: Kit,
  ) {}

  /** The request that a link names. Undefined when it is not ours, or the inbox forwards elsewhere by now. */
  async look(token: string, languages: readonly string[] = []): Promise<ForwardRequest | undefined> {
    const named = this.links.readForward(token)
    if (named === undefined) return undefined
    const [inbox, project] = [
      await this.store.inboxes.find(named.projectId, named.inboxId),
      await this.store.projects.find(named.projectId),
    ]
    if (project === undefined || inbox?.forwardTo === undefined || inbox.forwardToken !== named.token) return undefined
    const { address, forwardTo: email } = inbox
    return { project, address, email, translations: translationsIn(...languages, project.locale) }
  }

  /** Notes that the mailbox agrees; asked again it changes nothing. Undefined as for `look`. */
  async confirm(token: string, languages: readonly string[] = []): Promise<ForwardRequest | undefined> {
    const named = this.links.readForward(token)
    if (named === undefined) return undefined
    const isDone = await this.store.transaction(async (tx) => {
      const inbox = await tx.inboxes.lock(named.projectId, named.inboxId)
      if (inbox?.forwardTo === undefined || inbox.forwardToken !== named.token) return false
      const now = this.kit.now()
      const { forwardConfirmedAt = now } = inbox
      await tx.inboxes.update({ ...inbox, forwardConfirmedAt, updatedAt: now })
      return true
    })
    return isDone ? this.look(token, languages) : undefined
  }
}

/** The inbox with what follows from another address to forward to: it has to agree first, by a link with this token. */
export function withForwarding(before: Inbox | undefined, after: Inbox, token: string): Inbox {
  const { forwardConfirmedAt: _at, forwardToken: _token, ...bare } = after
  if (after.forwardTo === undefined) return bare
  if (after.forwardTo === after.address) throw invalidField('forwardTo', 'custom', 'is the inbox itself')
  if (before?.forwardTo === after.forwardTo && before.forwardConfirmedAt !== undefined) return after
  return { ...bare, forwardToken: token }
}

/**
 * The mail that asks the mailbox, for an inbox that was just given another address to forward to. Throws EngineError
 * `CONFLICT` where this service has no public address to link to.
 */
export function confirmationOf(project: Project, inbox: Inbox, links: Links): SendInput {
  const { forwardTo: email = '', forwardToken: token = '', projectId, id: inboxId } = inbox
  const url = links.ofForward({ projectId, inboxId, token })
  if (url === undefined) {
    throw new EngineError('CONFLICT', 'Mail cannot be forwarded: the mailbox could not agree.', {
      suggestion: 'Set publicUrl (PUBLIC_URL): the address of this service, which the link in the mail leads to.',
    })
  }
  const { language, forwarding } = translationsIn(project.locale)
  const { color, font, logoUrl } = project.look ?? {}
  const look = { ...(color && { color }), ...(font && { font }), ...(logoUrl && { logoUrl }) }
  const subject = forwarding.subject(inbox.address)
  const words = { subject, button: forwarding.button, ignore: forwarding.ignore, url, look }
  const who = { address: inbox.address, sender: project.name, email }
  const shown = { address: literalHtml(who.address), sender: literalHtml(who.sender), email: literalHtml(email) }
  return {
    to: email,
    from: { email: inbox.address.replace(/^\*/, 'postmaster'), name: project.name },
    subject,
    body: letterHtml({ language, ...words, request: forwarding.request(shown) }),
    text: letterText({ ...words, request: forwarding.request(who) }),
    placeholders: false,
    tracking: false,
  }
}
