import { domainToASCII } from 'node:url'
import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import { domainOf, EmailAddress, isDomain } from '../values/email-address.ts'

/** Longer texts are no address, and are not read. */
const MAX_LENGTH = 1000

/** An address that can exist. */
export interface ReadAddress {
  /** As it is stored: in lower case, an international domain in Unicode. */
  readonly email: string
  readonly local: string
  readonly domain: string
  /** The domain in ASCII (RFC 5891), as in the DNS. */
  readonly asciiDomain: string
}

/** Reads an address. Throws EngineError `BAD_REQUEST` that says what is wrong with it. */
export function readAddress(text: string): ReadAddress {
  if (text.length > MAX_LENGTH) throw refusal('is too long: at most 64 characters, the @ and a domain of at most 253')
  const parsed = v.safeParse(EmailAddress, text)
  if (!parsed.success) throw refusal(problemOf(text.trim()))
  const email = parsed.output
  const domain = domainOf(email)
  const local = email.slice(0, email.lastIndexOf('@'))
  // an invalid xn-- label stays unchanged: the DNS will say that it does not exist
  return { email, local, domain, asciiDomain: domainToASCII(domain) || domain }
}

function refusal(problem: string): EngineError {
  const message = `${problem}.`
  const fields = [{ field: 'email', code: 'invalid_string', message: problem } as const]
  return new EngineError('BAD_REQUEST', `email: ${message}`, { fields })
}

/** The problem with a text that is no address. */
function problemOf(text: string): string {
  const at = text.lastIndexOf('@')
  if (/\p{Cc}/u.test(text)) return 'must not contain control characters'
  if (at < 0) return 'must have an @ between the mailbox and the domain, as in ada@example.com'
  const domain = text.slice(at + 1)
  const isTooLong = at + 1 + octets(domain) > 254 && isDomain(domain.toLowerCase())
  return localProblem(text.slice(0, at)) ?? (isTooLong ? 'has more than 254 characters' : domainProblem(domain))
}

function localProblem(local: string): string | undefined {
  if (local === '') return 'has nothing before the @'
  if (local.startsWith('"')) return 'has quotes before the @: such mailboxes are not supported'
  if (local.includes('@')) return 'has more than one @'
  if (/[^\x00-\x7f]/.test(local))
    return 'has letters before the @ that are not ASCII: such mailboxes (SMTPUTF8) are not supported'
  if (local.length > 64) return 'has more than 64 characters before the @'
  if (/^\.|\.\.|\.$/.test(local)) return 'has a dot before the @ that stands first, last or beside another'
  if (/[^\w!#$%&'*+/=?^`{|}~.-]/.test(local)) return 'has a character before the @ that cannot stand there'
  return
}

function domainProblem(domain: string): string {
  if (domain === '') return 'has no domain behind the @'
  if (domain.startsWith('[')) return 'has an IP address behind the @: a domain is needed'
  const labels = domain.split('.')
  if (labels.some((label) => label === '')) return 'has a domain with a dot that stands first, last or beside another'
  if (domain.includes('_')) return 'has a domain with an underscore, which no mail domain has'
  if (labels.some((label) => octets(label) > 63)) return 'has a domain with a part of more than 63 characters'
  if (octets(domain) > 253) return 'has a domain of more than 253 characters'
  if (labels.length < 2) return 'has a domain without an ending such as .com'
  if (labels.some((label) => /^-|-$/.test(label))) return 'has a domain with a hyphen at the beginning or end of a part'
  return 'has a domain that cannot exist'
}

/** The length of a name in the DNS. */
function octets(name: string): number {
  return (/^[\x00-\x7f]*$/.test(name) ? name : domainToASCII(name)).length
}
