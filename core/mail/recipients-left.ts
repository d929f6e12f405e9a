import type { Mailbox } from '../ports/mail-transport.ts'

/** The recipients of a mail, as its header fields and blind copies have them. */
export interface Recipients {
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly bcc: readonly Mailbox[]
}

/**
 * Those of an envelope, each once, for a provider that delivers to all it is given. Open copies move up when no other
 * recipient is left, since providers want one in `to`. Blind copies never do: they would see each other.
 */
export function recipientsLeft({ to, cc, bcc }: Recipients, envelope: readonly string[]): Recipients {
  const left = new Set(envelope)
  const take = (mailboxes: readonly Mailbox[]) => mailboxes.filter(({ email }) => left.delete(email))
  const [first, open, blind] = [take(to), take(cc), take(bcc)]
  return first.length > 0 ? { to: first, cc: open, bcc: blind } : { to: open, cc: [], bcc: blind }
}
