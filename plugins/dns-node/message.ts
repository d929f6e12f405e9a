import { randomInt } from 'node:crypto'
import dnsPacket, { type DecodedPacket, type Packet } from 'dns-packet'

/** The kinds of records that are asked for. */
export type RecordKind = 'A' | 'AAAA' | 'CNAME' | 'MX' | 'NS' | 'PTR' | 'TXT'

/** What is asked: a name in lower case, in ASCII, without a dot at its end. */
export interface Question {
  readonly name: string
  readonly type: RecordKind
}

/** What fits into one datagram on every path (DNS flag day 2020); a longer answer is asked for over TCP. */
const UDP_BYTES = 1232

/** A question as it is sent, with an id that nobody can guess. EDNS0 (RFC 6891) lets the answer be longer than 512 bytes. */
export function queryFor({ name, type }: Question, edns: boolean): Packet & { readonly id: number } {
  const option = { type: 'OPT', name: '.', udpPayloadSize: UDP_BYTES, extendedRcode: 0, ednsVersion: 0 } as const
  return {
    id: randomInt(65_536),
    type: 'query',
    flags: dnsPacket.RECURSION_DESIRED,
    questions: [{ type, name, class: 'IN' }],
    ...(edns ? { additionals: [{ ...option, flags: 0, flag_do: false, options: [] }] } : {}),
  }
}

/** The message when it answers this query; undefined for what anybody may have sent: another id, another question, no message. */
export function answerTo(query: Packet, bytes: Buffer): DecodedPacket | undefined {
  const [asked] = query.questions ?? []
  const message = decoded(bytes)
  if (asked === undefined || message === undefined || message.id !== query.id || message.type !== 'response') return
  const [question, ...more] = message.questions ?? []
  // an old server answers what it does not understand with a bare head
  if (question === undefined) return rcodeOf(message) === 0 ? undefined : message
  if (more.length > 0) return
  return question.type === asked.type && question.name.toLowerCase() === asked.name ? message : undefined
}

/** What the server says of the question as a whole: 0 for an answer, 3 for a name that does not exist. */
export function rcodeOf(message: Packet): number {
  return (message.flags ?? 0) & 0xf
}

function decoded(bytes: Buffer): DecodedPacket | undefined {
  try {
    return dnsPacket.decode(bytes)
  } catch {
    return
  }
}
