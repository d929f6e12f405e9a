/** A field of a message's header. */
export interface RawField {
  /** In lower case. */
  readonly name: string
  /** Unfolded and trimmed. */
  readonly value: string
  /** Including the line ends inside, without the last. */
  readonly text: string
}

/** The content of a field, which decides where words may be encoded (RFC 2047, section 5). */
type Kind = 'addresses' | 'text' | 'structured'

const ADDRESSES = new Set(['from', 'to', 'cc', 'bcc', 'reply-to', 'sender'])
/**
 * In these fields machines read every character. `list-id` and user-defined fields are not among them, since they may
 * contain a phrase.
 */
const STRUCTURED =
  /^(?:date|message-id|in-reply-to|references|mime-version|content-.*|dkim-signature|list-(?:unsubscribe|unsubscribe-post|help|subscribe|post|owner|archive)|feedback-id|precedence|auto-submitted)$/

const ONCE = ['from', 'to', 'subject', 'date', 'message-id', 'mime-version', 'content-type']
/** RFC 5322, section 3.6; RFC 2369, section 4; RFC 2919, section 3; RFC 8058, section 4; Google's Feedback-ID. */
const AT_MOST_ONCE = [
  ...['cc', 'reply-to', 'sender', 'in-reply-to', 'references', 'content-transfer-encoding', 'precedence'],
  ...['list-unsubscribe', 'list-unsubscribe-post', 'list-id', 'list-help', 'feedback-id', 'auto-submitted'],
]
/** Fields that only the delivering server adds, or that must not be seen. */
const NEVER = ['bcc', 'resent-bcc', 'return-path', 'delivered-to', 'x-original-to']

/** The fields of a header, from the top. */
export function readRawFields(head: string): readonly RawField[] {
  return head.split(/\r\n(?![ \t])/).map((text) => {
    const colon = text.indexOf(':')
    const value = text
      .slice(colon + 1)
      .replaceAll('\r\n', '')
      .trim()
    return { name: text.slice(0, Math.max(colon, 0)).toLowerCase(), value, text }
  })
}

/**
 * Everything wrong with the header of a message we sent. `hasPage`: its body links to an unsubscribe page of ours,
 * which needs an engine that knows its public address.
 */
export function* headerProblems(fields: readonly RawField[], hasPage: boolean): Generator<string> {
  const counts = Map.groupBy(fields, ({ name }) => name)
  const times = (name: string) => counts.get(name)?.length ?? 0
  for (const name of ONCE) if (times(name) !== 1) yield `there are ${times(name)} fields ${name}, not one`
  for (const name of AT_MOST_ONCE) if (times(name) > 1) yield `there are ${times(name)} fields ${name}`
  for (const name of NEVER) if (times(name) > 0) yield `there is a field ${name}`
  for (const field of fields) yield* fieldProblems(field)
  const value = (name: string) => counts.get(name)?.[0]?.value ?? ''
  yield* dateProblems(value('date'))
  const [from, ...others] = mailboxesIn(value('from')) ?? []
  if (from === undefined || others.length > 0) yield 'From is not exactly one mailbox'
  const id = /^<([^<>@\s]+)@([^<>@\s]+)>$/.exec(value('message-id'))
  if (!id || !DOT_ATOM.test(id[1]!)) yield `Message-ID is not <left@right>: ${value('message-id')}`
  else if (id[2] !== domainIn(from)) yield `Message-ID is not of the sender's domain: ${value('message-id')}`
  if (value('mime-version') !== '1.0') yield `MIME-Version is ${value('mime-version')}`
  yield* listProblems(value, times, hasPage)
}

/** The domain of an address in lower case. */
export function domainIn(address = ''): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}

/** The addresses of a list (RFC 5322, section 3.4, without its obsolete forms); undefined when it is no such list. */
export function mailboxesIn(value: string): readonly string[] | undefined {
  if (value === 'undisclosed-recipients:;') return []
  const found: string[] = []
  const mailbox = new RegExp(
    `\\s*(?:(?:(?:${WORD})(?:\\s+(?:${WORD}))*\\s+)?<(${ADDRESS})>|(${ADDRESS}))\\s*(,|$)`,
    'y',
  )
  for (;;) {
    const match = mailbox.exec(value)
    if (!match) return undefined
    found.push((match[1] ?? match[2])!)
    if (match[3] === '') return found
  }
}

