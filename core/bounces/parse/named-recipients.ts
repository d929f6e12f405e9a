/** How many characters of a report's text are read. */
const MAX_LENGTH = 16 * 1024
const MAX_ADDRESSES = 50
const MAX_BEFORE = 200

/** An e-mail address in a text, as reports write them. */
const ADDRESS =
  /[<\s("'=:[（「『【：]([\w!#$%&*+/=?^`{|}~.-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})(?=[>\s)"':;,.\]）」』】，。、：]|$)/g
/** Prefixes that reports write before an address without a blank. */
const PREFIX = /^(?:smtp|rfc822|mailto|e-?mail|addr(?:ess)?|rcpt|recipient|user|to)=/

/** The addresses in a text, in order, each once, in lower case. */
export function addressesIn(text: string): readonly string[] {
  const found = new Set<string>()
  for (const [, address] of ` ${text.slice(0, MAX_LENGTH)}`.matchAll(ADDRESS)) {
    if (address !== undefined) found.add(address.toLowerCase().replace(/\.$/, '').replace(PREFIX, ''))
    if (found.size >= MAX_ADDRESSES) break
  }
  return [...found]
}

/** A field of the mail that a report quotes among its own words, as Exchange and hMailServer do. */
export const QUOTED_FIELD =
  /^[>\s|]{0,20}(?:to|from|cc|bcc|reply-to|sender|subject|sent|date|return-path|message-id|an|von|betreff|gesendet|para|de|à|da|oggetto|aan|van|do|od|件名|宛先|发件人|主题)\s{0,4}[:：]\s/i
/** Behind these lines stand those that failed. */
const HEADING =
  /\b(?:following|these|below)\b.{0,40}\b(?:recipient|address|people|person|destinat)|\b(?:did not reach|could not be (?:delivered|reached)|was not delivered to|failed address|undeliverable to|folgende\w* (?:empfänger|adresse)|destinataires? suivants?|siguientes? (?:destinatario|direcci)|seguintes? (?:destinat|endere)|seguent[ei] (?:destinatari|indirizz)|volgende (?:ontvanger|geadresseerde|adres)|następując\w+ (?:odbiorc|adres))|次の宛先|以下の宛先|以下の受信者|下列收件人|以下收件人|받는 ?사람/i

/**
 * The addresses that the text of a report speaks of, those first that it says have failed: below a heading that says so,
 * at the beginning of a line, in a command. Fields of the returned mail that stand among its words count only when there
 * is nothing else.
 */
export function failedAddresses(text: string): readonly string[] {
  const weights = new Map<string, number>()
  let isBelow = false
  for (const line of text.slice(0, MAX_LENGTH).split(/\r?\n/)) {
    const named = addressesIn(line)
    for (const address of named) {
      if (TO_ASK.test(before(line, address))) continue
      weights.set(address, Math.max(weights.get(address) ?? 0, weightOf(line, address, isBelow)))
      if (weights.size >= MAX_ADDRESSES) break
    }
    if (HEADING.test(line)) isBelow = true
    else if (named.length > 0) isBelow = false
  }
  const order = [...weights].toSorted(([, a], [, b]) => b - a)
  const isOnlyQuoted = order.every(([, weight]) => weight === 0)
  return order.flatMap(([address, weight]) => (weight > 0 || isOnlyQuoted ? [address] : []))
}

/** The text right before an address, which tells whether it is named. */
function before(line: string, address: string): string {
  return line.slice(0, line.toLowerCase().indexOf(address)).slice(-MAX_BEFORE)
}

/** Behind these words stands whom to ask for help. */
const TO_ASK =
  /(?:\bcontact(?: (?:us|me|them|the \w{1,20}))?(?: (?:at|by|via))?|\b(?:please|assistance,?|help,?|questions,?) (?:please )?(?:send (?:an? )?(?:e-?)?mail|write|forward this(?: \w{1,20})?)(?: to)?|wenden sie sich(?: bitte)? an|contact(?:er|ez|ar|e)(?: con| [àa])?|p[oó]ngase en contacto con|contattare|neem contact op met|kontakt z) ?:? ?[<("']{0,3}$/i

function weightOf(line: string, address: string, isBelow: boolean): number {
  if (QUOTED_FIELD.test(line)) return 0
  const start = before(line, address)
  if (isBelow && start.trim().length <= 40) return 3
  const isNamed =
    /^[\s<>|"'*([-]{0,40}(?:(?:smtp|rfc822|mailto)[=:;])?[<"' ]*$/i.test(start) ||
    /(?:RCPT TO|recipient|address|user|mailbox|empfänger|destinat\w+|ontvanger|odbiorca|宛先|收件人)\s*(?:[:=：]\s*)?[<(（"']*$/i.test(
      start,
    )
  return isNamed ? 2 : 1
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
