import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { EngineError } from '../../errors.ts'
import { asProjectId, type ProjectId } from '../../values/project-id.ts'
import { firstIdOf, readToken, signToken } from './link-token.ts'

/** Settings for the links in mails. All but the secret may change while it runs. */
export interface LinkSettings {
  /** The public address of this service, without a slash at the end; absent: mails have no links of ours. */
  readonly publicUrl?: string | undefined
  /** Why marketing mail of a project is refused: its links would not work for recipients. */
  refusalFor?(projectId: ProjectId): string | undefined
  readonly secret: Buffer
}
export const LinkSettings = Symbol('LinkSettings')

/**
 * A contact whose pages a link opens; `emailId` is the mail that contains the link, and `topicId` that mail's topic, which
 * the link unsubscribes from.
 */
export interface ContactLink {
  readonly projectId: ProjectId
  readonly contactId: string
  readonly emailId?: string
  /** Only beside `emailId`. */
  readonly topicId?: string | undefined
}

export interface ContactUrls {
  readonly unsubscribeUrl: string
  readonly subscribeUrl: string
  readonly manageUrl: string
}

/** The addresses of a mail's pixel and clicks; `click` is followed by a slash and the number of the link. */
export interface MailUrls {
  readonly pixel: string
  readonly click: string
}

/** The mail that a pixel or a click names. */
export interface MailLink {
  readonly projectId: ProjectId
  readonly emailId: string
}

/** The page by which a mailbox agrees to get the mail of an inbox. */
export interface ForwardLink {
  readonly projectId: ProjectId
  readonly inboxId: string
  /** The id of the asking. */
  readonly token: string
}

/** For how many base addresses `Links` are cached: making them takes longer than signing one link. */
const MAX_BASES = 1000

/** Makes and reads the signed links that lead from mails back to this service. */
export class Links {
  readonly #settings: LinkSettings
  readonly #elsewhere = new Map<string, Links>()
  readonly #secret: KeyObject

  constructor(settings: LinkSettings) {
    this.#settings = settings
    this.#secret = createSecretKey(settings.secret)
  }

