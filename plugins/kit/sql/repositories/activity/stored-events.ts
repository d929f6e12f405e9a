/* SQL by hand: events are read name by name, each by its index. */
import type { ActivityFilter } from '../../../../../core/ports/store/activity.ts'
import type { EventWithContact } from '../../../../../core/ports/store/events.ts'
import { activityTypeOf, TYPED_EVENTS } from '../../../../../core/values/activity-type.ts'
import { EVENTS } from '../../../../../core/values/event-names.ts'
import { firstIdAt } from '../../../../../core/values/id.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Conditions } from '../../engine/conditions.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'
import { largestCounters } from '../counters.ts'
import { EVENTS_OF, eventIn, OF_ANY } from '../events/event-rows.ts'

/** With more names than this, events are searched in order of time rather than name by name. */
const NAMES = 100

/** Up to `limit + 1` stored events, newest first (by id). The data of a received mail is left out. */
export async function storedEvents(
  dialect: Dialect,
  { events }: Tables,
  session: Session,
  projectId: ProjectId,
  filter: ActivityFilter,
  { limit, after }: PageRequest,
): Promise<readonly EventWithContact[]> {
  const chosen = await chosenBy(session, projectId, filter)
  if (chosen === 'none') return []
  const range = rangeOf(filter, after?.id)
  const columns = events.listOf('e', ['data'])
  const data = `case when e."name" = '${EVENTS.received}' then ? else e."data" end as "data"`
  const empty = dialect.encode('json')({})
  const select = `select ${columns}, ${data}, c."email" as "contact_email" from ${EVENTS_OF}`
  const one = (where: Conditions) => `${select} where ${where.text} and ${OF_ANY} order by e."id" desc limit ?`
  const wheres = (chosen.names ?? [undefined]).map((name) =>
    new Conditions()
      .and('e."project_id" = ?', projectId)
      .equal('e."contact_id"', filter.contactId)
      .equal('e."name"', name)
      .and(`${range.text}${chosen.condition}`, ...range.params),
  )
  const params = wheres.flatMap((where) => [empty, ...where.params, limit + 1])
  const parts = wheres.map((where, i) => `select * from (${one(where)}) as "part${i}"`)
  const rows = await session.all(`${parts.join(' union all ')} order by "id" desc limit ?`, [...params, limit + 1])
  return rows.map((row) => eventIn(events, row))
}

/** How many there are, up to `atMost`. */
export async function countStored(
  session: Session,
  projectId: ProjectId,
  filter: ActivityFilter,
  atMost: number,
): Promise<number> {
  const chosen = await chosenBy(session, projectId, filter)
  if (chosen === 'none') return 0
  const range = rangeOf(filter, undefined)
  let count = 0
  for (const name of chosen.names ?? [undefined]) {
    const where = new Conditions()
      .and('e."project_id" = ?', projectId)
      .equal('e."contact_id"', filter.contactId)
      .equal('e."name"', name)
      .and(`${range.text}${chosen.condition}`, ...range.params)
    const sql = `select count(*) as "count" from (select 1 as "one" from "events" as e where ${where.text} limit ?) as "some"`
    const [row] = await session.all(sql, [...where.params, atMost - count])
    count += Number(row?.count)
    if (count >= atMost) return atMost
  }
  return count
}

/** The events of these types: those with these names, or all that meet a condition; all names when there is neither. */
type Chosen = 'none' | { readonly names?: readonly string[]; readonly condition: string }

async function chosenBy(session: Session, projectId: ProjectId, filter: ActivityFilter): Promise<Chosen> {
  const { types, contactId } = filter
  if (types === undefined) return { condition: '' }
  const typed = TYPED_EVENTS.filter((name) => types.some((type) => type === name))
  const isAny = types.includes('event.triggered')
  if (!isAny && typed.length === 0) return 'none'
  const names = (some: readonly string[]) => some.map((name) => `'${name}'`).join(', ')
  const others = TYPED_EVENTS.filter((name) => !typed.includes(name))
  const without = others.length === 0 ? '' : ` and e."name" not in (${names(others)})`
  // a contact has few events, which are all looked at
  if (contactId !== undefined) return { condition: isAny ? without : ` and e."name" in (${names(typed)})` }
  if (!isAny) return { names: typed, condition: '' }
  const known = await largestCounters(session, projectId, 'event')
  const custom = known.rows.map(({ name }) => name).filter((name) => activityTypeOf(name) === 'event.triggered')
  if (custom.length > NAMES) return { condition: without }
  return custom.length + typed.length === 0 ? 'none' : { names: [...custom, ...typed], condition: '' }
}

/** Events belong to the moment of their id. */
function rangeOf({ from, to }: ActivityFilter, before: string | undefined): Conditions {
  const range = new Conditions()
  const ends = [...(to ? [firstIdAt(to)] : []), ...(before === undefined ? [] : [before])].sort()
  if (from) range.and('e."id" >= ?', firstIdAt(from))
  const [end] = ends
  range.and('e."id" < ?', end ?? LAST_ID)
  return range
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
