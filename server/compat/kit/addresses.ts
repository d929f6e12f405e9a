import * as v from 'valibot'
import { Mailbox } from '../../../core/values/mailbox.ts'
import { mailboxLine } from '../../../core/values/mailbox-line.ts'
import { entriesIn } from '../../../core/values/mailbox-list.ts'

/** The addresses of a list with commas (RFC 5322, section 3.4), as they were written. */
export function addressesIn(list: string | null | undefined): readonly string[] {
  return entriesIn(list ?? '')
}

/** An address with its name as a header field has it; empty without an address. */
export function lineOf(email: string | null, name: string | undefined): string {
  if (email === null) return ''
  return mailboxLine(name ? { email, name } : { email })
}

/** The bare address of such an entry; undefined when it is none. */
export function bareAddress(entry: string): string | undefined {
  const read = v.safeParse(Mailbox, entry)
  return read.success ? read.output.email : undefined
}
