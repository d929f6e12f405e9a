import { randomInt } from 'node:crypto'
import dnsPacket, { type DecodedPacket, type Packet } from 'dns-packet'

/** The kinds of records we ask for. */
export type RecordKind = 'A' | 'AAAA' | 'CNAME' | 'MX' | 'NS' | 'PTR' | 'TXT'

/** A question: the name is in lower case, in ASCII, without a final dot. */
export interface Question {
  readonly name: string
  readonly type: RecordKind
}

/**
 * The longest answer that fits into one datagram on every path (DNS flag day 2020). Longer ones are asked for over TCP.
 */
const UDP_BYTES = 1232

/**
 * The packet for a question, with an id that cannot be guessed. EDNS0 (RFC 6891) lets the answer
 * be longer than 512 bytes.
 */
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

/**
 * Decodes the answer to this query. Undefined for anything else, which any stranger may have sent: another id, another
 * question, or no message.
 */
export function answerTo(query: Packet, bytes: Buffer): DecodedPacket | undefined {
  const [asked] = query.questions ?? []
  const message = decoded(bytes)
  if (asked === undefined || message === undefined || message.id !== query.id || message.type !== 'response') return
  const [question, ...more] = message.questions ?? []
  // an old server answers what it does not understand with a bare header
  if (question === undefined) return rcodeOf(message) === 0 ? undefined : message
  if (more.length > 0) return
  return question.type === asked.type && question.name.toLowerCase() === asked.name ? message : undefined
}

/** The server's answer to the question as a whole: 0 for an answer, 3 for a name that does not exist. */
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
