import type { Answer, DecodedPacket } from 'dns-packet'
import type { MailExchanger } from '../../core/ports/dns-resolver.ts'
import type { Lasting } from './answer-cache.ts'
import type { Question, RecordKind } from './message.ts'

/** A record as it is kept: a mail exchanger, or the text of any other record. */
export type DnsRecord = string | MailExchanger

/** Seconds an answer is kept at least, so that nothing is asked more than once a second, whatever its zone says. */
const MIN_TTL = 1
const MAX_TTL = 3600
/** Shorter, since a person who sets up a domain is waiting for "nothing there" to change. */
const MAX_NEGATIVE_TTL = 300

/** The records in a message that answer the question, and how long they may be kept. */
export function recordsIn(message: DecodedPacket, { name, type }: Question): Lasting<readonly DnsRecord[]> {
  const answers = message.answers ?? []
  const chain = aliasesOf(answers, name)
  const found = answers.filter((answer) => answer.type === type && chain.has(ownerOf(answer)))
  if (found.length === 0) return { value: [], ttl: within(negativeTtl(message), MAX_NEGATIVE_TTL) }
  // an answer lasts as long as the shortest-lived record on the way to it (RFC 2181, section 5.2)
  const aliases =
    type === 'CNAME' ? [] : answers.filter(({ type, ...rest }) => type === 'CNAME' && chain.has(ownerOf(rest)))
  const ttl = Math.min(...[...aliases, ...found].map(ttlOf))
  return { value: found.flatMap((answer) => readRecord(answer, type)), ttl: within(ttl, MAX_TTL) }
}

/** The name and every name it is an alias of. */
function aliasesOf(answers: readonly Answer[], name: string): ReadonlySet<string> {
  const targets = new Map(answers.flatMap((each) => (each.type === 'CNAME' ? [[ownerOf(each), lower(each.data)]] : [])))
  const chain = new Set([name])
  for (let next = targets.get(name); next !== undefined && !chain.has(next); next = targets.get(next)) chain.add(next)
  return chain
}

function readRecord(answer: Answer, type: RecordKind): readonly DnsRecord[] {
  switch (answer.type) {
    case 'MX': {
      const { exchange, preference = 0 } = answer.data
      return [{ exchange: exchange === '.' ? '' : exchange, priority: preference }]
    }
    case 'TXT': {
      const strings = Array.isArray(answer.data) ? answer.data : [answer.data]
      return [Buffer.concat(strings.map((part) => Buffer.from(part))).toString()]
    }
    case 'A':
    case 'AAAA':
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return answer.type === type ? [answer.data] : []
    default:
      return []
  }
}

/**
 * RFC 2308, section 5: the smaller of the SOA record's TTL and its last field. Without an SOA,
 * the answer must not be kept.
 */
function negativeTtl({ authorities = [] }: DecodedPacket): number {
  const soa = authorities.find(({ type }) => type === 'SOA')
  return soa?.type === 'SOA' ? Math.min(ttlOf(soa), soa.data.minimum ?? 0) : 0
}

function within(ttl: number, longest: number): number {
  return Math.min(Math.max(ttl, MIN_TTL), longest)
}

function ttlOf(answer: Answer): number {
  return 'ttl' in answer ? (answer.ttl ?? 0) : 0
}

function ownerOf({ name }: { readonly name: string }): string {
  return lower(name)
}

function lower(name: string): string {
  return name.toLowerCase()
}
