import { Resolver } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { domainToASCII } from 'node:url'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import { dnsResolverContract } from '../contracts/dns-resolver.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { right, wrong } from './wrong.ts'

interface How {
  /** How long it waits for a silent server besides. */
  readonly waitsMs?: number
  readonly nothingOnFailure?: true
  readonly throwsOnNothing?: true
  readonly throwsOnNoName?: true
  readonly unsorted?: true
  readonly noNullMx?: true
  readonly between?: string
  readonly oneText?: true
  readonly keepsAnswers?: true
  readonly keepsFailures?: true
  readonly keepsNothing?: true
  readonly mixesUp?: true
  readonly unicode?: true
  readonly noReverse?: true
  readonly withDot?: true
}

/** A resolver over Node's own; it can go wrong in many ways. */
function resolver(server: string, how: How): DnsResolver {
  const asker = new Resolver({ timeout: 100, tries: 1 })
  asker.setServers([server])
  const kept = new Map<string, Promise<readonly unknown[]>>()
  let latest = ''

  async function look<T>(name: string, ask: (ascii: string) => Promise<readonly T[]>): Promise<readonly T[]> {
    const ascii = how.unicode ? name : domainToASCII(name.replace(/\.$/, ''))
    const isName = ascii !== '' && ascii.length <= 253 && ascii.split('.').every((part) => /^.{1,63}$/.test(part))
    if (!isName) {
      if (how.throwsOnNoName) throw new Error(`${name} is no name`)
      return []
    }
    latest = ascii
    if (how.mixesUp) await pause(5)
    try {
      return await ask(how.mixesUp ? latest : ascii)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (/^(ENOTFOUND|ENODATA|EBADNAME)$/.test(code) && !how.throwsOnNothing) return []
      if (how.nothingOnFailure) return []
      if (code === 'ETIMEOUT') await pause(how.waitsMs ?? 0)
      throw error
    }
  }
  async function keep<T>(key: string, ask: () => Promise<readonly T[]>, fresh = false): Promise<readonly T[]> {
    const known = kept.get(key)
    if (known && !(fresh && how.keepsNothing)) return known as Promise<readonly T[]>
    const asked = ask()
    if (how.keepsAnswers) kept.set(key, asked)
    asked.catch(() => {
      if (how.keepsFailures) kept.set(key, asked)
    })
    return asked
  }
  const find =
    <T>(type: string, ask: (name: string) => Promise<readonly T[]>): ((name: string) => Promise<readonly T[]>) =>
    (name) =>
      keep(`${type} ${name}`, () => look(name, ask))

  return {
    mx: async (name) => {
      const found = await find('MX', (ascii) => asker.resolveMx(ascii))(name)
      const all = found.filter(({ exchange }) => !how.noNullMx || exchange !== '')
      return how.unsorted ? [...all].reverse() : all.toSorted((a, b) => a.priority - b.priority)
    },
    txt: async (name) => {
      const found = await find('TXT', (ascii) => asker.resolveTxt(ascii))(name)
      const texts = found.map((strings) => strings.join(how.between ?? ''))
      return how.oneText && texts.length > 1 ? [texts.join('')] : texts
    },
    ns: find('NS', (name) => asker.resolveNs(name)),
    cname: find('CNAME', async (name) => {
      const names = await asker.resolveCname(name)
      return how.withDot ? names.map((each) => `${each}.`) : names
    }),
    ipv4: find('A', (name) => asker.resolve4(name)),
    ipv6: find('AAAA', (name) => asker.resolve6(name)),
    ptr: how.noReverse ? async () => [] : find('PTR', (name) => asker.resolvePtr(name)),
  }
}
const contract = (how: How) =>
  dnsResolverContract(async () => {
    const zone = await startDnsServer()
    return { dns: resolver(zone.address, how), zone, close: () => zone.close() }
  })

right(() => contract({}))
// slow, and within its ten seconds
right(() => contract({ waitsMs: 6_000 }))
wrong('takes a failure for nothing there', 'throws when the server answers', () => contract({ nothingOnFailure: true }))
wrong('takes nothing there for a failure', 'for a name that does not exist', () => contract({ throwsOnNothing: true }))
wrong('breaks on what cannot be a name', 'which cannot be a name', () => contract({ throwsOnNoName: true }))
wrong('gives exchangers in any order', 'lowest preference first', () => contract({ unsorted: true }))
wrong('leaves out the null MX', 'a null MX as one exchanger', () => contract({ noNullMx: true }))
wrong('puts spaces between the strings of a text', 'joins the strings of a TXT record', () =>
  contract({ between: ' ' }),
)
wrong('makes one text of all', 'keeps the records apart', () => contract({ oneText: true }))
wrong('keeps an answer, whatever is asked', 'when it asks afresh', () => contract({ keepsAnswers: true }))
wrong('keeps a failure for ever', 'and asks again', () => contract({ keepsFailures: true }))
wrong('mixes up what is asked at the same time', 'answers each of many questions', () => contract({ mixesUp: true }))
wrong('asks for international names as they are', 'takes international names', () => contract({ unicode: true }))
wrong('knows no names of addresses', 'gives the names of an address', () => contract({ noReverse: true }))
wrong('leaves the dot at the end of a name', 'aliases and addresses', () => contract({ withDot: true }))
wrong('waits for too long', 'throws when no answer comes', () => contract({ waitsMs: 12_000 }))
