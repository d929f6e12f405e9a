/** The envelope of a message as far as the servers it passed have written it down. */
export interface WrittenEnvelope {
  /** The reverse path; the null sender is the empty string. Of a message that has none its author. */
  readonly from: string
  /** Whom it was delivered to, each once, in the order of the fields: the last server's first. */
  readonly to: readonly string[]
}

/** A longer header is read so far: what servers write stands in front. */
const HEAD = 64 * 1024
const MOST = 20
const LONGEST = 320

/** What servers call the recipient: Postfix, Exim, qmail, Dovecot, Gmail, Fastmail. */
const DELIVERED = /^(?:delivered-to|x-delivered-to|x-original-to|envelope-to|x-envelope-to)$/

/** Reads the envelope out of the header. `To` and `Cc` say nothing of it: they are whatever the author wrote. */
export function writtenEnvelope(raw: Uint8Array): WrittenEnvelope {
  const to = new Set<string>()
  let [path, author]: (string | undefined)[] = []
  for (const [name, value] of fieldsOf(raw)) {
    if (name === 'return-path') path ??= /<\s*>/.test(value) ? '' : addressIn(value)
    else if (name === 'from') author ??= addressIn(value.slice(value.lastIndexOf('<') + 1))
    else if (DELIVERED.test(name)) for (const each of value.split(',', MOST)) add(to, addressIn(each))
  }
  return { from: path ?? author ?? '', to: [...to] }
}

function add(to: Set<string>, address: string | undefined): void {
  if (address !== undefined && to.size < MOST) to.add(address)
}

function addressIn(text: string): string | undefined {
  const address = /^[\s<]*([^\s<>@]+@[^\s<>@]+)/.exec(text.slice(0, LONGEST + 20))?.[1]
  return address !== undefined && address.length <= LONGEST ? address : undefined
}

function* fieldsOf(raw: Uint8Array): Generator<readonly [name: string, value: string]> {
  const head = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.length, HEAD)).toString('utf8')
  const end = /\r?\n\r?\n/.exec(head)?.index ?? head.length
  for (const field of head.slice(0, end).split(/\r?\n(?![ \t])/)) {
    const colon = field.indexOf(':')
    if (colon > 0) yield [field.slice(0, colon).trim().toLowerCase(), field.slice(colon + 1)]
  }
}
