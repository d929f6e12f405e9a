import { MAX_PARSED_BYTES } from '../bounces/parse/mime.ts'
import { inject, injectable } from '../di.ts'
import { isClaimed } from '../domains/claim.ts'
import { TestAddresses } from '../domains/test-addresses.ts'
import { Kit } from '../kit.ts'
import { namesFrom } from '../mail/dkim/domain-keys.ts'
import { isConfidential } from '../mail/email.ts'
import { readNumber } from '../mail/links/link-token.ts'
import { Links } from '../mail/links/links.ts'
import { WaysBack } from '../mail/links/ways-back.ts'
import type { Acceptance, InboundDesk, ReceivedMessage, RefusedMessage } from '../ports/inbound-mail.ts'
import type { ContentAttachment } from '../ports/store/contents.ts'
import type { DomainTest } from '../ports/store/domain-tests.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import type { Leadership } from '../ports/store/workers.ts'
import { isVerifiedDomain } from '../projects/project.ts'
import { domainsInReport } from '../reports/domains-in-report.ts'
import { isOfHost, reportedDomain } from '../reports/report-address.ts'
import { Subscriptions } from '../subscriptions/subscriptions.ts'
import { canonicalDomain, domainOf, isDomain } from '../values/email-address.ts'
import { idOf } from '../values/id.ts'
import { ReadInbound } from './read-inbound.ts'
import { ReceivingHost } from './receiving-host.ts'
import { requireReceived } from './require-received.ts'

/** How long the list of projects is used before it is read again, in milliseconds. */
const PROJECTS_CACHE_MS = 5_000

/** How long a test of a domain may take to arrive, in milliseconds. */
const TEST_TIMEOUT_MS = 3_600_000

const ACCEPTED: Acceptance = { outcome: 'accepted' }

/** The leadership when no other process uses the store. */
const ALONE: Leadership = { confirm: async () => new AbortController().signal, release: async () => {} }

/** The recipients of a message that belong to one project. */
interface Addressed {
  readonly projectId: Project['id']
  readonly to: readonly string[]
  /** The mail whose return path it was sent to, or the test whose address it was sent to. */
  readonly about?: Email['id']
}

