/* SQL by hand: a search names the index by which it reads, since the ledger is large. */
import type { EmailFilter, EmailStatus } from '../../../../../core/ports/store/emails.ts'
import type { MailMoment, MailSearch, MailWord } from '../../../../../core/ports/store/mails.ts'
import { firstIdAt } from '../../../../../core/values/id.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Conditions } from '../../engine/conditions.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { linkId } from './link-clicks.ts'

/** A project's mails by status, contact and campaign, found by the index that leads to the fewest. */
export function chosenMails(
  dialect: Dialect,
  projectId: ProjectId,
  { status, contactId, campaignId }: EmailFilter,
): Chosen {
  if (campaignId !== undefined && contactId === undefined) {
    if (status === undefined) return ofCampaign(dialect, projectId, campaignId)
    return ofCampaignBy(dialect, projectId, campaignId, status)
  }
  const { from, where } =
    status === undefined || contactId !== undefined
      ? { from: '"emails"', where: new Conditions().and('"project_id" = ?', projectId).equal('"status"', status) }
      : withStatus(projectId, status)
  where.equal('"contact_id"', contactId).equal('"campaign_id"', campaignId)
  return { from, where }
}

/** The same for a search, which may ask for those that were clicked or unsubscribed by: few of a campaign's. */
export function searchedMails(dialect: Dialect, projectId: ProjectId, search: MailSearch): Chosen {
  const { campaignId, contactId, status, variant, happened = [], link, inReplyTo, caught } = search
  if (caught) {
    const where = new Conditions().and(`"project_id" = ? and ${CAUGHT}`, projectId).equal('"status"', status)
    where.equal('"contact_id"', contactId).equal('"campaign_id"', campaignId)
    return { from: dialect.byIndex('emails', 'emails_caught'), where }
  }
  if (inReplyTo !== undefined) {
    const where = new Conditions().and('"in_reply_to" = ? and in_reply_to is not null', inReplyTo)
    where.and('("project_id" = ?) is true', projectId).equal('"status"', status)
    where.equal('"contact_id"', contactId).equal('"campaign_id"', campaignId)
    return { from: dialect.byIndex('emails', 'emails_replies'), where }
  }
  const asked = new Set(happened.map(({ what }) => what))
  const rare = asked.has('unsubscribed')
    ? 'unsubscribed'
    : asked.has('replied')
      ? 'replied'
      : link !== undefined || asked.has('clicked')
        ? 'clicked'
        : undefined
  if (campaignId === undefined || contactId !== undefined) return chosenMails(dialect, projectId, search)
  if (rare === undefined && variant !== undefined) return ofPart(dialect, projectId, campaignId, variant, status)
  if (rare === undefined) return chosenMails(dialect, projectId, search)
  const { from, where } = ofCampaignWhere(dialect, projectId, campaignId, rare)
  return { from, where: where.equal('"status"', status) }
}

/** The mails of the sandbox: the condition of their index word for word, so that both databases use it. */
export const CAUGHT = `skip_reason = 'caught'`

/** Rows of the ledger: the text after `from`, and the conditions. */
export interface Chosen {
  readonly from: string
  readonly where: Conditions
}

/** A campaign's mails, found by the campaign, since a project may have many more. */
function ofCampaign(dialect: Dialect, projectId: ProjectId, campaignId: string): Chosen {
  const where = new Conditions().and('"campaign_id" = ?', campaignId).and('("project_id" = ?) is true', projectId)
  return { from: dialect.byIndex('emails', 'emails_campaign_page'), where }
}

/** Those of a campaign's mails with this moment: few, however many it has sent. */
export function ofCampaignWhere(
  dialect: Dialect,
  projectId: ProjectId,
  campaignId: string,
  what: 'clicked' | 'unsubscribed' | 'replied',
): Chosen {
  const { where } = ofCampaign(dialect, projectId, campaignId)
  // repeats the condition of the index, so that both databases use it
  return { from: dialect.byIndex('emails', `emails_campaign_${what}`), where: where.and(`"${what}_at" is not null`) }
}

/** Those of a part of its test. */
function ofPart(
  dialect: Dialect,
  projectId: ProjectId,
  campaignId: string,
  variant: string,
  status: EmailStatus | undefined,
): Chosen {
  const { where } = ofCampaign(dialect, projectId, campaignId)
  where.and('variant is not null and "variant" = ?', variant).equal('"status"', status)
  return { from: dialect.byIndex('emails', 'emails_campaign_variant'), where }
}

