import type { NamedAddress } from '../../../core/values/mailbox.ts'
import { mailboxLine } from '../../../core/values/mailbox-line.ts'

/** The pieces of a line: what stands in quotes or angle brackets has commas of its own. */
const PIECE = /(?:"(?:[^"\\]|\\.)*"?|<[^>]*>?|[^,;"<])+|;/gs

/** People as a line that `listed` reads again: Outlook's names have commas. */
export function lineOf(people: readonly NamedAddress[]): string {
  return people.map(mailboxLine).join(', ')
}

/** The people of a line, as it is typed or pasted: a comma within a name does not divide. */
export function listed(line: string): (string | NamedAddress)[] {
  const found: string[] = []
  let begun = ''
  for (const [piece] of line.matchAll(PIECE)) {
    if (piece === ';') {
      found.push(begun)
      begun = ''
      continue
    }
    const joined = begun === '' ? piece.trim() : `${begun}, ${piece.trim()}`
    // a surname that is pasted as Outlook shows it belongs to what follows
    const isWhole = piece.includes('@')
    if (isWhole && begun !== '' && !piece.includes('<')) found.push(begun, piece.trim())
    else if (isWhole) found.push(joined)
    begun = isWhole ? '' : joined
  }
  return [...found, begun].filter((each) => each !== '').map(read)
}

/** The first address of a line. */
export function firstIn(line: string): string | undefined {
  const [first] = listed(line)
  return (typeof first === 'string' ? first : first?.email) || undefined
}

function read(text: string) {
  const [, before, email] = /^((?:"(?:[^"\\]|\\.)*"|[^"<])*)<([^<>]*)>$/s.exec(text) ?? []
  if (before === undefined || email === undefined) return text
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(before.trim()) ?? []
  const name = quoted?.replace(/\\(.)/gs, '$1') ?? before.trim()
  return name === '' ? email.trim() : { name, email: email.trim() }
}
