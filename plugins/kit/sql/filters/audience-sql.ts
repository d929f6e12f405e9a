/* SQL by hand: a filter becomes one condition. */
import type {
  Audience,
  CampaignTest,
  EventTest,
  NumberTest,
  Span,
  TextTest,
} from '../../../../core/ports/store/audiences.ts'
import type { LedgerEventName } from '../../../../core/values/event-names.ts'
import { type FieldOfContact, isSure } from '../../../../core/values/fields-of-contact.ts'
import { Conditions } from '../engine/conditions.ts'
import type { Dialect, Sql } from '../engine/dialect.ts'
import { linkId } from '../repositories/emails/link-clicks.ts'
import { isLedgerEvent, standsFor } from '../repositories/events/ledger-events.ts'

/**
 * A condition on the contact under this alias: whether it belongs to the audience. It is true or false, never NULL.
 * Every value in it is a parameter, also the paths into the contact's data.
 */
export function audienceSql(dialect: Dialect, audience: Audience, alias: string): Sql {
  switch (audience.kind) {
    case 'all':
    case 'any':
      return joined(
        audience.of.map((each) => audienceSql(dialect, each, alias)),
        audience.kind,
      )
    case 'not': {
      const { text, params } = audienceSql(dialect, audience.of, alias)
      return { text: `not (${text})`, params }
    }
    case 'text':
      return textSql(dialect, audience, `${alias}.${columnOf(audience.field)}`)
    case 'flag':
      return { text: `${alias}.${columnOf(audience.field)} = ?`, params: [dialect.encode('boolean')(audience.is)] }
    case 'choice':
      return { text: `${alias}.${columnOf(audience.field)} = ?`, params: [audience.is] }
    case 'moment': {
      const column = `${alias}.${columnOf(audience.field)}`
      return joined([...presentSql(column, audience.field), ...spanSql(dialect, column, audience)], 'all')
    }
    case 'number': {
      const column = `${alias}.${columnOf(audience.field)}`
      return joined([...presentSql(column, audience.field), ...boundsSql(column, audience)], 'all')
    }
    case 'data':
      return dialect.valueTest(`${alias}."data"`, audience.path, audience.test)
    case 'event':
      return eventSql(dialect, audience, alias)
    case 'member':
      return {
        text: `exists (select 1 from "segment_stays" as s where s."segment_id" = ? and s."contact_id" = ${alias}."id"
          and s."left_at" is null and s."project_id" = ${alias}."project_id")`,
        params: [audience.segmentId],
      }
    case 'topic':
      return {
        text: `exists (select 1 from "topic_choices" as t where t."topic_id" = ? and t."contact_id" = ${alias}."id"
          and t."subscribed" = ? and t."project_id" = ${alias}."project_id")`,
        params: [audience.topicId, dialect.encode('boolean')(audience.is)],
      }
    case 'campaign':
      return {
        text: `exists (select 1 from "emails" as m where m."campaign_id" = ? and m."contact_id" = ${alias}."id"
          and m."project_id" = ${alias}."project_id" and ${DID[audience.did]})`,
        params: [audience.campaignId, ...(audience.did === 'follow' ? [linkId(audience.link)] : [])],
      }
  }
}

const RECEIVED = 'm."sent_at" is not null and m."bounced_at" is null'

/** Each deed as a condition on the row of a campaign's mail. */
const DID: Readonly<Record<CampaignTest['did'], string>> = {
  receive: RECEIVED,
  open: `${RECEIVED} and (m."opened_at" is not null or m."clicked_at" is not null)`,
  click: `${RECEIVED} and m."clicked_at" is not null`,
  humanOpen: `${RECEIVED} and (m."human_opened_at" is not null or m."human_clicked_at" is not null)`,
  humanClick: `${RECEIVED} and m."human_clicked_at" is not null`,
  follow: `${RECEIVED} and exists (select 1 from "link_clicks" as k
          where k."email_id" = m."id" and k."link_id" = ? and k."human_clicks" > 0)`,
  bounce: 'm."bounced_at" is not null',
  fail: `m."status" = 'FAILED'`,
  mail: `m."status" <> 'SKIPPED'`,
}

function joined(parts: readonly Sql[], kind: 'all' | 'any'): Sql {
  const [only, ...more] = parts
  if (only === undefined) return { text: String(kind === 'all'), params: [] }
  if (more.length === 0) return only
  const text = parts.map((part) => part.text).join(kind === 'all' ? ' and ' : ' or ')
  return { text: `(${text})`, params: parts.flatMap(({ params }) => params) }
}

/** The column of a field: its name in small letters, with `_` between words. */
const columnOf = (field: string) => `"${field.replace(/[A-Z]/g, '_$&').toLowerCase()}"`

function textSql(dialect: Dialect, test: TextTest, column: string): Sql {
  if (test.is === 'text') return dialect.hasPart({ text: column, params: [] }, test)
  if (test.values.length === 1) return { text: `${column} = ?`, params: test.values }
  return { text: `${column} ${dialect.listed('text')}`, params: [dialect.list(test.values)] }
}

/** That the contact has the field, where it may be without it. */
function presentSql(column: string, field: FieldOfContact): readonly Sql[] {
  return isSure(field) ? [] : [{ text: `${column} is not null`, params: [] }]
}

function boundsSql(column: string, { least, most }: NumberTest): readonly Sql[] {
  return [
    ...(least === undefined ? [] : [{ text: `${column} >= ?`, params: [least] }]),
    ...(most === undefined ? [] : [{ text: `${column} <= ?`, params: [most] }]),
  ]
}

function spanSql(dialect: Dialect, column: string, { from, before }: Span): readonly Sql[] {
  const date = dialect.encode('date')
  return [
    ...(from ? [{ text: `${column} >= ?`, params: [date(from)] }] : []),
    ...(before ? [{ text: `${column} < ?`, params: [date(before)] }] : []),
  ]
}

/** Looks for the `count`th event: a contact who has that one has them all. */
function eventSql(dialect: Dialect, { name, count, ...span }: EventTest, alias: string): Sql {
  const events = eventsSql(name, spanSql(dialect, 'e."created_at"', span), alias)
  const mails = isLedgerEvent(name) ? mailsSql(name, spanSql(dialect, 'm."sent_at"', span), alias, dialect) : undefined
  const all = mails
    ? { text: `${events.text} union all ${mails.text}`, params: [...events.params, ...mails.params] }
    : events
  if (count === 1) return { text: `exists (${all.text})`, params: all.params }
  return { text: `exists (${all.text} limit 1 offset ?)`, params: [...all.params, count - 1] }
}

function eventsSql(name: string, spans: readonly Sql[], alias: string): Sql {
  const where = new Conditions()
    .and(`e."project_id" = ${alias}."project_id" and e."contact_id" = ${alias}."id"`)
    .and('e."name" = ?', name)
  for (const { text, params } of spans) where.and(text, ...params)
  return { text: `select 1 from "events" as e where ${where.text}`, params: where.params }
}

/** Mails whose rows stand for such an event, among the few of the contact. Index: `emails_by_contact`. */
function mailsSql(name: LedgerEventName, spans: readonly Sql[], alias: string, dialect: Dialect): Sql {
  const where = new Conditions()
    .and(`m."project_id" = ${alias}."project_id" and m."contact_id" = ${alias}."id"`)
    .and(`m."ledger_events" is not null and ${standsFor(name, 'm.')}`)
  for (const { text, params } of spans) where.and(text, ...params)
  const mails = dialect.byIndex('emails', 'emails_by_contact', 'm')
  return { text: `select 1 from ${mails} where ${where.text}`, params: where.params }
}