/** A project's mails with this status. */
function withStatus(projectId: ProjectId, status: EmailStatus): Chosen {
  const where = new Conditions().and('"project_id" = ?', projectId)
  if (status === 'SENDING') return { from: WORKING, where }
  // repeats the condition of the index word for word, so that both databases use it
  return { from: '"emails"', where: where.and(`"status" = ? and status <> 'SENDING'`, status) }
}

/** The mails that are being sent. Few are at a time, so all of them are looked through. */
const WORKING = `(with "working" as materialized (select * from "emails" where "status" = 'SENDING')
  select * from "working") as "emails"`

/**
 * A campaign's mails with this status. They are searched by status between the campaign's first mail and its last,
 * which is fast whether there are few or many.
 */
export function ofCampaignBy(dialect: Dialect, projectId: ProjectId, campaignId: string, status: EmailStatus): Chosen {
  const { from, where } = withStatus(projectId, status)
  if (status === 'SENDING') return { from, where: where.and('"campaign_id" = ?', campaignId) }
  where
    .and(`"id" >= (${mailOf('asc')}) and "id" <= (${mailOf('desc')})`, campaignId, campaignId)
    .and('("campaign_id" = ?) is true', campaignId)
  return { from: dialect.byIndex('emails', 'emails_by_status'), where }
}

function mailOf(direction: 'asc' | 'desc'): string {
  return `select e."id" from "emails" as e where e."campaign_id" = ? order by e."id" ${direction} limit 1`
}

/** The bounds of the ids a search looks at: mails made in its time, and one certain mail. */
export function idBounds({ from, before, id }: MailSearch): Conditions {
  const bounds = new Conditions()
  if (from) bounds.and('"id" >= ?', firstIdAt(from))
  if (before) bounds.and('"id" < ?', firstIdAt(before))
  return bounds.equal('"id"', id)
}

/** The conditions on each mail of a search that no index answers, the cheapest first. */
export function mailConditions(dialect: Dialect, search: MailSearch): Conditions {
  const { words = [], tags = [], happened = [], missing = [], link, variant, met } = search
  const all = new Conditions().equal('"variant"', variant)
  if (search.caught) all.and(CAUGHT)
  for (const moment of happened) addMoment(dialect, all, moment)
  for (const what of missing)
    all.and(what === 'delivered' ? `(${TIMES[what]} is null or ${CAME_BACK})` : `${TIMES[what]} is null`)
  if (missing.length > 0 && !missing.includes('sent')) all.and(`${TIMES.sent} is not null`)
  if (link !== undefined) {
    all.and('"id" in (select "email_id" from "link_clicks" where "link_id" = ? and "human_clicks" > 0)', linkId(link))
  }
  if (met && 'human' in met) all.and(`"human_${met.human}_at" is not null`)
  else if (met) all.and(HAPPENED, met.event, dialect.encode('date')(met.from))
  for (const { name, value } of tags) {
    const test = value === undefined ? ({ is: 'present' } as const) : ({ is: 'oneOf', values: [value] } as const)
    const { text, params } = dialect.valueTest('"tags"', [name], test)
    all.and(text, ...params)
  }
  for (const word of words) addWord(dialect, all, word)
  return all
}

const HAPPENED = `exists (select 1 from "events" as e where e."project_id" = "emails"."project_id"
  and e."contact_id" = "emails"."contact_id" and e."name" = ? and e."created_at" >= ?)`

const TIMES: Readonly<Record<MailMoment['what'], string>> = {
  sent: '"sent_at"',
  delivered: '"delivered_at"',
  opened: '"opened_at"',
  clicked: '"clicked_at"',
  bounced: '"bounced_at"',
  complained: '"complained_at"',
  unsubscribed: '"unsubscribed_at"',
  replied: '"replied_at"',
}

/** After it was accepted, so that it was not delivered. */
const CAME_BACK = `"bounced_at" is not null or "status" = 'FAILED'`

function addMoment(dialect: Dialect, all: Conditions, { what, from, to }: MailMoment): void {
  const date = dialect.encode('date')
  if (from) all.and(`${TIMES[what]} >= ?`, date(from))
  if (to) all.and(`${TIMES[what]} < ?`, date(to))
  if (!from && !to) all.and(`${TIMES[what]} is not null`)
  if (what === 'delivered') all.and(`not (${CAME_BACK})`)
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
