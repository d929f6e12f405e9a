import { inject, injectable } from '../di.ts'
import { ReturnPaths } from '../feedback/verp.ts'
import { Kit } from '../kit.ts'
import { Links } from '../links/links.ts'
import type { Acceptance, InboundDesk, ReceivedMessage } from '../ports/inbound-mail.ts'
import { Store } from '../ports/store.ts'
import { isVerifiedDomain, type Project } from '../projects/project.ts'
import type { ContentAttachment } from '../sending/content.ts'
import type { Email } from '../sending/email.ts'
import { canonicalDomain, domainOf, isDomain } from '../values/email-address.ts'
import { ReadInbound } from './read-inbound.ts'

/** A domain that was added or taken away counts after so long, in milliseconds. */
const KNOWN_MS = 5_000

const ACCEPTED: Acceptance = { outcome: 'accepted' }

/** The desk where mail from the world comes in: it says whose an address is, and stores what comes. */
@injectable()
export class Inbound implements InboundDesk {
  #projects: Promise<readonly Project[]> | undefined
  #until = 0

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(ReadInbound) private readonly reading: ReadInbound,
    @inject(Links) private readonly links: Links,
    @inject(ReturnPaths) private readonly returnPaths: ReturnPaths,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * See `InboundDesk`. Every address of a verified domain is a recipient, and every return path of a mail of ours; another
   * is refused, so that nothing is relayed.
   */
  async accepts(recipient: string): Promise<Acceptance> {
    const address = canonicalRecipient(recipient)
    if (address === undefined) return refused('5.1.3', 'this is not an address mail can be sent to')
    try {
      if (await this.#returnedTo(address)) return ACCEPTED
      const own = await this.#projectsOf(address)
      if (own.length === 0) return refused('5.1.1', `no such recipient here: ${domainOf(address)} is no domain of ours`)
      if (own.every(({ disabled }) => disabled)) return refused('5.2.1', 'this recipient takes no mail at present')
      return ACCEPTED
    } catch (error) {
      this.kit.log.warn('could not find out whose a recipient is', { error })
      return { outcome: 'later', message: 'the recipient cannot be looked up at present, try again later' }
    }
  }

  /** See `InboundDesk`: one message for each project that is addressed, all in one commit. */
  async deliver({ envelope, raw, remoteAddress, helo, tls, receivedAt }: ReceivedMessage): Promise<void> {
    const recipients = new Map<Project['id'], string[]>()
    const returned: { readonly projectId: Project['id']; readonly to: readonly string[] }[] = []
    for (const given of envelope.to) {
      const address = canonicalRecipient(given)
      const mail = address === undefined ? undefined : await this.#returnedTo(address)
      if (mail && address !== undefined) {
        returned.push({ projectId: mail.projectId, to: [address] })
        continue
      }
      const own = address === undefined ? [] : await this.#projectsOf(address)
      for (const { id, disabled } of own) {
        if (disabled || address === undefined) continue
        const known = recipients.get(id)
        if (known === undefined) recipients.set(id, [address])
        else if (!known.includes(address)) known.push(address)
      }
    }
    if (recipients.size === 0 && returned.length === 0) throw new Error('none of the recipients is ours any more')
    const addressed = [...[...recipients].map(([projectId, to]) => ({ projectId, to })), ...returned]
    const messages = addressed.map(({ projectId, to }) => ({
      ...{ id: this.kit.newId(), projectId, sender: plain(envelope.from), recipients: to.map(plain), raw },
      ...{ remoteAddress: plain(remoteAddress), helo: plain(helo), tls, attempts: 0, dueAt: receivedAt, receivedAt },
    }))
    await this.store.inbound.add(messages)
    this.reading.ask()
  }

  /** The attachment an event's address names; undefined when that is none of ours, or the attachment is gone. */
  async attachment(token: string, place: string): Promise<ContentAttachment | undefined> {
    const named = this.links.readAttachment(token)
    if (named === undefined || !/^\d{1,6}$/.test(place)) return undefined
    const email = await this.store.emails.find(named.projectId, named.emailId)
    if (email?.sourceType !== 'INBOUND') return undefined
    const [content] = await this.store.emails.contents([email.contentId])
    return content?.attachments[Number(place)]
  }

  /** The mail whose return path this is. */
  async #returnedTo(address: string): Promise<Email | undefined> {
    const emailId = this.returnPaths.read(address)
    return emailId === undefined ? undefined : (await this.store.feedback.mails([emailId]))[0]
  }

  async #projectsOf(address: string): Promise<readonly Project[]> {
    const domain = domainOf(address)
    return (await this.#all()).filter((project) => isVerifiedDomain(project, domain))
  }

  #all(): Promise<readonly Project[]> {
    const now = performance.now()
    if (this.#projects === undefined || now >= this.#until) {
      this.#until = now + KNOWN_MS
      this.#projects = this.store.projects.list()
      this.#projects.catch(() => {
        this.#projects = undefined
      })
    }
    return this.#projects
  }
}

/** The address in lower case with its domain in its one form; undefined when it cannot be one. */
function canonicalRecipient(given: string): string | undefined {
  const address = given.trim().toLowerCase()
  const at = address.lastIndexOf('@')
  if (at < 1 || Buffer.byteLength(address.slice(0, at)) > 64 || /[\s\p{Cc}]/u.test(address)) return undefined
  const domain = canonicalDomain(address.slice(at + 1))
  return isDomain(domain) ? `${address.slice(0, at)}@${domain}` : undefined
}

function refused(status: string, message: string): Acceptance {
  return { outcome: 'refused', status, message }
}

/** What every store can keep as text. */
function plain(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
