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

/** The text from where an address is named up to the next address; the whole text when it is not named. */
export function wordsAbout(text: string, address: string | undefined, others: readonly string[]): string {
  const lower = text.toLowerCase()
  const from = address === undefined ? -1 : lower.indexOf(address)
  if (from < 0 || others.length < 2) return text
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
