/** Where the text of a report ends and the returned mail begins. */
const RETURNED: readonly RegExp[] = [
  /^[->\t *=_#]{0,80}(?:(?:this is|below this line is|here is|below is|following is)? ?a? ?copy of (?:the|your)|(?:unsent|original|returned|unaltered|undelivered|rejected|your) (?:message|mail)(?: (?:header|text|follows|below|is|was|body|attached)|\s*[-=:*]|\s*$)|message headers? follow|header of (?:the )?(?:original|undelivered)|the (?:header|headers|text|content) of (?:the|your) (?:original )?(?:message|mail))/im,
  /^(?:Received: (?:from|by|\(qmail)|Return-Path: ?<)/im,
]
/** How many characters of a report's text are read. */
const MAX_LENGTH = 16 * 1024

/** The text of a report without the mail it returns. */
export function ownWords(text: string): string {
  const words = text.slice(0, MAX_LENGTH)
  let end = words.length
  for (const pattern of RETURNED) {
    const at = pattern.exec(words)?.index
    // a report that begins with it has no other text
    if (at !== undefined && at > 40 && at < end) end = at
  }
  return words.slice(0, end)
}

/** An e-mail address in a text, as reports write them. */
const ADDRESS = /[<\s("'=:]([\w!#$%&*+/=?^`{|}~.-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})(?=[>\s)"':;,.]|$)/g
const MAX_ADDRESSES = 50

/** The addresses in a text, in order, each once, in lower case. */
export function addressesIn(text: string): readonly string[] {
  const found = new Set<string>()
  for (const [, address] of ` ${text.slice(0, MAX_LENGTH)}`.matchAll(ADDRESS)) {
    if (address !== undefined) found.add(address.toLowerCase().replace(/\.$/, ''))
    if (found.size >= MAX_ADDRESSES) break
  }
  return [...found]
}

/** The text from where an address is named up to the next address; for a single one that is not named, all of it. */
export function wordsAbout(text: string, address: string | undefined, others: readonly string[]): string {
  const lower = text.toLowerCase()
  const from = address === undefined ? -1 : lower.indexOf(address)
  if (others.length < 2) return text
  if (from < 0) return ''
  const ends = others.flatMap((other) => {
    const at = other === address ? -1 : lower.indexOf(other, from + 1)
    return at < 0 ? [] : [at]
  })
  return text.slice(from, Math.min(text.length, ...ends))
}

/** Whether the report says that mail is late and that nothing needs to be done yet. */
export function reportsDelay(text: string): boolean {
  return /\b(?:do(?:es)? not need to (?:resend|do anything)|THIS IS A WARNING (?:MESSAGE )?ONLY|will (?:continue to |keep )?(?:be )?(?:retr|try|attempt)|still (?:being )?(?:retried|trying)|has been delayed|delivery (?:is|was) delayed|not yet been delivered|no action is required)/i.test(
    text,
  )
}

/** A reply (RFC 5321) or a status code (RFC 3463) at the beginning of a line, after an address or after a colon. */
const REPLY_LINE =
  /(?:^[ \t<>|*-]{0,80}(?:<?[^\s<>@]{1,64}@[^\s<>@]{1,255}>?:?\s+)?|[:;]\s*["'(<]*|\bsaid\s+["'(<]*|\((?:reason: )?)((?:[45]\d\d[ -]|#?[45]\.\d{1,3}\.\d{1,3}[ :-]).{2,})$/
const MAX_REASON_LINES = 12

/** What a server gave as the reason in the text of a report: its reply, or what stands behind the address. */
export interface Reason {
  readonly text: string
  /** It is one server's reply, and no more. */
  readonly isReply: boolean
}

/** Finds the reason in the text about one recipient; undefined when only the text as a whole says it. */
export function reasonIn(text: string, address: string | undefined): Reason | undefined {
  const lines = text.split(/\r?\n/)
  for (const [at, line] of lines.entries()) {
    const reply = REPLY_LINE.exec(line.slice(0, 1000))?.[1]
    if (reply !== undefined) return { text: paragraph([reply, ...lines.slice(at + 1)]), isReply: true }
  }
  for (const [at, line] of lines.entries()) {
    const behind = address === undefined ? undefined : behindName(line, address)
    if (behind === undefined) continue
    const told = paragraph(behind.length > 3 ? [behind, ...lines.slice(at + 1)] : lines.slice(at + 1))
    if (/[a-z\u0080-\uffff]{3}/i.test(told)) return { text: told, isReply: false }
  }
  return undefined
}

/** What follows an address that a line begins with; undefined when it does not. */
function behindName(line: string, address: string): string | undefined {
  const start = line.toLowerCase().indexOf(address)
  if (start < 0 || line.slice(0, start).trim().length > 8) return undefined
  return line
    .slice(start + address.length)
    .replace(BETWEEN, '')
    .trim()
}

/** Between an address and its reason; Exchange writes the time of the failure. */
const BETWEEN = /^[>"'\s)]*(?::|\.{3}|-|,)?\s*(?:on \d{1,4}[./-]\d{1,2}[./-]\d{1,4} [\d:]{4,8}(?: ?[AP]M)?\s*)?/

/** The lines up to an empty one, as one. */
function paragraph(lines: readonly string[]): string {
  const end = lines.findIndex((line, at) => at > 0 && (line.trim() === '' || /^\s*(?:>>>|--|__|==)/.test(line)))
  const most = Math.min(end < 0 ? lines.length : end, MAX_REASON_LINES)
  return lines
    .slice(0, most)
    .map((line) => line.replace(/^\s*<<<\s*/, '').trim())
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** How mail systems begin their reports, before they come to the reason. */
const GREETINGS: readonly RegExp[] = [
  /^(?:Hi[!.,]?|Hello[!.,]?|Dear [^.!\n]{1,60}[,.!])\s*/i,
  /This is the (?:MAILER-DAEMON|qmail-send program|mail (?:delivery )?system|Postfix program|[\w.-]{1,40} (?:mail )?(?:agent|program|server))[^.!\n]{0,120}(?:[.!]|\n)(?:[^\s.]{1,60}\.)?\s*/i,
  /(?:please )?DO NOT REPLY to this e-?mail\.?\s*/i,
  /This (?:message|e-?mail|notification|is an automat\w+)[^.\n]{0,40}(?:was |is )?(?:created|generated|sent) automatically[^.]{0,80}\.\s*/i,
  /This is an automatically generated [^.\n]{0,80}\.\s*/i,
  /(?:A message (?:that you sent|\(from[^)]*\)|sent by[^.]{0,100}?)|Your message) could not be delivered to (?:one or more|all|any) of (?:its|the)? ?recipients\.?\s*/i,
  /This is a permanent error[^.\n]{0,30}\.?\s*/i,
  /The following address\(?(?:es)?\)? failed:\s*/i,
  /I'?m (?:sorry|afraid)[^.\n]{0,20}(?: I wasn't able to deliver your message to| to have to inform you that your message could not)[^.]{0,200}\.\s*/i,
  /An error (?:has )?occurred while (?:attempting|trying) to deliver (?:a |the )?(?:message|mail) (?:for|to) the following(?: list of)? recipients:?\s*/i,
]

/** The text of a report without its greeting, so that it begins with what happened. */
export function withoutGreeting(text: string): string {
  const words = text.slice(0, 4000).replace(/\s+/g, ' ').trim()
  const told = GREETINGS.reduce((rest, greeting) => rest.replace(greeting, ' ').trim(), words)
  return told === '' ? text : told
}
