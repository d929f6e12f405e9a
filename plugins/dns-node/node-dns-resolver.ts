import { domainToASCII } from 'node:url'
import type { DnsResolver, LookUpOptions, MailExchanger } from '../../core/ports/dns-resolver.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { RecordKind } from './message.ts'
import type { NameServers } from './name-servers.ts'
import { type DnsRecord, recordsIn } from './records.ts'

/** Looks up DNS records over Node's sockets, and keeps answers for as long as they allow. */
export class NodeDnsResolver implements DnsResolver {
  readonly #servers: NameServers
  readonly #cache: AnswerCache<readonly DnsRecord[]>

  constructor(servers: NameServers, cache: AnswerCache<readonly DnsRecord[]>) {
    this.#servers = servers
    this.#cache = cache
  }

  async mx(name: string, options?: LookUpOptions): Promise<readonly MailExchanger[]> {
    const found = await this.#ask(name, 'MX', options)
    const exchangers = found.filter((record) => typeof record !== 'string')
    return exchangers.sort((a, b) => a.priority - b.priority)
  }

  txt(name: string, options?: LookUpOptions): Promise<readonly string[]> {
    return this.#texts(name, 'TXT', options)
  }

  ns(name: string, options?: LookUpOptions): Promise<readonly string[]> {
    return this.#texts(name, 'NS', options)
  }

  cname(name: string, options?: LookUpOptions): Promise<readonly string[]> {
    return this.#texts(name, 'CNAME', options)
  }

  ipv4(name: string, options?: LookUpOptions): Promise<readonly string[]> {
    return this.#texts(name, 'A', options)
  }

  ipv6(name: string, options?: LookUpOptions): Promise<readonly string[]> {
    return this.#texts(name, 'AAAA', options)
  }

  ptr(name: string, options?: LookUpOptions): Promise<readonly string[]> {
    return this.#texts(name, 'PTR', options)
  }

  async #texts(name: string, type: RecordKind, options: LookUpOptions | undefined): Promise<readonly string[]> {
    const found = await this.#ask(name, type, options)
    return found.filter((record) => typeof record === 'string')
  }

  async #ask(given: string, type: RecordKind, { fresh = false }: LookUpOptions = {}): Promise<readonly DnsRecord[]> {
    const name = questionName(given)
    if (name === undefined) return []
    const question = { name, type }
    return this.#cache.get(`${type} ${name}`, fresh, async () => recordsIn(await this.#servers.ask(question), question))
  }
}

/** The name to ask for: in ASCII (RFC 5891), in lower case, without a final dot. Undefined when it is no such name. */
function questionName(given: string): string | undefined {
  if (given.length > 1000) return
  const ascii = /^[\x00-\x7f]*$/.test(given) ? given.toLowerCase() : domainToASCII(given)
  const name = ascii.replace(/\.$/, '')
  const isName = name.length <= 253 && name.split('.').every((label) => label !== '' && label.length <= 63)
  return isName ? name : undefined
}
