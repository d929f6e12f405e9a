import { Readable } from 'node:stream'
import { authenticate, type DNSResolver } from 'mailauth'
import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { WaitingMessage } from '../ports/store/inbound.ts'

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

export interface DetailedAuthentication extends Authentication {
  readonly signedBy: readonly string[]
}

const UNKNOWN: DetailedAuthentication = { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror', signedBy: [] }

/**
 * Whether a message is from whom it says: SPF, DKIM and DMARC. What could not be found out in time is `temperror`. When it is
 * not known who sent it, SPF says `none`, and DMARC no more than that a signature passed.
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
  const late = new Promise<DetailedAuthentication>((resolve) => {
    timer = setTimeout(resolve, patience, UNKNOWN)
  })
  try {
    return await Promise.race([checked(message, dns), late])
  } finally {
    clearTimeout(timer)
  }
}

async function checked(
  { raw, sender, remoteAddress, helo }: Pick<WaitingMessage, 'raw' | 'sender' | 'remoteAddress' | 'helo'>,
  dns: DnsResolver,
): Promise<DetailedAuthentication> {
  const isSenderKnown = remoteAddress !== ''
  const { spf, dkim, dmarc } = await authenticate(Readable.from(pieces(raw), { objectMode: false }), {
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

async function* pieces(raw: Uint8Array): AsyncGenerator<Buffer> {
  for (let at = 0; at < raw.length; at += PIECE) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve))
    const end = Math.min(at + PIECE, raw.length)
    yield Buffer.from(raw.buffer, raw.byteOffset + at, end - at)
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
