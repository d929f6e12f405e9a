import { isConfidential } from '../../mail/email.ts'
import { headerFields } from '../../mail/mime/message-header.ts'
import type { MailContent } from '../../ports/store/contents.ts'
import type { Email } from '../../ports/store/emails.ts'
import type { MailClass } from '../../settings/route-settings.ts'
import { domainOf } from '../../values/email-address.ts'
import type { Dimension, Facts, RuleBook } from './rules.ts'

/** The part of a mail that rules look at. */
export type RoutedMail = Pick<
  Email,
  'id' | 'projectId' | 'to' | 'sourceType' | 'campaignId' | 'templateId' | 'tags' | 'lane' | 'createdAt'
>

/** The kind of a mail. Tests of campaigns go the way of campaigns, mails about accounts that of transactional mail. */
export function classOf(email: Pick<Email, 'sourceType' | 'tags' | 'campaignId'>): MailClass {
  if (email.sourceType === 'WORKFLOW') return 'workflow'
  return email.sourceType === 'CAMPAIGN' && !isConfidential(email) ? 'campaign' : 'transactional'
}

/**
 * The values of a mail as far as the rules ask for them; `content` is undefined when it is gone. What its receiver and
 * the name of its project are is not in the ledger.
 */
export function valuesOf(
  book: RuleBook,
  email: RoutedMail,
  content: MailContent | undefined,
  more: { readonly projectName?: string | undefined } = {},
): Map<Dimension, readonly string[]> {
  const { projectName } = more
  const values = new Map<Dimension, readonly string[]>()
  const set = (dimension: Dimension, ...given: readonly (string | undefined)[]) => {
    if (!book.asks(dimension)) return
    const [first, ...others] = given.filter((value) => value !== undefined)
    const known = first === undefined ? NONE : book.reaching(dimension, first)
    values.set(dimension, others.length === 0 ? known : [...known, ...others])
  }
  set('class', classOf(email))
  set('project', email.projectId, projectName)
  set('recipientDomain', domainOf(email.to))
  set('senderDomain', content && domainOf(content.from.email))
  set('template', email.templateId)
  for (const name of book.named('tag'))
    set(`tag ${name}`, Object.hasOwn(email.tags, name) ? email.tags[name] : undefined)
  const headers = book.named('header')
  const fields = headers.length > 0 && content ? headersOf(content) : undefined
  for (const name of headers) set(`header ${name}`, fields?.get(name))
  return values
}

/** The facts of these values; without a receiver that is still to be asked for. */
export function factsOf(values: ReadonlyMap<Dimension, readonly string[]>, receiver?: string | null): Facts {
  return (dimension) => {
    if (dimension !== 'receiver') return values.get(dimension) ?? NONE
    return receiver === undefined ? undefined : receiver === null ? NONE : [receiver]
  }
}

const NONE: readonly string[] = []

const HEADERS = new WeakMap<MailContent, ReadonlyMap<string, string>>()

/** The header fields that the sender has added, by their names in lower case; of several with one name the first. */
function headersOf(content: MailContent): ReadonlyMap<string, string> {
  const known = HEADERS.get(content)
  if (known) return known
  const { headers, submitted } = content
  const written = submitted ? headerFields(submitted.header).map(({ name, value }) => [name, value] as const) : headers
  const fields = new Map(written.toReversed().map(([name, value]) => [name.toLowerCase(), value]))
  HEADERS.set(content, fields)
  return fields
}
