/** A message's envelope, as the servers on its way wrote it into the header. */
export interface WrittenEnvelope {
  /** The reverse path; empty for the null sender. The author when no server wrote one. */
  readonly from: string
  /** The recipients, each once, in the order of the fields: the last server's first. */
  readonly to: readonly string[]
}

/** How much of the header is read: servers write their fields at the top. */
const HEAD = 64 * 1024
const MAX_RECIPIENTS = 20
const MAX_ADDRESS_LENGTH = 320

/** The fields in which servers name the recipient: Postfix, Exim, qmail, Dovecot, Gmail, Fastmail. */
const DELIVERED = /^(?:delivered-to|x-delivered-to|x-original-to|envelope-to|x-envelope-to)$/

/** Reads the envelope out of the header. `To` and `Cc` are not used: the author can write anything there. */
export function writtenEnvelope(raw: Uint8Array): WrittenEnvelope {
  const to = new Set<string>()
  let [path, author]: (string | undefined)[] = []
  for (const [name, value] of fieldsOf(raw)) {
    if (name === 'return-path') path ??= /<\s*>/.test(value) ? '' : addressIn(value)
    else if (name === 'from') author ??= addressIn(value.slice(value.lastIndexOf('<') + 1))
    else if (DELIVERED.test(name)) for (const each of value.split(',', MAX_RECIPIENTS)) add(to, addressIn(each))
  }
  return { from: path ?? author ?? '', to: [...to] }
}

function add(to: Set<string>, address: string | undefined): void {
  if (address !== undefined && to.size < MAX_RECIPIENTS) to.add(address)
}

function addressIn(text: string): string | undefined {
  const address = /^[\s<]*([^\s<>@]+@[^\s<>@]+)/.exec(text.slice(0, MAX_ADDRESS_LENGTH + 20))?.[1]
  return address !== undefined && address.length <= MAX_ADDRESS_LENGTH ? address : undefined
}

function* fieldsOf(raw: Uint8Array): Generator<readonly [name: string, value: string]> {
  const head = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.length, HEAD)).toString('utf8')
  const end = /\r?\n\r?\n/.exec(head)?.index ?? head.length
  for (const field of head.slice(0, end).split(/\r?\n(?![ \t])/)) {
    const colon = field.indexOf(':')
    if (colon > 0) yield [field.slice(0, colon).trim().toLowerCase(), field.slice(colon + 1)]
  }
}
