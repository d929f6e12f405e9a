import type { HeaderField } from './relaxed.ts'

/**
 * Named once more than they occur, so that no other can be added to a signed mail and send it again (RFC 6376, section
 * 8.15). RFC 8058, section 4, demands that the fields of one-click unsubscription are signed.
 */
const SEALED = [
  'from',
  'to',
  'cc',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'content-type',
  'list-id',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'feedback-id',
]

/** Signed as often as they occur: a mailing list or a gateway may add its own. */
const WHEN_PRESENT = new Set([
  'content-transfer-encoding',
  'in-reply-to',
  'references',
  'list-help',
  'list-subscribe',
  'list-owner',
  'list-post',
  'list-archive',
  'auto-submitted',
  'precedence',
])

/** The fields that a signature covers. */
export interface SignedFields {
  /** The names for the `h=` tag. */
  readonly names: readonly string[]
  /** The fields that exist, in the order of the names; of several with one name the lowest first (section 5.4.2). */
  readonly fields: readonly HeaderField[]
}

/** Chooses the fields of a header to sign. */
export function signedFields(header: readonly HeaderField[]): SignedFields {
  const byName = new Map<string, HeaderField[]>(SEALED.map((name) => [name, []]))
  for (const field of header.toReversed()) {
    const same = byName.get(field.name)
    if (same) same.push(field)
    else if (WHEN_PRESENT.has(field.name)) byName.set(field.name, [field])
  }
  const names: string[] = []
  for (const [name, { length }] of byName) {
    const times = WHEN_PRESENT.has(name) ? length : length + 1
    for (let i = 0; i < times; i++) names.push(name)
  }
  return { names, fields: [...byName.values()].flat() }
}