/** The place where mail from outside comes in: it says which addresses are ours, and stores what comes. */
@injectable()
export class Inbound implements InboundDesk {
  /** The projects, and when they were read, by `performance.now()`. */
  #known: { readonly projects: readonly Project[]; readonly at: number } = {
    projects: [],
    at: Number.NEGATIVE_INFINITY,
  }
  #reading: Promise<void> | undefined

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(ReadInbound) private readonly reading: ReadInbound,
    @inject(Links) private readonly links: Links,
    @inject(WaysBack) private readonly waysBack: WaysBack,
    @inject(TestAddresses) private readonly tests: TestAddresses,
    @inject(Subscriptions) private readonly subscriptions: Subscriptions,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * See `InboundDesk`. Accepts every address of a verified domain, the postmaster of a host below one, its address for
   * reports and those of the host, the return path and the unsubscribe address of one of our mails, and the address of a test that has not arrived. Others are
   * refused, so that nothing is relayed.
   */
  async accepts(recipient: string): Promise<Acceptance> {
    const address = canonicalRecipient(recipient)
    if (address === undefined) return refused('5.1.3', 'this is not an address mail can be sent to')
    try {
      if ((await this.#unsubscribedMail(address)) || (await this.#returnedTo(address)) || (await this.#testOf(address)))
        return ACCEPTED
      if (this.waysBack.returnPaths.isOne(address)) return refused('5.1.1', this.#noReturnPath(address))
      // whose it is says the report itself
      if (isOfHost(address, this.kit.settings)) return ACCEPTED
      if (this.waysBack.unsubscribing.isOne(address) || this.tests.isOne(address))
        return refused('5.1.1', 'no such recipient here: the address is not one of ours')
      const own = (await this.#projectsOf([address])).get(address) ?? []
      if (own.length === 0) return await this.#refuseUnknown(domainOf(address))
      if (own.every(({ disabled }) => disabled)) return refused('5.2.1', 'this recipient takes no mail at present')
      return ACCEPTED
    } catch (error) {
      this.kit.log.warn('could not look up the project of a recipient', { error })
      return { outcome: 'later', message: 'the recipient cannot be looked up at present, try again later' }
    }
  }

  /**
   * See `InboundDesk`: stores one message per addressed project, all in one commit. Mail to an unsubscribe address
   * unsubscribes first, and its content is not kept. With `afterMs` it comes as much later. Throws EngineError
   * `VALIDATION_ERROR` for a message whose fields are wrong.
   */
  async deliver(
    message: ReceivedMessage,
    { afterMs = 0 }: { readonly afterMs?: number } = {},
  ): Promise<RefusedMessage | undefined> {
    try {
      requireReceived(message)
    } catch (error) {
      this.kit.log.error('a plugin has delivered a message whose fields are wrong', { error })
      throw error
    }
    const { envelope, raw, remoteAddress, helo, tls, receivedAt, fetched } = message
    const others = await this.#unsubscribeBy(envelope.to)
    if (others.length === 0 && envelope.to.length > 0) return undefined
    const addressed = await this.#addressed(others, raw)
    if (addressed.length === 0) {
      if (fetched !== undefined) {
        await this.reading.readReport(raw, envelope)
        return undefined
      }
      if (others.some((address) => isOfHost(canonicalRecipient(address) ?? '', this.kit.settings)))
        return foreignReport(domainsInReport(raw))
      throw new Error('none of the recipients is ours any more')
    }
    const dueAt = new Date(this.kit.now().getTime() + afterMs)
    // a mailbox may give any date
    const came = receivedAt < dueAt ? receivedAt : dueAt
    const messages = addressed.map(({ projectId, to, about }) => {
      const id = fetched ? idOf(receivedAt, `${fetched.key} ${projectId} ${about ?? ''}`) : this.kit.newId()
      // one message may come back for many mails: each keeps no more of it than is parsed
      const kept = about === undefined ? raw : raw.subarray(0, MAX_PARSED_BYTES)
      return {
        id,
        projectId,
        sender: plain(envelope.from),
        recipients: to.map(plain),
        raw: kept,
        remoteAddress: plain(remoteAddress),
        helo: plain(helo),
        tls,
        attempts: 0,
        dueAt,
        receivedAt: came,
      }
    })
    await this.store.inbound.add(messages)
    this.reading.ask()
    return undefined
  }

  /** See `InboundDesk`. */
  async lead(source: string): Promise<Leadership> {
    return (await this.store.workers?.lead(`inbound ${source}`)) ?? ALONE
  }

  /** The attachment that a signed token names; undefined when it is invalid, or the attachment is gone. */
  async attachment(token: string, place: string): Promise<ContentAttachment | undefined> {
    const named = this.links.readAttachment(token)
    const number = readNumber(place)
    if (named === undefined || number === undefined) return undefined
    const email = await this.store.emails.find(named.projectId, named.emailId)
    if (email === undefined || isConfidential(email)) return undefined
    const [content] = await this.store.emails.contents([email.contentId])
    // the one file of a submitted message is the message itself
    return content?.submitted ? undefined : content?.attachments[number]
  }

  /** The owners of these recipients: each project with its own, each returned mail once, whatever host is named. */
  async #addressed(given: readonly string[], raw: Uint8Array): Promise<readonly Addressed[]> {
    const recipients = new Map<Project['id'], string[]>()
    const returned = new Map<string, Addressed>()
    const own: string[] = []
    for (const address of given.flatMap((each) => canonicalRecipient(each) ?? [])) {
      const mail = await this.#returnedTo(address)
      if (mail) {
        returned.set(mail.id, { projectId: mail.projectId, to: [address], about: mail.id })
        continue
      }
      const test = await this.#testOf(address)
      if (test) {
        returned.set(test.id, { projectId: test.projectId, to: [address], about: test.id })
        continue
      }
      own.push(address)
    }
    const isReport = own.some((address) => isOfHost(address, this.kit.settings))
    const reported = isReport ? domainsInReport(raw) : []
    for (const [address, projects] of await this.#projectsOf(own, reported)) {
      for (const { id, disabled } of projects) {
        if (!disabled) recipients.set(id, [...(recipients.get(id) ?? []), address])
      }
    }
    return [...[...recipients].map(([projectId, to]) => ({ projectId, to })), ...returned.values()]
  }

  /** Refuses temporarily when a domain that lost its status may come back: a permanent refusal would lose mail. */
  async #refuseUnknown(domain: string): Promise<Acceptance> {
    const [row] = await this.store.domains.named([domain])
    if (row?.status === 'FAILED' && isClaimed(row, this.kit.now())) {
      return { outcome: 'later', message: `${domain} is not verified at present, try again later` }
    }
    if (await this.#isForBounces(domain))
      return refused('5.1.1', `no such recipient here: ${domain} takes bounces alone, at return paths that are signed`)
    return refused('5.1.1', `no such recipient here: ${domain} is not a domain of this server`)
  }

  #noReturnPath(address: string): string {
    const why =
      this.waysBack.returnPaths.read(address) === undefined
        ? 'was not signed here'
        : 'is of a mail that is not kept any more'
    return `no such recipient here: this return path ${why}`
  }

  async #isForBounces(host: string): Promise<boolean> {
    if (this.waysBack.returnPaths.isHost(host) || host === this.kit.settings.domains.returnPathHost) return true
    const domain = /^bounces\.(.*)/.exec(host)?.[1]
    return (
      domain !== undefined &&
      (await this.#projects(PROJECTS_CACHE_MS)).some((project) => isVerifiedDomain(project, domain))
    )
  }

  /** Unsubscribes by the unsubscribe addresses among the recipients; answers the other recipients. */
  async #unsubscribeBy(recipients: readonly string[]): Promise<readonly string[]> {
    const others: string[] = []
    for (const recipient of recipients) {
      const mail = await this.#unsubscribedMail(canonicalRecipient(recipient) ?? '')
      if (mail) await this.subscriptions.leave(mail)
      else others.push(recipient)
    }
    return others
  }

  /** The mail whose recipient unsubscribes by a message to this address. */
  async #unsubscribedMail(address: string): Promise<Email | undefined> {
    const emailId = this.waysBack.unsubscribing.read(address)
    return emailId === undefined ? undefined : (await this.store.feedback.mails([emailId]))[0]
  }

  /** The mail whose return path this is. */
  async #returnedTo(address: string): Promise<Email | undefined> {
    const emailId = this.waysBack.returnPaths.read(address)
    return emailId === undefined ? undefined : (await this.store.feedback.mails([emailId]))[0]
  }

  /** The test that waits at this address: for an hour, and for its own mail only. */
  async #testOf(address: string): Promise<DomainTest | undefined> {
    const id = this.tests.read(address)
    const test = id === undefined ? undefined : await this.store.domainTests.named(id)
    const isOpen =
      test?.arrival === undefined && (test?.createdAt.getTime() ?? 0) > this.kit.now().getTime() - TEST_TIMEOUT_MS
    return isOpen ? test : undefined
  }

  /**
   * For each of these addresses the projects that have its domain; for the postmaster those that have the nearest domain
   * above, too (RFC 5321, section 4.5.1). A domain counts from the moment it is verified until it is removed, whichever
   * process does that, so domains are always looked up. Projects and their trusted domains change rarely: before
   * an address is refused they are read again. `reported` are the domains that the message is a report on.
   */
  async #projectsOf(
    addresses: readonly string[],
    reported: readonly string[] = [],
  ): Promise<ReadonlyMap<string, readonly Project[]>> {
    if (addresses.length === 0) return new Map()
    const asked = performance.now()
    const { settings } = this.kit
    const hosts = (address: string) =>
      isOfHost(address, settings) ? [...reported.flatMap(namesFrom), domainOf(address)] : hostsOf(address)
    const names = new Map(addresses.map((address) => [address, hosts(address)]))
    const rows = await this.store.domains.named([...new Set([...names.values()].flat())])
    const owners = new Map(rows.flatMap((row) => (row.status === 'VERIFIED' ? [[row.domain, row.projectId]] : [])))
    const of = async (maxAge: number) => {
      const projects = await this.#projects(maxAge, asked)
      const having = (host: string) =>
        projects.filter(({ id, trustedDomains }) => trustedDomains.includes(host) || id === owners.get(host))
      const nearest = (hosts: readonly string[]) => hosts.map(having).find((own) => own.length > 0) ?? []
      return new Map([...names].map(([address, hosts]) => [address, nearest(hosts)]))
    }
    const known = await of(PROJECTS_CACHE_MS)
    const areTaken = [...known.values()].every((own) => own.some(({ disabled }) => !disabled))
    return areTaken ? known : of(0)
  }

  /** The projects, not older than this at that moment. Callers share what is read. */
  async #projects(maxAge: number, now = performance.now()): Promise<readonly Project[]> {
    while (this.#known.at < now - maxAge) {
      this.#reading ??= this.#readProjects().finally(() => {
        this.#reading = undefined
      })
      await this.#reading
    }
    return this.#known.projects
  }

  async #readProjects(): Promise<void> {
    const at = performance.now()
    this.#known = { projects: await this.store.projects.list(), at }
  }
}

