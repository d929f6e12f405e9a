import * as v from 'valibot'
import { Mailbox } from '../../../core/values/mailbox.ts'

/** Whole quoted words, whole addresses in angle brackets, and everything else up to a comma. */
const ENTRY = /(?:"(?:[^"\\]|\\.)*"|<[^<>]*>|[^,"<]|["<])+/gs

/** The addresses of a list with commas (RFC 5322, section 3.4), as they were written. */
export function addressesIn(list: string | null | undefined): readonly string[] {
  return (list ?? '').match(ENTRY)?.flatMap((each) => each.trim() || []) ?? []
}

/** The bare address of such an entry; undefined when it is none. */
export function bareAddress(entry: string): string | undefined {
  const read = v.safeParse(Mailbox, entry)
  return read.success ? read.output.email : undefined
}