/** Whether SMTP accepts the address without SMTPUTF8 (RFC 5321, sections 4.1.2 and 4.5.3.1). */
export function isPath(address: string): boolean {
  const at = address.lastIndexOf('@')
  return new RegExp(`^${ADDRESS}$`).test(address) && at <= 64 && address.length <= 254
}

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const DOT_ATOM = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`)
const QUOTED = '"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\t]|\\\\[\\x20-\\x7e])*"'
const WORD = `${ATOM}|${QUOTED}`
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const ADDRESS = `${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})+`

function kindOf(name: string): Kind {
  if (ADDRESSES.has(name)) return 'addresses'
  return STRUCTURED.test(name) ? 'structured' : 'text'
}

function* fieldProblems({ name, value, text }: RawField): Generator<string> {
  if (!/^[\x21-\x39\x3b-\x7e]+:/.test(text)) return yield `not a header field: ${text.slice(0, 60)}`
  if (/[^\x20-\x7e\t\r\n]/.test(text)) yield `${name} has characters that are not printable ASCII`
  const lines = text.split('\r\n')
  if (lines.some((line, i) => i > 0 && line.trim() === '')) yield `${name} has a line of blanks alone`
  for (const [i, line] of lines.entries()) {
    // the first word may stay beside the name; runs of blanks are the sender's own and stay together
    const words = i === 0 ? line.slice(line.indexOf(':') + 1).trimStart() : line.trimStart()
    if (line.length > 78 && /\S [^\s]/.test(words)) yield `${name} has a line of ${line.length} that could be folded`
    if (line.length > 76 && line.includes('=?')) yield `${name} has an encoded-word on a line of ${line.length}`
  }
  const kind = kindOf(name)
  if (kind === 'addresses' && mailboxesIn(value) === undefined) yield `${name} is no list of addresses: ${value}`
  yield* encodedWordProblems(name, value, kind)
}

function* encodedWordProblems(name: string, value: string, kind: Kind): Generator<string> {
  if (!value.includes('=?') || (kind === 'structured' && !/=\?[^\s?]+\?[bq]\?/i.test(value))) return
  if (kind === 'structured') return yield `${name} has an encoded-word`
  for (const word of value.split(/[ \t]+/).filter((each) => each.includes('=?'))) {
    const parts = /^=\?([\w-]+)\?([bq])\?([\x21-\x3e\x40-\x7e]+)\?=$/i.exec(word)
    if (!parts) yield `${name} has a broken encoded-word: ${word}`
    else {
      const [, charset = '', form = '', inside = ''] = parts
      if (word.length > 75) yield `${name} has an encoded-word of ${word.length}`
      // RFC 2047, section 5, rule 3: within a phrase
      if (kind === 'addresses' && form.toLowerCase() === 'q' && !/^[A-Za-z0-9!*+/=_-]+$/.test(inside))
        yield `${name} has an encoded-word with characters a display name must not have: ${word}`
      if (decodedWord(charset, form, inside) === undefined) yield `${name} has an undecodable encoded-word: ${word}`
    }
  }
}

function decodedWord(charset: string, form: string, inside: string): string | undefined {
  if (form.toLowerCase() === 'b' && !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(inside))
    return undefined
  if (form.toLowerCase() === 'q' && /=(?![0-9A-F]{2})/.test(inside)) return undefined
  const q = () =>
    inside.replaceAll('_', ' ').replace(/=(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  const bytes = form.toLowerCase() === 'b' ? Buffer.from(inside, 'base64') : Buffer.from(q(), 'latin1')
  try {
    // each word is decoded by itself, so a character split between two is invalid
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function* dateProblems(value: string): Generator<string> {
  const parts = /^(\w{3}), (\d{1,2}) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) [+-]([01]\d)([0-5]\d)$/.exec(value)
  if (!parts) return yield `Date is not of RFC 5322: ${value}`
  const [day, month, year] = [Number(parts[2]), MONTHS.indexOf(parts[3]!), Number(parts[4])]
  const at = new Date(Date.UTC(year, month, day))
  const isReal = month >= 0 && at.getUTCDate() === day && DAYS[at.getUTCDay()] === parts[1]
  const isTime = Number(parts[5]) < 24 && Number(parts[6]) < 60 && Number(parts[7]) <= 60
  if (!isReal || !isTime || year < 1990 || year > 2100) yield `Date is no real moment: ${value}`
}

/** Gmail and Yahoo require both for marketing mail, and each is useless without the other (RFC 8058, section 3.1). */
function* listProblems(
  value: (name: string) => string,
  times: (name: string) => number,
  hasPage: boolean,
): Generator<string> {
  const [list, post] = [value('list-unsubscribe'), value('list-unsubscribe-post')]
  const isMarketing = hasPage && (times('list-id') > 0 || /^bulk$/i.test(value('precedence')))
  if (isMarketing && list === '') yield 'marketing mail has no List-Unsubscribe'
  if (isMarketing && post === '') yield 'marketing mail has no List-Unsubscribe-Post'
  if (post !== '' && post !== 'List-Unsubscribe=One-Click') yield `List-Unsubscribe-Post is ${post}`
  if (times('list-unsubscribe') > 0) {
    const addresses = list.split(/\s*,\s*/)
    if (!addresses.every((each) => /^<(?:https?|mailto):[^\s<>]+>$/i.test(each) && URL.canParse(each.slice(1, -1))))
      yield `List-Unsubscribe is no list of <addresses>: ${list}`
    else if (post !== '' && !addresses.some((each) => isSafe(new URL(each.slice(1, -1)))))
      yield `List-Unsubscribe has no https address for one click: ${list}`
  } else if (post !== '') yield 'List-Unsubscribe-Post stands without List-Unsubscribe'
  const id = value('list-id')
  if (times('list-id') > 0 && !/^(?:"(?:[^"\\]|\\.)*" |[^<>"]+ )?<[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+>$/.test(id))
    yield `List-Id is not [phrase] <name>: ${id}`
}

/** A local machine needs no certificate. */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127\..*|\[::1\])$/.test(hostname))
}
