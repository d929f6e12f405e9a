import type { DomainLists } from './domain-lists.ts'
import type { DomainRecords } from './look-up.ts'
import type { ReadAddress } from './read-address.ts'
import { suggestion } from './typo.ts'

/** The result for an address. What could not be looked up is false, and `reasons` says so. */
export interface EmailVerification {
  /** The address as stored. */
  readonly email: string
  /**
   * False when the domain has no name servers, no MX records or a null MX. True also when that could not be looked up.
   */
  readonly valid: boolean
  /** Whether its domain gives addresses for a few minutes or days. */
  readonly isDisposable: boolean
  /** A service forwards its mail to a hidden mailbox. */
  readonly isAlias: boolean
  /** Whether it looks like a slip, such as `gmial.com`. */
  readonly isTypo: boolean
  /** Whether it has a tag after a plus sign, such as `ada+shop@example.com`. */
  readonly isPlusAddressed: boolean
  /** A provider where a mailbox is open to all. */
  readonly isPersonalEmail: boolean
  /** Whether the DNS knows the domain. */
  readonly domainExists: boolean
  /** The domain has an A or AAAA record; says nothing about mail. */
  readonly hasWebsite: boolean
  /** Whether the domain names servers for its mail. */
  readonly hasMxRecords: boolean
  /** The probable address, with `isTypo`. */
  readonly suggestedEmail?: string
  /** The findings, as sentences. */
  readonly reasons: readonly string[]
}

/** Judges an address by the lists and by the DNS. */
export function judge(
  address: ReadAddress,
  lists: DomainLists,
  { exists, mx, website }: DomainRecords,
): EmailVerification {
  const { email, local, domain, asciiDomain } = address
  const isDisposable = lists.isDisposable(asciiDomain)
  const service = lists.aliasService(asciiDomain)
  const isPersonalEmail = lists.isPersonal(asciiDomain)
  const isPlusAddressed = local.includes('+')
  const takesMail = mx?.some(({ exchange }) => exchange !== '')
  const meant = typoOf(domain, takesMail)
  const reasons = [
    isDisposable && `${domain} hands out disposable addresses.`,
    service !== undefined && `${domain} belongs to ${service}, which forwards mail to another mailbox.`,
    isPersonalEmail && `${domain} is a provider of personal mailboxes.`,
    isPlusAddressed && 'The address has a plus sign: it may be one of many of the same mailbox.',
    meant !== undefined && `${domain} looks like a slip for ${meant}.`,
    mixesAlphabets(domain) && `${domain} mixes letters of several alphabets, as names do that imitate others.`,
    ...domainReasons(domain, { exists, mx, website }, takesMail),
    exists !== false && website === false && `${domain} has no website (neither A nor AAAA records).`,
    website === undefined && exists === true && `Whether ${domain} has a website could not be looked up.`,
  ]
  const said = reasons.filter((reason) => typeof reason === 'string')
  return {
    email,
    valid: exists !== false && takesMail !== false,
    isDisposable,
    isAlias: service !== undefined,
    isTypo: meant !== undefined,
    isPlusAddressed,
    isPersonalEmail,
    domainExists: exists === true,
    hasWebsite: website === true,
    hasMxRecords: takesMail === true,
    ...(meant === undefined ? {} : { suggestedEmail: `${local}@${meant}` }),
    reasons: said.length > 0 ? said : ['The address is well formed, and its domain takes mail.'],
  }
}

/** For a domain that takes mail, or may, only certain typos count. */
function typoOf(domain: string, takesMail: boolean | undefined): string | undefined {
  const found = suggestion(domain)
  return found?.isCertain || takesMail === false ? found?.domain : undefined
}

function domainReasons(
  domain: string,
  { exists, mx, website }: DomainRecords,
  takesMail: boolean | undefined,
): readonly string[] {
  const hasMx = Boolean(mx?.length)
  if (exists === false) {
    return [hasMx ? `${domain} has no name servers (NS records).` : `${domain} does not exist: it has no name servers.`]
  }
  const unsure = exists === undefined ? [`Whether ${domain} exists could not be looked up just now.`] : []
  if (takesMail === undefined) {
    return [...unsure, `Whether ${domain} takes mail could not be looked up just now; the address is taken for valid.`]
  }
  if (takesMail) return unsure
  return [...unsure, hasMx ? `${domain} says that it takes no mail (null MX, RFC 7505).` : withoutMx(domain, website)]
}

function withoutMx(domain: string, website: boolean | undefined): string {
  if (website === false) return `${domain} has neither MX records nor an address: it takes no mail.`
  const where = 'mail would go to its address (RFC 5321, section 5.1), where few domains take any'
  return `${domain} has no MX records: ${where}, so the address is taken for invalid.`
}

function mixesAlphabets(domain: string): boolean {
  return domain.split('.').some((label) => /[a-z]/.test(label) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(label))
}
