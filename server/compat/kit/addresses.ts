import * as v from 'valibot'
import { Mailbox, mailboxLine } from '../../../core/values/mailbox.ts'

/** Whole quoted words, whole addresses in angle brackets, and everything else up to a comma. */
const ENTRY = /(?:"(?:[^"\\]|\\.)*"|<[^<>]*>|[^,"<]|["<])+/gs

/** The addresses of a list with commas (RFC 5322, section 3.4), as they were written. */
export function addressesIn(list: string | null | undefined): readonly string[] {
  return (list ?? '').match(ENTRY)?.flatMap((each) => each.trim() || []) ?? []
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
