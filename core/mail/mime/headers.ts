/**
 * Header fields (lower-case) that only the engine writes, besides every `Content-…`, `Resent-…` and `ARC-…` field.
 * `Reply-To` is set by the mail's own `replyTo`. `Sender` is reserved because it names who really sent the mail, which
 * must be the verified domain.
 */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'from',
  'to',
  'cc',
  'bcc',
  'reply-to',
  'sender',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'return-path',
  'received',
  'received-spf',
  'delivered-to',
  'dkim-signature',
  'domainkey-signature',
  'authentication-results',
])

/** True for a header field that a sender may not add; letter case does not matter. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return RESERVED_HEADERS.has(lower) || /^(?:content|resent|arc)-/.test(lower)
}

/** True for a field name of RFC 5322, section 2.2 (printable ASCII without the colon) of at most 76 characters. */
export function isHeaderName(name: string): boolean {
  return /^[\x21-\x39\x3b-\x7e]{1,76}$/.test(name)
}
