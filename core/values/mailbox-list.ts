import * as v from 'valibot'
import { describedBy } from './described.ts'
import { takes } from './input.ts'
import { listOf } from './list.ts'
import { MailboxText, type NamedAddress } from './mailbox.ts'
import { mailboxLine, readMailboxLine } from './mailbox-line.ts'
import { say } from './parse.ts'

/** The most addresses that replies go to. */
export const MOST_FOR_REPLIES = 20
/** Longer texts are not looked through for commas. */
const MAX_LENGTH = 20_000

const One = v.pipe(
  MailboxText,
  v.transform((mailbox) => [mailbox]),
)
const Several = listOf(MailboxText, 1, MOST_FOR_REPLIES)

/** A text with commas. Its refusals are about the whole text, since it has no items by number. */
const Listed = v.pipe(
  v.string(),
  v.rawTransform<string, readonly NamedAddress[]>(({ dataset, addIssue, NEVER }) => {
    const entries = entriesIn(dataset.value)
    const read = entries.slice(0, MOST_FOR_REPLIES).map((entry) => v.safeParse(MailboxText, entry))
    const [fault] = read.flatMap(({ issues }) => issues?.[0].message ?? [])
    const tooMany = say('too_big', `must have at most ${MOST_FOR_REPLIES} addresses`)
    const message = entries.length > MOST_FOR_REPLIES ? tooMany : fault
    if (message === undefined) return read.flatMap(({ success, output }) => (success ? output : []))
    addIssue({ message })
    return NEVER
  }),
)

type Replies = v.GenericSchema<unknown, readonly NamedAddress[]>

function replies(chosen: (given: unknown) => Replies) {
  return describedBy(
    takes<string | readonly string[]>()(v.pipe(v.lazy(chosen), v.transform(mailboxLines))),
    v.union([v.string(), v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MOST_FOR_REPLIES))]),
  )
}

/** Addresses that replies go to: a text with one, or a list of such texts. Kept as one text. */
export const ReplyTo = replies((given) => (Array.isArray(given) ? Several : One))

/** The same of a record: a text with several between commas, as answers have it, may be written back. */
export const StoredReplyTo = replies((given) => {
  if (Array.isArray(given)) return Several
  return typeof given === 'string' && entriesIn(given.slice(0, MAX_LENGTH)).length > 1 ? Listed : One
})

/** Writes addresses as one text, as a header field has them; `readMailboxLines` reads it again. */
export function mailboxLines(mailboxes: readonly NamedAddress[]): string {
  return mailboxes.map(mailboxLine).join(', ')
}

/** Reads what `mailboxLines` wrote. */
export function readMailboxLines(lines: string): readonly NamedAddress[] {
  return lines.includes(',') ? entriesIn(lines).map(readMailboxLine) : [readMailboxLine(lines)]
}

/** The addresses of a list with commas (RFC 5322, section 3.4), as they were written. */
export function entriesIn(list: string): readonly string[] {
  if (!list.includes(',')) return list.trim() === '' ? [] : [list.trim()]
  const entries: string[] = []
  let [begin, closing] = [0, '']
  for (let at = 0; at < list.length; at += 1) {
    const sign = list[at] ?? ''
    if (closing === '"' && sign === '\\') at += 1
    else if (closing !== '') closing = sign === closing ? '' : closing
    else if (sign === '"') closing = '"'
    else if (sign === '<') closing = '>'
    else if (sign === ',') {
      entries.push(list.slice(begin, at))
      begin = at + 1
    }
  }
  return [...entries, list.slice(begin)].map((entry) => entry.trim()).filter((entry) => entry !== '')
}
