import type { MailMoment, MailSearch, MailWord } from '../../../../../core/ports/store/mails.ts'
import { firstIdAt } from '../../../../../core/values/id.ts'
import { Conditions } from '../../engine/conditions.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { linkId } from './link-clicks.ts'

/** The bounds of the ids a search looks at: mails made in its time, and one certain mail. */
export function idBounds({ from, before, id }: MailSearch): Conditions {
  const bounds = new Conditions()
  if (from) bounds.and('"id" >= ?', firstIdAt(from))
  if (before) bounds.and('"id" < ?', firstIdAt(before))
  return bounds.equal('"id"', id)
}

/** What is asked of each mail of a search that no index knows, the cheapest questions first. */
export function mailConditions(dialect: Dialect, search: MailSearch): Conditions {
  const { words = [], tags = [], happened = [], missing = [], link } = search
  const all = new Conditions()
  for (const moment of happened) addMoment(dialect, all, moment)
  for (const what of missing) all.and(`${TIMES[what]} is null`)
  if (missing.length > 0 && !missing.includes('sent')) all.and(`${TIMES.sent} is not null`)
  if (link !== undefined) {
    all.and('"id" in (select "email_id" from "link_clicks" where "link_id" = ? and "human_clicks" > 0)', linkId(link))
  }
  for (const { name, value } of tags) {
    const test = value === undefined ? ({ is: 'present' } as const) : ({ is: 'oneOf', values: [value] } as const)
    const { text, params } = dialect.valueTest('"tags"', [name], test)
    all.and(text, ...params)
  }
  for (const word of words) addWord(dialect, all, word)
  return all
}

const TIMES: Readonly<Record<MailMoment['what'], string>> = {
  sent: '"sent_at"',
  delivered: '"delivered_at"',
  opened: '"opened_at"',
  clicked: '"clicked_at"',
  bounced: '"bounced_at"',
  complained: '"complained_at"',
  unsubscribed: '"unsubscribed_at"',
}

function addMoment(dialect: Dialect, all: Conditions, { what, from, to }: MailMoment): void {
  const date = dialect.encode('date')
  if (from) all.and(`${TIMES[what]} >= ?`, date(from))
  if (to) all.and(`${TIMES[what]} < ?`, date(to))
  if (!from && !to) all.and(`${TIMES[what]} is not null`)
}

function addWord(dialect: Dialect, all: Conditions, { in: where, text }: MailWord): void {
  switch (where) {
    case 'to':
      return void all.and(dialect.includes('"to"'), text)
    case 'domain': {
      const end = dialect.hasPart({ text: '"to"', params: [] }, { is: 'text', how: 'endsWith', text: `@${text}` })
      return void all.and(end.text, ...end.params)
    }
    case 'error':
      return void all.and(`"error" is not null and ${dialect.contains('"error"')}`, text)
    case 'subject':
      return void all.and(dialect.contains(SUBJECT), text)
    case 'any':
      return void all.and(`(${dialect.includes('"to"')} or ${dialect.contains(SUBJECT)})`, text, text)
    case 'from':
      return void all.and(`${dialect.includes(ofContent(`c."from" ->> 'email'`))}`, text)
    case 'id': {
      const ids = ['"provider_id"', `"variables" ->> 'messageId'`, ofContent(`c."submitted" ->> 'messageId'`)]
      const both = [text, `<${text}>`]
      all.and(`(${ids.map((id) => `${id} in (?, ?)`).join(' or ')})`, ...ids.flatMap(() => both))
    }
  }
}

function ofContent(expression: string): string {
  return `(select ${expression} from "mail_contents" as c where c."id" = "emails"."content_id")`
}

/** As it was written: placeholders are not filled in. */
const SUBJECT = ofContent('c."subject"')
