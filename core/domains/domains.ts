import { domainToASCII } from 'node:url'
import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import { DomainKeys, namesFrom, ownerOf, UNREADABLE } from '../mail/dkim/domain-keys.ts'
import { Sealing } from '../mail/dkim/sealing.ts'
import { SenderIdentity } from '../ports/sender-identity.ts'
import { CAMPAIGN_STATUSES } from '../ports/store/campaigns.ts'
import type { DomainKey, DomainLink, SenderDomain, StsPolicy } from '../ports/store/domains.ts'
import type { Project } from '../ports/store/projects.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import { WebhookSender } from '../ports/webhook-sender.ts'
import { requireEnabled, requireOwnProject } from '../projects/project.ts'
import { Projects } from '../projects/projects.ts'
import { DomainReports } from '../reports/domain-reports.ts'
import { canonicalDomain, domainOf, isDomain } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { parse, refused } from '../values/parse.ts'
import { requireText, shownId } from '../values/shown-id.ts'
import { ProjectLanes } from '../work/project-lanes.ts'
import { type ListedAddress, LookUpAddresses, type LookUpAddressesInput } from './blocklists.ts'
import { CheckDomains } from './check-domains.ts'
import type { DomainLogo } from './check-logo.ts'
import { isClaimed } from './claim.ts'
import type { DnsKeeper } from './dns-keeper.ts'
import { DomainName } from './domain-name.ts'
import { type DomainDetail, domainDetail } from './domain-record.ts'
import { DomainTests } from './domain-tests.ts'
import { LinkHost, linkHostProblems } from './link-host.ts'
import { isSamePolicy, isStsHostSeen, MtaSts, patternsOf, stsDomainOf, stsProblems, stsText } from './mta-sts.ts'
import { TestAddresses } from './test-addresses.ts'

/** How many domains a project may have: all of them are listed and checked. */
const MAX_DOMAINS = 1_000

export const AddDomain = v.object({
  /** The domain after the `@` of senders; its subdomains are not included. */
  domain: DomainName,
  /** The caller's own project; any other does not exist for the caller. */
  projectId: v.nullish(v.string()),
  /** The domain's own host for the links in its mail: a name below the domain. */
  linkHost: LinkHost,
})

export const ChangeDomain = v.object({
  /** The domain's own host for the links in its mail; `null` removes it. */
  linkHost: LinkHost,
  /** The MTA-STS policy that is served for the domain (RFC 8461); `null` removes it. */
  mtaSts: MtaSts,
})

/** A domain to send from. */
export interface AddDomainInput extends InputOf<typeof AddDomain> {}

/** The fields of a domain to change. */
export interface ChangeDomainInput extends InputOf<typeof ChangeDomain> {}

/** The answers of block lists, and when they were asked. */
interface AddressListings {
  readonly checkedAt: Date
  readonly addresses: readonly ListedAddress[]
}

