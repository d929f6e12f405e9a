import { Readable } from 'node:stream'
import { type DKIMResult, type DNSResolver, dkimVerify, dmarc, spf } from 'mailauth'
import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { WaitingMessage } from '../ports/store/inbound.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'

/** Results of RFC 8601, section 2.7, in lower case. */
export interface Authentication {
  readonly spf: string
  readonly dkim: string
  readonly dmarc: string
  /** True: DMARC failed, and the domain of the author asks to reject such messages. */
  readonly isForged?: boolean
}

/** How long all checks of a message may take together, in milliseconds. */
const TIMEOUT_MS = 20_000
/** How many bytes are hashed at a time; other work runs between two pieces. */
const PIECE = 64 * 1024
/** Messages with larger headers are not checked: the library's time grows with the square of the size. */
const MAX_HEADER_LINES = 2_000
const MAX_HEADER_BYTES = 256 * 1024
/**
 * How many signatures are checked, from the top (RFC 6376, section 6.1): each may need its own hash of the whole
 * message, and a key.
 */
const MAX_SIGNATURES = 10

export interface DetailedAuthentication extends Authentication {
  readonly signedBy: readonly string[]
}

const UNKNOWN: DetailedAuthentication = { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror', signedBy: [] }
const UNFIT: DetailedAuthentication = { spf: 'permerror', dkim: 'permerror', dmarc: 'permerror', signedBy: [] }

/**
 * Checks whether a message is from its claimed sender: SPF, DKIM and DMARC. A check not finished in time is
 * `temperror`. When the sender is unknown, SPF is `none`, and DMARC can only pass by a signature. An oversized header
 * is `permerror`.
 */
export async function authenticateMessage(
  message: Pick<WaitingMessage, 'raw' | 'sender' | 'remoteAddress' | 'helo'>,
  dns: DnsResolver,
  patience = TIMEOUT_MS,
): Promise<Authentication> {
  const { signedBy: _, ...authentication } = await authenticateInDetail(message, dns, patience)
  return authentication
}

/** As `authenticateMessage`, with the domains of the valid signatures. */
export async function authenticateInDetail(
  message: Pick<WaitingMessage, 'raw' | 'sender' | 'remoteAddress' | 'helo'>,
  dns: DnsResolver,
  patience = TIMEOUT_MS,
): Promise<DetailedAuthentication> {
  let timer: NodeJS.Timeout | undefined
  const stopped = new AbortController()
  const late = new Promise<DetailedAuthentication>((resolve) => {
    timer = setTimeout(resolve, patience, UNKNOWN)
  })
  try {
    return await Promise.race([checked(message, dns, stopped.signal), late])
  } finally {
    clearTimeout(timer)
    // stop hashing what no caller waits for
    stopped.abort()
  }
}

async function checked(
  { raw, sender, remoteAddress, helo }: Pick<WaitingMessage, 'raw' | 'sender' | 'remoteAddress' | 'helo'>,
  dns: DnsResolver,
  signal: AbortSignal,
): Promise<DetailedAuthentication> {
  const isSenderKnown = remoteAddress !== ''
  const message = withFewSignatures(raw)
  if (message === undefined) return UNFIT
  const resolver = resolverOver(dns)
  const signed = await dkimVerify(Readable.from(pieces(message, signal), { objectMode: false }), {
    resolver,
    sender,
    strict: true,
  })
  const asked = { resolver, ip: remoteAddress, helo: heloOf(helo, remoteAddress), sender, mta: 'localhost' }
  // without an address, SPF would judge by a policy that lets everybody pass
  const sent = isSenderKnown ? await spf(asked) : undefined
  const signatures = signed.results.map((each) => ({ domain: each.signingDomain ?? '', verdict: verdictOf(each) }))
  const holding = signatures.filter(({ verdict }) => verdict === 'pass')
  const { headerFrom, fromFields } = signed
  const policy = await dmarc({
    resolver,
    headerFrom,
    fromFields,
    dkimDomains: holding.map(({ domain }) => ({ domain })),
    spfDomains: sent && sent.status.result === 'pass' ? [sent.domain] : [],
  })
  // it needs the domain of one author to ask (RFC 9989, section 5.3.1)
  const verdict = policy ? word(policy.status.result) : headerFrom.length > 0 ? 'permerror' : 'none'
  const result = isSenderKnown || verdict === 'pass' || verdict === 'permerror' ? verdict : 'none'
  return {
    spf: word(sent ? sent.status.result : undefined),
    dkim: word((holding[0] ?? signatures[0])?.verdict),
    dmarc: result,
    ...(policy && result === 'fail' && policy.policy === 'reject' ? { isForged: true } : undefined),
    signedBy: [...new Set(holding.map(({ domain }) => domain.toLowerCase()))].slice(0, 10),
  }
}

/**
 * The result of a signature in the words of RFC 8601, section 2.7.1. What RFC 6376, section 6.1 calls a permanent failure
 * is one, apart from what cannot be read at all; the library answers `neutral` to both. A signature that leaves out a
 * part of the body holds, but says nothing about that part (RFC 6376, section 8.2): it is not accepted.
 */
function verdictOf({ status: { result, comment, underSized } }: DKIMResult): string {
  if (result === 'pass' && underSized) return 'policy'
  return result === 'neutral' && !UNREADABLE.has(comment ?? '') ? 'permerror' : result
}

const UNREADABLE = new Set(['signature syntax error', 'unknown algorithm', 'unknown canonicalization'])

/** An address stands in brackets (RFC 5321, section 4.1.3). */
function heloOf(given: string, address: string): string {
  const helo = given || address
  return /^[\d.]+$|^[^[]*:/.test(helo) ? `[${helo}]` : helo
}

function word(result: string | undefined): string {
  return (result ?? 'none').toLowerCase()
}

/** The message in two parts, the first without surplus signatures; undefined when its header is too large. */
function withFewSignatures(raw: Uint8Array): readonly Buffer[] | undefined {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const start = bytes.toString('latin1', 0, MAX_HEADER_BYTES)
  const end = /\r?\n\r?\n/.exec(start)?.index
  if (end === undefined && bytes.length > MAX_HEADER_BYTES) return undefined
  const header = start.slice(0, end)
  if (header.split('\n', MAX_HEADER_LINES + 1).length > MAX_HEADER_LINES) return undefined
  let seen = 0
  const kept = header.replace(SIGNATURE, (field) => (++seen > MAX_SIGNATURES ? '' : field))
  return [Buffer.from(kept, 'latin1'), bytes.subarray(header.length)]
}

/** A field with its continuation lines. */
const SIGNATURE = /(?<=^|\n)dkim-signature[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*(?:\n|$)/gi

async function* pieces(message: readonly Buffer[], signal: AbortSignal): AsyncGenerator<Buffer> {
  for (const part of message) {
    for (let at = 0; at < part.length; at += PIECE) {
      await yieldToLoop()
      signal.throwIfAborted()
      yield part.subarray(at, at + PIECE)
    }
  }
}

/** Adapts our resolver to the interface of Node's, where "no records" is an error with its own code. */
function resolverOver(dns: DnsResolver): DNSResolver {
  const resolve = async (name: string, type: string): Promise<unknown[]> => {
    const found = await lookUp(dns, name, type)
    if (found.length === 0) throw Object.assign(new Error(`query${type} ENODATA ${name}`), { code: 'ENODATA' })
    return found
  }
  // its types leave out mail exchangers
  return resolve as DNSResolver
}

/** Answers new lists, since the library sorts them in place. */
async function lookUp(dns: DnsResolver, name: string, type: string): Promise<unknown[]> {
  switch (type) {
    case 'TXT':
      return (await dns.txt(name)).map((text) => [text])
    case 'A':
      return [...(await dns.ipv4(name))]
    case 'AAAA':
      return [...(await dns.ipv6(name))]
    case 'CNAME':
      return [...(await dns.cname(name))]
    case 'NS':
      return [...(await dns.ns(name))]
    case 'MX':
      return [...(await dns.mx(name))]
    default:
      // no PTR: the mechanism should not be used (RFC 7208, section 5.5)
      return []
  }
}
