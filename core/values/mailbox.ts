import addressparser from 'nodemailer/lib/addressparser'
import * as v from 'valibot'
import { decodeWords } from './decoded-words.ts'
import { describedBy, named } from './described.ts'
import { EmailAddress } from './email-address.ts'
import { headerText } from './header-text.ts'
import { type InputOf, takes } from './input.ts'
import { isJsonObject } from './json.ts'
import { say } from './parse.ts'

/** An address with its display name. */
export interface NamedAddress {
  /** The address. */
  readonly email: string
  /** The name beside it; absent without one. */
  readonly name?: string
}

/** The longest text: a name of 255 characters, all of them quoted, and the longest address. */
const MAX_LENGTH = 1000
/** The longest display name, in characters. */
export const LONGEST_NAME = 255

const BROKEN = say('header_injection', 'must not contain line breaks or NUL')
const NOT_ONE = say(
  'invalid_string',
  'must be one e-mail address, such as ada@example.com or Ada Lovelace <ada@example.com>',
)
/** Only the name before an address is filled in. */
const hasPlaceholder = (text: string) => text.slice(text.lastIndexOf('<') + 1).includes('{{')
const PLACEHOLDER = say('invalid_string', 'must be an e-mail address such as ada@example.com, and not a placeholder')

/**
 * One address, bare or as `Ada Lovelace <ada@example.com>` (RFC 5322, section 3.4). The parser and a search for the
 * last angle brackets must find the same address: where readers disagree, mail goes astray.
 */
export const MailboxText = v.pipe(
  v.string(),
  v.rawTransform<string, NamedAddress>(({ dataset, addIssue, NEVER }) => {
    const text = dataset.value.trim()
    const refuse = (message: string) => {
      addIssue({ message })
      return NEVER
    }
    if (hasPlaceholder(text)) return refuse(PLACEHOLDER)
    if (!text.includes('<')) {
      const bare = v.safeParse(EmailAddress, text)
      return bare.success ? { email: bare.output } : refuse(bare.issues[0].message)
    }
    if (/[\r\n\0]/.test(text)) return refuse(BROKEN)
    if (text.length > MAX_LENGTH || !text.endsWith('>')) return refuse(NOT_ONE)
    const [found, ...more] = addressparser(text)
    const bracketed = v.safeParse(EmailAddress, text.slice(text.lastIndexOf('<') + 1, -1))
    if (more.length > 0 || !bracketed.success || !found?.address) return refuse(NOT_ONE)
    const parsed = v.safeParse(EmailAddress, found.address)
    if (!parsed.success || parsed.output !== bracketed.output) return refuse(NOT_ONE)
    const name = found.name.trim()
    if (name.length > LONGEST_NAME)
      return refuse(say('too_big', `the name must have at most ${LONGEST_NAME} characters`))
    if (/[\r\n\0]/.test(name)) return refuse(BROKEN)
    return name === '' ? { email: parsed.output } : { email: parsed.output, name }
  }),
)

const MailboxObject = v.object({
  /** The display name. */
  name: v.nullish(headerText(0, LONGEST_NAME)),
  /** The bare address. */
  email: EmailAddress,
})

/** An address: `ada@example.com`, `Ada <ada@example.com>`, or its parts. */
export type MailboxInput = string | InputOf<typeof MailboxObject>

/** `ada@example.com`, `Ada <ada@example.com>` or `{ name?, email }`; errors name the inner field. */
export const Mailbox = named(
  'Mailbox',
  describedBy(
    takes<MailboxInput>()(
      v.pipe(
        v.lazy(
          (given): v.GenericSchema<unknown, v.InferOutput<typeof MailboxObject>> =>
            isJsonObject(given) ? MailboxObject : MailboxText,
        ),
        v.transform(({ name, email }): NamedAddress => (name ? { email, name } : { email })),
      ),
    ),
    v.union([MailboxText, MailboxObject]),
  ),
)

/**
 * The addresses in a field of a message, such as `To` (RFC 5322, section 3.4), also those of groups, with their names decoded
 * (RFC 2047); what is none is left out.
 */
export function mailboxesIn(field: string, most: number): readonly NamedAddress[] {
  const found = addressparser(field.slice(0, LONGEST_FIELD), { flatten: true })
  return found.slice(0, most).flatMap(({ name, address }) => {
    const read = v.safeParse(EmailAddress, address)
    if (!read.success) return []
    const words = decodeWords(name)
      .replace(/[\r\n\0]+/g, ' ')
      .trim()
      .slice(0, LONGEST_NAME)
    return words === '' || words === address
      ? { email: read.output }
      : { email: read.output, name: words.toWellFormed() }
  })
}

/** How much of a field of addresses is read, in characters. */
const LONGEST_FIELD = 50_000

/** A sender and its name as records have them: a separate name wins over the one with the address. */
export function senderFields({ from, fromName }: Sender): {
  readonly from?: string | null
  readonly fromName?: string | null
} {
  const name = fromName ?? from?.name ?? fromName
  return {
    ...(from === undefined ? {} : { from: from === null ? null : from.email }),
    ...(name === undefined ? {} : { fromName: name }),
  }
}

interface Sender {
  readonly from?: NamedAddress | null | undefined
  readonly fromName?: string | null | undefined
}
