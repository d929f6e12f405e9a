import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import dnsPacket, { type Answer, type Packet } from 'dns-packet'

/** The records of one name, by type. TXT: a string, or the strings it is made of; long ones are split as DNS demands. */
export interface DnsRecords {
  A?: readonly string[]
  AAAA?: readonly string[]
  CNAME?: readonly string[]
  NS?: readonly string[]
  MX?: readonly { readonly exchange: string; readonly priority: number }[]
  TXT?: readonly (string | readonly string[])[]
}

/** A way to get no answer: a response code, or silence. */
export type DnsFailure = 'SERVFAIL' | 'REFUSED' | 'drop'

/** A running name server for tests. */
export interface DnsServer {
  /** `127.0.0.1:port`, as resolvers want it. */
  readonly address: string
  /** Every question so far, such as `MX example.com`, oldest first; names in lower case. */
  readonly questions: readonly string[]
  /** Puts the records of one type in place of those the name has; none takes them away. Ends a failure of the name. */
  set<Type extends keyof DnsRecords>(name: string, type: Type, records: NonNullable<DnsRecords[Type]>): void
  /** Makes every question about the name fail, until records are set for it. */
  fail(name: string, how: DnsFailure): void
  close(): Promise<void>
}

const RESPONSE_CODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 }

/**
 * Starts a name server on a free UDP port of the loopback that knows these names, follows CNAMEs and answers NXDOMAIN
 * for all other names. Every answer may be kept for no time at all (TTL 0).
 */
export async function startDnsServer(zone: Readonly<Record<string, DnsRecords>> = {}): Promise<DnsServer> {
  const names = new Map(Object.entries(zone).map(([name, records]) => [name.toLowerCase(), { ...records }]))
  const failures = new Map<string, DnsFailure>()
  const questions: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const query = dnsPacket.decode(message)
    const question = query.questions?.[0]
    if (question === undefined) return
    const name = question.name.toLowerCase()
    questions.push(`${question.type} ${name}`)
    const failure = failures.get(name)
    if (failure === 'drop') return
    const answers = failure === undefined ? answersFor(names, question.name, question.type) : []
    const code = failure ?? (answers.length > 0 || exists(names, name) ? 'NOERROR' : 'NXDOMAIN')
    const response: Packet = { id: query.id ?? 0, type: 'response', questions: [question], answers }
    response.flags =
      dnsPacket.AUTHORITATIVE_ANSWER |
      dnsPacket.RECURSION_DESIRED |
      dnsPacket.RECURSION_AVAILABLE |
      RESPONSE_CODES[code]
    socket.send(dnsPacket.encode(response), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    set(name, type, records) {
      failures.delete(name.toLowerCase())
      names.set(name.toLowerCase(), { ...names.get(name.toLowerCase()), [type]: records })
    },
    fail: (name, how) => void failures.set(name.toLowerCase(), how),
    close: () => new Promise((done) => socket.close(() => done())),
  }
}

/** RFC 8020: a name exists when it has records or a name below it has. */
function exists(names: ReadonlyMap<string, DnsRecords>, name: string): boolean {
  return [...names].some(([known, records]) => {
    const below = known === name || known.endsWith(`.${name}`)
    return below && Object.values(records).some((of) => of.length > 0)
  })
}

function answersFor(names: ReadonlyMap<string, DnsRecords>, name: string, type: string, hops = 0): Answer[] {
  const records = names.get(name.toLowerCase())
  const alias = records?.CNAME?.[0]
  if (records === undefined || hops > 8) return []
  if (alias !== undefined && type !== 'CNAME') {
    return [{ type: 'CNAME', name, ttl: 0, data: alias }, ...answersFor(names, alias, type, hops + 1)]
  }
  const given = { name, ttl: 0 }
  if (type === 'MX') {
    return (records.MX ?? []).map(({ exchange, priority }) => {
      return { type, ...given, data: { exchange: exchange || '.', preference: priority } }
    })
  }
  if (type === 'TXT') return (records.TXT ?? []).map((text) => ({ type, ...given, data: [text].flat().flatMap(split) }))
  if (type === 'A' || type === 'AAAA' || type === 'CNAME' || type === 'NS') {
    return (records[type] ?? []).map((data) => ({ type, ...given, data }))
  }
  return []
}

/** A string of a TXT record has at most 255 bytes. */
function split(text: string): string[] {
  return text.length <= 255 ? [text] : [text.slice(0, 255), ...split(text.slice(255))]
}
