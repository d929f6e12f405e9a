/**
 * How the server treats the address, or what becomes of its contact while the campaign is sent; the first part of the
 * address, so that the server knows it.
 */
export const KINDS = {
  /** Takes its mail. */
  ok: { share: 120 },
  /** Does not exist: said at RCPT TO, or only after the message. */
  unknown: { share: 12 },
  refused: { share: 8 },
  /** Does not want mail from us, which is our fault. */
  policy: { share: 6 },
  /** Is put off some times: at RCPT TO, or after the message. */
  later: { share: 20 },
  deferred: { share: 12 },
  /** Is greylisted at its first try. */
  grey: { share: 12 },
  /** Has a full mailbox until the first mail is given up. */
  full: { share: 4 },
  /** Unsubscribed or suppressed before; the entry of `expired` is over. */
  unsubscribed: { share: 10 },
  suppressed: { share: 8 },
  expired: { share: 6 },
  /** Put off until something happens to the contact: removed, unsubscribed by the API, suppressed by hand. */
  removed: { share: 6 },
  leaving: { share: 6 },
  banned: { share: 6 },
  /** Takes its mail, and is removed some time. */
  gone: { share: 12 },
} as const satisfies Readonly<Record<string, { readonly share: number }>>

export type Kind = keyof typeof KINDS

/** Who is put off again and again. */
export const HELD: readonly Kind[] = ['removed', 'leaving', 'banned']

/** The addresses of one kind, in a world of `size` (1 is some 250 people; everybody has at least one of each kind). */
export function addressesOf(kind: Kind, size: number): readonly string[] {
  const count = Math.max(1, Math.round(KINDS[kind].share * size))
  return Array.from({ length: count }, (_, i) => `${kind}-${i}@example.org`)
}

/** The kind of an address that `addressesOf` made. */
export function kindOf(address: string): Kind {
  const [kind = ''] = address.split('-')
  if (!Object.hasOwn(KINDS, kind)) throw new Error(`${address} is nobody here`)
  return kind as Kind
}
