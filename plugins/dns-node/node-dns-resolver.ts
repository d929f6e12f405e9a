import type { Resolver } from 'node:dns/promises'
import type { DnsResolver, MailExchanger } from '../../core/ports/dns-resolver.ts'

/** NXDOMAIN, NODATA, and names that cannot be written in a question (an empty or too long label), so cannot exist. */
const NOTHING_THERE = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/** The DNS by Node's own resolver. */
export class NodeDnsResolver implements DnsResolver {
  readonly #resolver: Resolver

  constructor(resolver: Resolver) {
    this.#resolver = resolver
  }

  async mx(name: string): Promise<readonly MailExchanger[]> {
    const found = await noneOr(this.#resolver.resolveMx(name))
    return found.map(({ exchange, priority }) => ({ exchange, priority })).sort((a, b) => a.priority - b.priority)
  }

  async txt(name: string): Promise<readonly string[]> {
    const found = await noneOr(this.#resolver.resolveTxt(name))
    return found.map((strings) => strings.join(''))
  }

  async ns(name: string): Promise<readonly string[]> {
    return noneOr(this.#resolver.resolveNs(name))
  }

  async cname(name: string): Promise<readonly string[]> {
    return noneOr(this.#resolver.resolveCname(name))
  }

  async ipv4(name: string): Promise<readonly string[]> {
    return noneOr(this.#resolver.resolve4(name))
  }

  async ipv6(name: string): Promise<readonly string[]> {
    return noneOr(this.#resolver.resolve6(name))
  }
}

async function noneOr<T>(asked: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOTHING_THERE.has(String(error.code))) return []
    throw error
  }
}
