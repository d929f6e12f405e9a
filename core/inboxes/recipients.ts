import type { MailMessage } from '../mails/mails.ts'
import type { DRAFT_KINDS } from '../ports/store/drafts.ts'
import { mailboxesIn, type NamedAddress } from '../values/mailbox.ts'

/** How many recipients an answer gets by itself in each field. */
const MOST = 50

/** Whom an answer goes to. */
export interface Recipients {
  readonly to: readonly NamedAddress[]
  readonly cc: readonly NamedAddress[]
}

/**
 * Whom a draft goes to that names no recipients (RFC 5322, section 3.6.3): an answer to where the message asks for answers, an
 * answer to all besides to everyone it was written to, but never to the inbox itself. A forward and a new mail have none.
 */
export function recipientsOf(
  kind: (typeof DRAFT_KINDS)[number],
  message: MailMessage | undefined,
  own: ReadonlySet<string>,
): Recipients {
  if (message === undefined || kind === 'new' || kind === 'forward') return { to: [], cc: [] }
  const { to, others } = message.received === undefined ? sentTo(message) : receivedFrom(message, own)
  // an answer to a mail of one's own goes on to whom that went
  const foreign = to.filter(({ email }) => !own.has(email))
  const first = foreign.length > 0 ? foreign : to
  const named = new Set([...own, ...first.map(({ email }) => email)])
  const cc = kind === 'reply' ? [] : others.filter(({ email }) => !named.has(email) && named.add(email))
  return { to: first.slice(0, MOST), cc: cc.slice(0, MOST) }
}

function sentTo({ email, addressed }: MailMessage) {
  const first = { email: email.to, ...(email.toName === undefined ? undefined : { name: email.toName }) }
  return { to: [first, ...plain(addressed?.alsoTo ?? [])], others: plain(addressed?.cc ?? []) }
}

function receivedFrom({ from, received }: MailMessage, own: ReadonlySet<string>) {
  const listed = (name: string) => [received?.headers[name] ?? []].flat().flatMap((field) => mailboxesIn(field, MOST))
  // programs put the inbox itself there: an answer to that would never reach the author
  const isAsked = (all: readonly NamedAddress[]) => all.some(({ email }) => !own.has(email))
  const asked = listed('reply-to')
  return { to: isAsked(asked) ? asked : plain([from]), others: [...listed('to'), ...listed('cc')] }
}

function plain(
  all: readonly { readonly email: string; readonly name?: string | undefined }[],
): readonly NamedAddress[] {
  return all.filter(({ email }) => email !== '').map(({ email, name }) => (name ? { email, name } : { email }))
}