/** The domains a project sends from: the records to publish for them, and whether they are there. */
@injectable()
export class Domains {
  /** Keys are made one after the other per project, so that many for one project do not hold up another's. */
  readonly #making = new ProjectLanes(1)

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(SenderIdentity) private readonly identity: SenderIdentity,
    /** Real mails that show how mail from a domain arrives. */
    @inject(DomainTests) readonly tests: DomainTests,
    /** The reports of receivers on the domains. */
    @inject(DomainReports) readonly reports: DomainReports,
    @inject(CheckDomains) private readonly checks: CheckDomains,
    @inject(WebhookSender) private readonly sender: WebhookSender,
    @inject(Projects) private readonly projects: Projects,
    @inject(Sealing) private readonly sealing: Sealing,
    @inject(DomainKeys) private readonly keys: DomainKeys,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * Every domain of the project, verified or not, by name. Throws EngineError `PROJECT_NOT_FOUND` when `projectId` is
   * another one.
   */
  async list(project: Project, projectId: string = project.id): Promise<readonly DomainDetail[]> {
    requireOwnProject(project, projectId)
    return (await this.store.domains.all(project.id)).map((row) => this.#shown(project, row))
  }

  /**
   * Adds a domain, PENDING, with a new key; its records say what to publish. A domain that another project added but
   * has not proven for 72 hours is taken over. Throws EngineError `CONFLICT` when a project has it already
   * or the project has reached its limit, `VALIDATION_ERROR`, `PROJECT_NOT_FOUND`, `PROJECT_DISABLED`, and what the
   * provider of its proof throws.
   */
  async add(project: Project, input: AddDomainInput | UntrustedInput): Promise<DomainDetail> {
    requireEnabled(project)
    const { domain, projectId, linkHost } = parse(AddDomain, input, (read) =>
      linkHostProblems(read.domain, read.linkHost, this.kit.settings),
    )
    requireOwnProject(project, projectId ?? project.id)
    // before a key is made, which takes long
    await this.#requireFree(this.store, project, domain)
    const key = await this.#newKey(project, domain, [])
    return this.store.transaction(async (tx) => {
      const lapsed = await this.#requireFree(tx, project, domain)
      // a check may have proven it just now
      const held = lapsed && (await tx.domains.lock(lapsed.projectId, lapsed.id))
      if (held) {
        this.#requireLapsed(held)
        await tx.domains.remove(held.projectId, held.id)
      }
      const now = this.kit.now()
      const row: SenderDomain = {
        id: this.kit.newId(),
        projectId: project.id,
        domain,
        status: 'PENDING',
        keys: [key],
        findings: {},
        failures: 0,
        ...(linkHost && { link: newLink(linkHost) }),
        dueAt: now,
        createdAt: now,
        updatedAt: now,
      }
      if ((await tx.domains.insert(row)) === 'taken') throw taken(domain)
      return this.#shown(project, row)
    })
  }

  /**
   * Sets or removes the domain's host for the links in its mail, which is used as soon as its record is seen, and its
   * MTA-STS policy, which is served at once. Throws EngineError `DOMAIN_NOT_FOUND`, `VALIDATION_ERROR`,
   * `PROJECT_DISABLED`, `SERVICE_UNAVAILABLE` when the DNS does not say what the mail exchangers are.
   */
  async change(project: Project, id: string, input: ChangeDomainInput | UntrustedInput): Promise<DomainDetail> {
    requireEnabled(project)
    const { domain } = await this.#get(project, id)
    const { linkHost, mtaSts } = parse(ChangeDomain, input, (read) => [
      ...linkHostProblems(domain, read.linkHost, this.kit.settings),
      ...(read.mtaSts ? stsProblems(domain, this.kit.settings) : []),
    ])
    const sts = mtaSts && (await this.#policy(domain, mtaSts))
    return this.store.transaction(async (tx) => {
      const before = (await tx.domains.lock(project.id, id)) ?? missing(id)
      const isSameLink = linkHost === undefined || linkHost === (before.link?.host ?? null)
      const link = isSameLink ? before.link : linkHost && newLink(linkHost)
      const policy = sts === undefined ? before.sts : sts
      if (isSameLink && isSamePolicy(policy, before.sts)) return this.#shown(project, before)
      const now = this.kit.now()
      const { link: _, sts: __, ...rest } = before
      const after = { ...rest, ...(link && { link }), ...(policy && { sts: policy }), dueAt: now, updatedAt: now }
      await tx.domains.update(after)
      this.keys.forget()
      return this.#shown(project, after)
    })
  }

  /** The MTA-STS policy that is served at this host, `mta-sts.<domain>`; undefined when there is none. */
  async stsPolicy(host: string): Promise<string | undefined> {
    requireText(host, 'host')
    const domain = stsDomainOf(host)
    const [row] = domain === undefined ? [] : await this.store.domains.named([domain])
    // a claim that was never proven says nothing
    return row?.sts === undefined || row.provenAt === undefined ? undefined : stsText(row.sts)
  }

  /**
   * Whether links, or an MTA-STS policy, use this host, and its record was seen: a proxy may ask before it gets a
   * certificate for it.
   */
  async hasLinkHost(name: string): Promise<boolean> {
    requireText(name, 'name')
    const host = canonicalDomain(name.trim().toLowerCase())
    if (!isDomain(host)) return false
    const domain = stsDomainOf(host)
    const [row] = domain === undefined ? [] : await this.store.domains.named([domain])
    if (row !== undefined && isStsHostSeen(row)) return true
    return (await this.store.domains.named(namesFrom(host))).some(({ link }) => link?.inUse && link.host === host)
  }

  /** Checks the domain's records now, and answers the result. Throws EngineError `DOMAIN_NOT_FOUND`. */
  async verify(project: Project, id: string): Promise<DomainDetail> {
    const row = await this.#get(project, id)
    return this.#shown(project, (await this.checks.checkNow(row)) ?? missing(id))
  }

  /** Who keeps the DNS of the domain, by its name servers. Throws EngineError `DOMAIN_NOT_FOUND`. */
  async keeper(project: Project, id: string): Promise<DnsKeeper> {
    return this.checks.keeper((await this.#get(project, id)).domain)
  }

  /**
   * Looks up addresses that mail leaves from in the block lists of the settings, now; by default those of the settings.
   * Throws EngineError `VALIDATION_ERROR`.
   */
  async blocklists(input: LookUpAddressesInput | UntrustedInput = {}): Promise<AddressListings> {
    const { addresses = this.kit.settings.domains.sendingAddresses } = parse(LookUpAddresses, input)
    const message = 'must name the addresses that mail leaves from: domains.sendingAddresses has none'
    if (addresses.length === 0) throw refused([{ field: 'addresses', code: 'required', message }])
    return { checkedAt: this.kit.now(), addresses: await this.checks.listings(addresses) }
  }

  /**
   * Whether receivers can show the logo of the domain (BIMI): looks at its record, its DMARC policy and the picture now.
   * Throws EngineError `DOMAIN_NOT_FOUND`.
   */
  async logo(project: Project, id: string): Promise<DomainLogo> {
    return this.checks.logo(await this.#get(project, id), this.sender)
  }

  /**
   * Gives the domain a new key: the one in use signs until the records of the new one are seen. While a new one already
   * waits, nothing changes. Throws EngineError `DOMAIN_NOT_FOUND`, `PROJECT_DISABLED`, `CONFLICT` where a provider
   * rotates its keys itself.
   */
  async rotate(project: Project, id: string): Promise<DomainDetail> {
    requireEnabled(project)
    const row = await this.#get(project, id)
    if (this.identity.rotatesItself) {
      throw new EngineError('CONFLICT', `The provider that signs the mail of ${row.domain} rotates its keys itself.`)
    }
    if (await this.#isWaiting(row)) return this.#shown(project, row)
    const key = await this.#newKey(
      project,
      row.domain,
      row.keys.map(({ selector }) => selector),
    )
    return this.store.transaction(async (tx) => {
      const before = (await tx.domains.lock(project.id, id)) ?? missing(id)
      // of two concurrent rotations only one counts
      const known = ({ keys }: SenderDomain) => keys.map(({ selector, state }) => `${selector} ${state}`).join()
      if (known(before) !== known(row)) return this.#shown(project, before)
      const now = this.kit.now()
      const keys = [...before.keys.filter(({ state }) => state !== 'PENDING'), key]
      const after = { ...before, keys, dueAt: now, updatedAt: now }
      await tx.domains.update(after)
      return this.#shown(project, after)
    })
  }

  /**
   * Removes the domain and its keys: no mail can be sent from it any more, and waiting mail goes out without its
   * signature. Throws EngineError `DOMAIN_NOT_FOUND`, `PROJECT_DISABLED`, `CONFLICT` while a campaign is being sent
   * from it.
   */
  async remove(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    if (!isId(id)) missing(id)
    await this.store.transaction(async (tx) => {
      const row = (await tx.domains.lock(project.id, id)) ?? missing(id)
      if (!project.trustedDomains.includes(row.domain)) await requireUnused(tx, row)
      await tx.domains.remove(project.id, id)
    })
    await this.reports.forgetDomain(project.id, id)
    this.keys.forget()
    this.projects.forget()
  }

  /** At start: logs when the keys were encrypted with another secret. They share one secret, so one key shows it. */
  async checkSecret(): Promise<void> {
    const row = await this.store.domains.newest()
    const key = row?.keys.find(({ sealed }) => sealed !== undefined)
    if (!row || !key || (await this.keys.isReadable(row, key))) return
    this.kit.log.error('the private keys of domains cannot be read: their mail waits', {
      domain: row.domain,
      advice: UNREADABLE,
    })
  }

  /** The policy that was asked for, with the mail exchangers of the MX records if it names none. */
  async #policy(domain: string, { mode, mx, maxAge }: NonNullable<v.InferOutput<typeof MtaSts>>): Promise<StsPolicy> {
    if (mx !== undefined || mode === 'none') return { mode, mx: mx ?? [], maxAge }
    const found = patternsOf(await this.checks.exchangers(domain))
    if (found.length > 0) return { mode, mx: found, maxAge }
    const message = `must name the mail exchangers: ${domain} has no MX record to take them from`
    throw refused([{ field: 'mtaSts.mx', code: 'custom', message }])
  }

  async #get(project: Project, id: string): Promise<SenderDomain> {
    return (isId(id) ? await this.store.domains.find(project.id, id) : undefined) ?? missing(id)
  }

  /** Answers another project's claim that has lapsed. */
  async #requireFree({ domains }: Pick<Repositories, 'domains'>, project: Project, domain: string) {
    if ((await domains.count(project.id)) >= MAX_DOMAINS) {
      throw new EngineError('CONFLICT', `A project has at most ${MAX_DOMAINS} domains.`, {
        suggestion: 'Remove those you no longer send from.',
      })
    }
    const [row] = await domains.named([domain])
    if (!row) return undefined
    if (row.projectId === project.id) {
      throw new EngineError('CONFLICT', `This project has ${domain} already.`, {
        suggestion: 'GET /domains/project/{projectId} lists it with its records.',
      })
    }
    this.#requireLapsed(row)
    return row
  }

  #requireLapsed(row: SenderDomain): void {
    if (isClaimed(row, this.kit.now())) throw taken(row.domain)
  }

  async #newKey({ id }: Project, domain: string, taken: readonly string[]): Promise<DomainKey> {
    const { privateKey, selector, publicData } = await this.#making.run(id, () =>
      this.identity.make(domainToASCII(domain), taken),
    )
    const sealed =
      privateKey === undefined ? {} : { sealed: this.sealing.seal(privateKey, ownerOf(domain, { selector })) }
    return { selector, publicData, ...sealed, state: 'PENDING', createdAt: this.kit.now().toISOString() }
  }

  /** Whether a new key waits for its records; one that cannot be decrypted does not count. */
  async #isWaiting(row: SenderDomain): Promise<boolean> {
    const pending = row.keys.find(({ state }) => state === 'PENDING')
    return pending !== undefined && this.keys.isReadable(row, pending)
  }

  #shown(project: Project, row: SenderDomain): DomainDetail {
    return domainDetail(row, project, this.identity, this.kit.settings)
  }
}

/** Scheduled campaigns do not count: they check the domain again when their time comes. */
async function requireUnused(tx: Repositories, { projectId, domain }: SenderDomain): Promise<void> {
  const others = CAMPAIGN_STATUSES.filter((status) => status !== 'SENDING')
  const sending = await tx.campaigns.except(projectId, others)
  const one = sending.find(({ from }) => domainOf(from) === domain)
  if (!one) return
  throw new EngineError('CONFLICT', `The campaign "${one.name}" is being sent from ${domain}.`, {
    suggestion: 'Wait until it is sent, or cancel it.',
  })
}

function newLink(host: string): DomainLink {
  return { host, inUse: false, failures: 0 }
}

function taken(domain: string): EngineError {
  return new EngineError('CONFLICT', `Another project has ${domain}.`, {
    suggestion: 'A domain belongs to one project: remove it there first.',
  })
}

function missing(id: string): never {
  throw new EngineError('DOMAIN_NOT_FOUND', `There is no domain ${shownId(id)}.`)
}

/** The classes of this room that the container makes besides its doors. */
export const DOMAINS = {
  testAddresses: TestAddresses,
  domainTests: DomainTests,
  domainReports: DomainReports,
  checkDomains: CheckDomains,
}
