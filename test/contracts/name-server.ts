import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import dnsPacket, { type Answer, type Packet } from 'dns-packet'

/**
 * The records of one name, by type. TXT: a string, or the strings it consists of; long ones are split as DNS requires.
 */
export interface DnsRecords {
  A?: readonly string[]
  AAAA?: readonly string[]
  CNAME?: readonly string[]
  NS?: readonly string[]
  PTR?: readonly string[]
  MX?: readonly { readonly exchange: string; readonly priority: number }[]
  TXT?: readonly (string | readonly string[])[]
}

/** How to get no answer: a response code, or silence. */
type Failure = 'SERVFAIL' | 'REFUSED' | 'drop'

/** A running name server for tests. */
export interface NameServer {
  /** `127.0.0.1:port`, for resolvers. */
  readonly address: string
  /** All questions so far, such as `MX example.com`, oldest first, with names in lower case. */
  readonly questions: readonly string[]
  /** Replaces the name's records of one type; an empty list removes them. Ends a failure of the name. */
  set<Type extends keyof DnsRecords>(name: string, type: Type, records: NonNullable<DnsRecords[Type]>): void
  /** Makes every question about the name fail, until records are set for it. */
  fail(name: string, how: Failure): void
  /**
   * `forged`: answers only after three messages that an attacker could have sent, with another id, for another
   * question, and from another port. `old`: answers a format error as long as the question has EDNS0.
   */
  trick(name: string, how: 'forged' | 'old'): void
  close(): Promise<void>
}

export interface NameServerOptions {
  /** How many seconds records may be kept: all of them, or by name. Default 0. */
  readonly ttl?: number | Readonly<Record<string, number>>
  /** How many seconds "nothing there" may be kept. Without it, answers have no SOA record. */
  readonly nothingTtl?: number
  /** Called with each text that is published. */
  readonly published?: (name: string, text: string) => void
}

const RESPONSE_CODES = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 }

/**
 * Starts a name server on a free loopback port (UDP and TCP) that knows these names, follows CNAMEs and answers
 * NXDOMAIN for all other names. An answer too long for a datagram is truncated, and complete over TCP.
 */
export async function startNameServer(
  zone: Readonly<Record<string, DnsRecords>> = {},
  { ttl = 0, nothingTtl, published }: NameServerOptions = {},
): Promise<NameServer> {
  const names = new Map(Object.entries(zone).map(([name, records]) => [name.toLowerCase(), { ...records }]))
  const failures = new Map<string, Failure>()
  const tricks = new Map<string, 'forged' | 'old'>()
  const questions: string[] = []
  const ttlOf = (name: string) => (typeof ttl === 'number' ? ttl : (ttl[name.toLowerCase()] ?? 0))
  const answerTo = (query: Packet): Packet | undefined => {
    const question = query.questions?.[0]
    if (question === undefined) return
    const name = question.name.toLowerCase()
    questions.push(`${question.type} ${name}`)
    const failure = failures.get(name)
    if (failure === 'drop') return
    const isOld = tricks.get(name) === 'old' && (query.additionals ?? []).length > 0
    const answers =
      failure || isOld
        ? []
        : answersFor(names, question.name, question.type).map((each) => ({ ...each, ttl: ttlOf(each.name) }))
    const known = answers.length > 0 || exists(names, name) ? 'NOERROR' : 'NXDOMAIN'
    const code = isOld ? 'FORMERR' : (failure ?? known)
    const response: Packet = { id: query.id ?? 0, type: 'response', questions: isOld ? [] : [question], answers }
    if (answers.length === 0 && nothingTtl !== undefined) response.authorities = [soa(nothingTtl)]
    response.flags =
      dnsPacket.AUTHORITATIVE_ANSWER |
      dnsPacket.RECURSION_DESIRED |
      dnsPacket.RECURSION_AVAILABLE |
      RESPONSE_CODES[code]
    return response
  }
  const tcp = createServer((connection) => {
    connection.on('error', () => {})
    connection.once('data', (bytes) => {
      const query = read(() => dnsPacket.streamDecode(bytes))
      const answer = query && answerTo(query)
      if (answer) connection.end(dnsPacket.streamEncode(answer))
    })
  })
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const address = tcp.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const [socket, stranger] = [createSocket('udp4'), createSocket('udp4')]
  socket.on('message', (message, from) => {
    const query = read(() => dnsPacket.decode(message))
    const answer = query && answerTo(query)
    if (query === undefined || answer === undefined) return
    const send = (packet: Packet, by = socket) => by.send(dnsPacket.encode(packet), from.port, from.address)
    const [question] = query.questions ?? []
    if (question && tricks.get(question.name.toLowerCase()) === 'forged') {
      const forged = [{ type: 'A', name: question.name, ttl: 60, data: '203.0.113.66' } as const]
      send({ ...answer, id: ((query.id ?? 0) + 1) % 65_536, answers: forged })
      send({ ...answer, questions: [{ ...question, name: `x.${question.name}` }], answers: forged })
      send({ ...answer, answers: forged }, stranger)
      setTimeout(() => send(answer), 20)
      return
    }
    const room = query.additionals?.find((each) => each.type === 'OPT')?.udpPayloadSize ?? 512
    const isCut = dnsPacket.encodingLength(answer) > room
    const flags = (answer.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE
    send(isCut ? { ...answer, flags, answers: [] } : answer)
  })
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${port}`,
    questions,
    set(name, type, records) {
      failures.delete(name.toLowerCase())
      names.set(name.toLowerCase(), { ...names.get(name.toLowerCase()), [type]: records })
      if (type === 'TXT') for (const text of records as readonly unknown[]) published?.(name, [text].flat().join(''))
    },
    fail: (name, how) => void failures.set(name.toLowerCase(), how),
    trick: (name, how) => void tricks.set(name.toLowerCase(), how),
    async close() {
      stranger.close()
      await Promise.all([new Promise((done) => tcp.close(done)), new Promise<void>((done) => socket.close(done))])
    },
  }
}

function soa(nothingTtl: number): Answer {
  const data = {
    mname: 'ns.test',
    rname: 'admin.test',
    serial: 1,
    refresh: 1,
    retry: 1,
    expire: 1,
    minimum: nothingTtl,
  }
  return { type: 'SOA', name: 'test', ttl: nothingTtl + 60, data }
}

/** RFC 8020: a name exists when it, or a name below it, has records. */
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
  if (type === 'A' || type === 'AAAA' || type === 'CNAME' || type === 'NS' || type === 'PTR') {
    return (records[type] ?? []).map((data) => ({ type, ...given, data }))
  }
  return []
}

/** A string of a TXT record has at most 255 bytes. */
function split(text: string): string[] {
  return text.length <= 255 ? [text] : [text.slice(0, 255), ...split(text.slice(255))]
}

/** The query; undefined for anything else, such as what is meant for a server that had the port before. */
function read(decode: () => Packet | null): Packet | undefined {
  try {
    return decode() ?? undefined
  } catch {
    return undefined
  }
}