/** The domain of an address; of a postmaster's those above it as well, nearest first, and of one for reports what they are about. */
function hostsOf(address: string): readonly string[] {
  const domain = domainOf(address)
  if (address.startsWith('postmaster@')) return namesFrom(domain)
  const reported = reportedDomain(address)
  return reported === undefined ? [domain] : [domain, reported]
}

/** The address in lower case with its domain in canonical form; undefined when it is invalid. */
function canonicalRecipient(given: string): string | undefined {
  const address = given.trim().toLowerCase()
  const at = address.lastIndexOf('@')
  if (at < 1 || Buffer.byteLength(address.slice(0, at)) > 64 || /[\s\p{Cc}]/u.test(address)) return undefined
  const domain = canonicalDomain(address.slice(at + 1))
  return isDomain(domain) ? `${address.slice(0, at)}@${domain}` : undefined
}

/** The refusal of a report that was sent to the host, and is on no domain of a project. */
function foreignReport(domains: readonly string[]): RefusedMessage {
  const message =
    domains.length === 0
      ? 'this address takes reports on DMARC and TLS alone, and the message names no domain that it reports on'
      : `this is a report on ${domains.slice(0, 3).join(', ')}, which is no verified domain of this server`
  return { status: '5.7.1', message }
}

function refused(status: string, message: string): Acceptance {
  return { outcome: 'refused', status, message }
}

/** The text without what some stores cannot keep. */
function plain(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/** The classes of this room that the container makes besides its doors. */
export const INBOUND = {
  readInbound: ReadInbound,
  receivingHost: ReceivingHost,
}
