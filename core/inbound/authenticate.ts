import { Readable } from 'node:stream'
import { authenticate, type DNSResolver } from 'mailauth'
import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { WaitingMessage } from '../ports/store/inbound.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'

/** Result words of RFC 8601, section 2.7, in lower case. */
export interface Authentication {
  readonly spf: string
  readonly dkim: string
  readonly dmarc: string
}

/** So long all checks of a message may take together, in milliseconds. */
const PATIENCE_MS = 20_000
/** So many bytes are hashed at a time: between them somebody else has a turn. */
const PIECE = 64 * 1024
/** A message whose header has more lines or bytes is not checked: the library takes the square of their time. */
const MOST_LINES = 2_000
const LONGEST_HEADER = 256 * 1024
/**
 * So many signatures are looked at, from the top (RFC 6376, section 6.1): each may ask for a hash of its own of the whole
 * message, and for a key.
 */
const MOST_SIGNATURES = 10

export interface DetailedAuthentication extends Authentication {
  readonly signedBy: readonly string[]
}

const UNKNOWN: DetailedAuthentication = { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror', signedBy: [] }
const UNFIT: DetailedAuthentication = { spf: 'permerror', dkim: 'permerror', dmarc: 'permerror', signedBy: [] }

/**
 * Whether a message is from whom it says: SPF, DKIM and DMARC. What could not be found out in time is `temperror`. When it is
 * not known who sent it, SPF says `none`, and DMARC no more than that a signature passed. A header that is out of all measure is
 * `permerror`.
 */
export async function authenticateMessage(
  message: Pick<WaitingMessage, 'raw' | 'sender' | 'remoteAddress' | 'helo'>,
  dns: DnsResolver,
  patience = PATIENCE_MS,
): Promise<Authentication> {
  const { spf, dkim, dmarc } = await authenticateInDetail(message, dns, patience)
  return { spf, dkim, dmarc }
}

/** As `authenticateMessage`, with the domains of the signatures that hold. */
export async function authenticateInDetail(
  message: Pick<WaitingMessage, 'raw' | 'sender' | 'remoteAddress' | 'helo'>,
  dns: DnsResolver,
  patience = PATIENCE_MS,
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
    // what nobody waits for is not hashed to its end
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
  const { spf, dkim, dmarc } = await authenticate(Readable.from(pieces(message, signal), { objectMode: false }), {
    // without an address SPF would judge a policy that lets everybody pass
    ...(isSenderKnown ? { ip: remoteAddress, helo, sender } : {}),
    ...{ mta: 'localhost', resolver: resolverOver(dns) },
    ...{ disableArc: true, disableBimi: true },
  })
  const verdict = word(dmarc ? dmarc.status.result : undefined)
  const signatures = dkim?.results?.map(({ status }) => status.result) ?? []
  const holding = dkim?.results?.filter(({ status }) => status.result === 'pass') ?? []
  return {
    spf: word(spf && isSenderKnown ? spf.status.result : undefined),
    dkim: word(signatures.find((result) => result === 'pass') ?? signatures[0]),
    dmarc: isSenderKnown || verdict === 'pass' ? verdict : 'none',
    signedBy: [...new Set(holding.flatMap(({ signingDomain }) => signingDomain?.toLowerCase() ?? []))].slice(0, 10),
  }
}

function word(result: string | undefined): string {
  return (result ?? 'none').toLowerCase()
}

/** The message in two parts, of which the first lacks the signatures that are too many; undefined when its header is unfit. */
function withFewSignatures(raw: Uint8Array): readonly Buffer[] | undefined {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const start = bytes.toString('latin1', 0, LONGEST_HEADER)
  const end = /\r?\n\r?\n/.exec(start)?.index
  if (end === undefined && bytes.length > LONGEST_HEADER) return undefined
  const header = start.slice(0, end)
  if (header.split('\n', MOST_LINES + 1).length > MOST_LINES) return undefined
  let seen = 0
  const kept = header.replace(SIGNATURE, (field) => (++seen > MOST_SIGNATURES ? '' : field))
  return [Buffer.from(kept, 'latin1'), bytes.subarray(header.length)]
}

/** A field with the lines that belong to it. */
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

/** Asks our resolver as the library asks Node's: "nothing there" is an error with a code of its own. */
function resolverOver(dns: DnsResolver): DNSResolver {
  const resolve = async (name: string, type: string): Promise<unknown[]> => {
    const found = await lookUp(dns, name, type)
    if (found.length === 0) throw Object.assign(new Error(`query${type} ENODATA ${name}`), { code: 'ENODATA' })
    return found
  }
  // its types know no mail exchangers
  return resolve as DNSResolver
}

/** Lists of its own: the library sorts them in place. */
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
      // of PTR: the mechanism is not to be used (RFC 7208, section 5.5)
      return []
  }
}