  get #publicUrl(): string | undefined {
    return this.#settings.publicUrl
  }

  /** A key for another purpose, made from the secret of the links. */
  keyFor(purpose: string, salt: string): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', this.#secret, salt, purpose, 32))
  }

  /** The same links with another base address; without one these. */
  at(publicUrl: string | undefined): Links {
    if (publicUrl === undefined || publicUrl === this.#publicUrl) return this
    const known = this.#elsewhere.get(publicUrl)
    if (known) return known
    if (this.#elsewhere.size >= MAX_BASES) this.#elsewhere.clear()
    const links = new Links({ publicUrl, secret: this.#settings.secret })
    this.#elsewhere.set(publicUrl, links)
    return links
  }

  /** False when this service has no public address: then mails are not tracked and have no pages to link to. */
  get isPublic(): boolean {
    return this.#publicUrl !== undefined
  }

  /** Throws EngineError `CONFLICT` when the project's marketing mail would have links that do not work. */
  requireReachable(projectId: ProjectId): void {
    const refusal = this.#settings.refusalFor?.(projectId)
    if (refusal === undefined) return
    throw new EngineError('CONFLICT', `Marketing mail cannot be sent: recipients could not unsubscribe. ${refusal}`)
  }

  /** The contact's pages; undefined without a public address. */
  ofContact({ projectId, contactId, emailId, topicId }: ContactLink): ContactUrls | undefined {
    const publicUrl = this.#publicUrl
    if (publicUrl === undefined) return undefined
    const token = signToken(this.#secret, 'contact', [
      projectId,
      contactId,
      ...(emailId === undefined ? [] : [emailId]),
      ...(emailId === undefined || topicId === undefined ? [] : [topicId]),
    ])
    return {
      unsubscribeUrl: `${publicUrl}/unsubscribe/${token}`,
      subscribeUrl: `${publicUrl}/subscribe/${token}`,
      manageUrl: `${publicUrl}/manage/${token}`,
    }
  }

  /** Reads the token of a contact's pages; undefined when it is not ours. */
  readContact(token: string): ContactLink | undefined {
    const [project, contactId, emailId, topicId, more] = readToken(this.#secret, 'contact', token) ?? []
    const projectId = asProjectId(project ?? '')
    if (projectId === undefined || contactId === undefined || more !== undefined) return undefined
    return { projectId, contactId, ...(emailId === undefined ? {} : { emailId, topicId }) }
  }

  /** The project that a token of a mail names; the signature is not checked, so it gives no right. */
  projectNamed(token: string): ProjectId | undefined {
    return asProjectId(firstIdOf(token) ?? '')
  }

  /** The addresses of the mail's pixel and clicks; undefined without a public address. */
  ofMail({ projectId, emailId }: MailLink): MailUrls | undefined {
    const publicUrl = this.#publicUrl
    if (publicUrl === undefined) return undefined
    const token = signToken(this.#secret, 'mail', [projectId, emailId])
    return { pixel: `${publicUrl}/t/o/${token}`, click: `${publicUrl}/t/c/${token}` }
  }

  /** The address of a mail's attachment, by its place; without a public address, its path. */
  ofAttachment({ projectId, emailId }: MailLink, place: number): string {
    return `${this.#publicUrl ?? ''}/attachments/${signToken(this.#secret, 'attachment', [projectId, emailId])}/${place}`
  }

  /** Reads the token of an attachment's address; undefined when it is not ours. */
  readAttachment(token: string): MailLink | undefined {
    return mailOf(readToken(this.#secret, 'attachment', token))
  }

  /** The page by which a mailbox agrees to get the mail of an inbox; undefined without a public address. */
  ofForward({ projectId, inboxId, token }: ForwardLink): string | undefined {
    if (this.#publicUrl === undefined) return undefined
    return `${this.#publicUrl}/forward/${signToken(this.#secret, 'forward', [projectId, inboxId, token])}`
  }

  /** Reads the token of such an address; undefined when it is not ours. */
  readForward(given: string): ForwardLink | undefined {
    const [project, inboxId, token, more] = readToken(this.#secret, 'forward', given) ?? []
    const projectId = asProjectId(project ?? '')
    if (projectId === undefined || inboxId === undefined || token === undefined || more !== undefined) return undefined
    return { projectId, inboxId, token }
  }

  /** Where the recipient of the mail reads it in a browser; undefined without a public address. */
  ofView({ projectId, emailId }: MailLink): string | undefined {
    if (this.#publicUrl === undefined) return undefined
    return `${this.#publicUrl}/view/${signToken(this.#secret, 'view', [projectId, emailId])}`
  }

  /** Reads the token of such an address; undefined when it is not ours. */
  readView(token: string): MailLink | undefined {
    return mailOf(readToken(this.#secret, 'view', token))
  }

  /** The address of a page about an account, with a token that works once; undefined without a public address. */
  ofAccount(page: string, tokenId: string): string | undefined {
    if (this.#publicUrl === undefined) return undefined
    return `${this.#publicUrl}/auth/${page}/${signToken(this.#secret, 'account', [tokenId])}`
  }

  /** Reads the token of a page about an account: its id; undefined when it is not ours. */
  readAccount(token: string): string | undefined {
    const [tokenId, more] = readToken(this.#secret, 'account', token) ?? []
    return more === undefined ? tokenId : undefined
  }

  /**
   * The address of an invitation's page for the inviter to pass on. It proves no mailbox, other than the one in the
   * mail. Undefined without a public address.
   */
  ofInvitation(tokenId: string): string | undefined {
    if (this.#publicUrl === undefined) return undefined
    return `${this.#publicUrl}/auth/accept-invite/${signToken(this.#secret, 'invitation', [tokenId])}`
  }

  /** Reads the token of such an address: the id of the invitation; undefined when it is not ours. */
  readInvitation(token: string): string | undefined {
    const [tokenId, more] = readToken(this.#secret, 'invitation', token) ?? []
    return more === undefined ? tokenId : undefined
  }

  /** Reads the token of a pixel or a click; undefined when it is not ours. */
  readMail(token: string): MailLink | undefined {
    return mailOf(readToken(this.#secret, 'mail', token))
  }
}

function mailOf([project, emailId, more]: readonly string[] = []): MailLink | undefined {
  const projectId = asProjectId(project ?? '')
  if (projectId === undefined || emailId === undefined || more !== undefined) return undefined
  return { projectId, emailId }
}
