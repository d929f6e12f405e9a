import * as v from 'valibot'
import { type EngineError, invalidField } from '../errors.ts'
import { EMAIL_STATUSES, type EmailStatus } from '../ports/store/emails.ts'
import type { MailSearch, MailTag, MailWord } from '../ports/store/mails.ts'
import { EmailAddress } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import { DayOrMoment, type Days } from '../values/time-zone.ts'

/** The conditions that the words of a search make together. */
export type Searched = Pick<MailSearch, 'status' | 'from' | 'before' | 'id' | 'address' | 'words' | 'tags'>

/** The most words in a search. */
const MAX_WORDS = 20

/** A word: maybe a prefix with its colon, and a value, in quotes if it has spaces. */
const WORD = /\s*(?:([a-z]+):)?(?:"([^"]*)"|([^\s"]+)|(?<=:)(?=\s|$))(?=\s|$)/iy

const PREFIXES = ['to', 'from', 'subject', 'status', 'tag', 'msgid', 'before', 'after', 'domain'] as const
type Prefix = (typeof PREFIXES)[number]

/**
 * Reads the words of a search, all of which must hold: `to:ada@example.com subject:"your order" status:bounced`. Days are
 * those of `days`. Undefined when no mail can match. Throws EngineError `VALIDATION_ERROR` for what it does not
 * understand.
 */
export function searchOf(text: string, days: Days): Searched | undefined {
  const words: MailWord[] = []
  const tags: MailTag[] = []
  const statuses = new Set<EmailStatus>()
  const ids = new Set<string>()
  const addresses = new Set<string>()
  const froms: number[] = []
  const befores: number[] = []
  for (const { prefix, value } of wordsOf(text)) {
    const low = value.toLowerCase()
    switch (prefix) {
      case undefined:
        words.push({ in: 'any', text: low })
        break
      case 'to': {
        const whole = v.safeParse(EmailAddress, value)
        if (whole.success) addresses.add(whole.output)
        else words.push({ in: 'to', text: low })
        break
      }
      case 'from':
      case 'subject':
        words.push({ in: prefix, text: low })
        break
      case 'domain':
        words.push({ in: 'domain', text: low.replace(/^@/, '') })
        break
      case 'status':
        statuses.add(statusOf(value))
        break
      case 'tag':
        tags.push(tagOf(value))
        break
      case 'msgid': {
        const id = value.replace(/^<|>$/g, '')
        const local = id.split('@', 1)[0]?.toLowerCase() ?? ''
        if (isId(local)) ids.add(local)
        else words.push({ in: 'id', text: id })
        break
      }
      case 'after':
        froms.push(momentOf(prefix, value, days))
        break
      case 'before':
        befores.push(momentOf(prefix, value, days))
    }
  }
  // one mail has one of each
  if ([statuses, ids, addresses].some(({ size }) => size > 1)) return undefined
  const [status] = statuses
  const [id] = ids
  const [address] = addresses
  return {
    ...(status === undefined ? {} : { status }),
    ...(id === undefined ? {} : { id }),
    ...(address === undefined ? {} : { address }),
    ...(froms.length === 0 ? {} : { from: new Date(Math.max(...froms)) }),
    ...(befores.length === 0 ? {} : { before: new Date(Math.min(...befores)) }),
    ...(words.length === 0 ? {} : { words }),
    ...(tags.length === 0 ? {} : { tags }),
  }
}

function wordsOf(text: string): readonly { readonly prefix: Prefix | undefined; readonly value: string }[] {
  const found: { readonly prefix: Prefix | undefined; readonly value: string }[] = []
  const rest = text.trimEnd()
  WORD.lastIndex = 0
  while (WORD.lastIndex < rest.length) {
    const at = WORD.lastIndex
    const match = WORD.exec(rest)
    if (match === null)
      throw refused(`has a quote that is not closed, or text right beside one, at character ${at + 1}`)
    const [, given, quoted, bare] = match
    const value = quoted ?? bare ?? ''
    const prefix = given?.toLowerCase()
    if (prefix !== undefined && !isPrefix(prefix)) {
      const known = PREFIXES.map((each) => `${each}:`).join(', ')
      throw refused(`does not know ${prefix}: (put the word in quotes, or use one of ${known})`)
    }
    if (value.trim() === '') throw refused(`needs text after ${prefix === undefined ? 'a quote' : `${prefix}:`}`)
    found.push({ prefix, value })
    if (found.length > MAX_WORDS) throw refused(`must have at most ${MAX_WORDS} words`, 'too_big')
  }
  return found
}

function isPrefix(text: string): text is Prefix {
  return (PREFIXES as readonly string[]).includes(text)
}

function statusOf(value: string): EmailStatus {
  const status = EMAIL_STATUSES.find((each) => each === value.toUpperCase())
  if (status === undefined) throw refused(`has no such status; status: takes one of ${EMAIL_STATUSES.join(', ')}`)
  return status
}

/** `name=value`, or a name alone for any value. */
function tagOf(value: string): MailTag {
  const at = value.indexOf('=')
  if (at === 0) throw refused('needs a name in tag:name=value')
  return at < 0 ? { name: value } : { name: value.slice(0, at), value: value.slice(at + 1) }
}

function momentOf(prefix: Prefix, value: string, days: Days): number {
  const read = v.safeParse(DayOrMoment, value)
  if (!read.success)
    throw refused(`needs a day such as 2026-01-31 or an ISO 8601 date after ${prefix}:`, 'invalid_date')
  return (typeof read.output === 'string' ? days.start(read.output) : read.output).getTime()
}

function refused(message: string, code: 'custom' | 'too_big' | 'invalid_date' = 'custom'): EngineError {
  return invalidField('search', code, message)
}
