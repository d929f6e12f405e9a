import type { NamedAddress } from './mailbox.ts'

/** Characters that a name needs quotes for (RFC 5322, section 3.2.3). */
const SPECIAL = /["\\()<>[\]:;@,.]/

/** Writes an address with its name as one text, which `readMailboxLine` reads again. */
export function mailboxLine({ email, name }: NamedAddress): string {
  if (!name) return email
  return `${SPECIAL.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name} <${email}>`
}

/** Reads what `mailboxLine` wrote. */
export function readMailboxLine(line: string): NamedAddress {
  const [, quoted, plain, email] = /^(?:"(.*)"|([^"<]*)) <([^<>]*)>$/s.exec(line) ?? []
  if (email === undefined) return { email: line }
  return { email, name: plain ?? quoted?.replace(/\\(.)/gs, '$1') ?? '' }
}
