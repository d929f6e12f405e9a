/* SQL by hand: one statement for the keys of many requests. */
import type { Contact } from '../../../../../core/ports/store/contacts.ts'
import type { WriteBatchRequest } from '../../../../../core/ports/store/write-batch.ts'
import type { Json } from '../../../../../core/values/json.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { inOrder } from '../../engine/in-order.ts'
import type { Session } from '../../engine/session.ts'
import type { StoredPublicDataKey, Tables } from '../../engine/tables.ts'

/** Which new data keys a batch of requests by public API keys may add to its projects. */
export class PublicDataKeys {
  readonly #unknown: Set<string>
  readonly #counts: Map<ProjectId, { count: number; last: number }>
  /** The keys that were added, still to be written. */
  readonly added: StoredPublicDataKey[] = []

  constructor(
    unknown: Iterable<readonly [ProjectId, string]> = [],
    counts: readonly { readonly projectId: ProjectId; readonly count: number; readonly last: number }[] = [],
  ) {
    this.#unknown = new Set([...unknown].map(([projectId, key]) => projectId + key))
    this.#counts = new Map(counts.map(({ projectId, ...rest }) => [projectId, rest]))
  }

  /** Which of the request's keys are new, and how many were added before. */
  seenBy({ projectId, publicDataKeys = [] }: AnyRequest) {
    const fresh = publicDataKeys.filter((key) => this.#unknown.has(projectId + key))
    return { fresh, count: this.#counts.get(projectId)?.count ?? 0 }
  }

  /** Counts the request's new keys as added, so that later requests in the batch do not add them again. */
  add(request: AnyRequest): void {
    const { projectId } = request
    const counts = this.#counts.get(projectId) ?? { count: 0, last: 0 }
    this.#counts.set(projectId, counts)
    for (const key of this.seenBy(request).fresh) {
      this.#unknown.delete(projectId + key)
      counts.count++
      this.added.push({ projectId, key, number: ++counts.last })
    }
  }
}

/**
 * Looks up the keys that requests of public API keys write, except those their contacts already have: returning
 * visitors cost nothing. A key is known when a contact of the project has it, or when it was added before.
 */
export async function readPublicDataKeys(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  requests: readonly AnyRequest[],
  contacts: readonly Contact[],
): Promise<PublicDataKeys> {
  const asked = askedKeys(requests, contacts)
  if (asked.size === 0) return new PublicDataKeys()
  const columns = tables.publicDataKeys.pick('projectId', 'key')
  const known = `select given."project_id", given."key" from ${dialect.given(columns)} as given
    where exists (select 1 from "tallies" as t where t."project_id" = given."project_id" and t."subject" = 'field'
        and t."name" = given."key" and t."count" > 0)
      or exists (select 1 from "public_data_keys" as p where p."project_id" = given."project_id" and p."key" = given."key")`
  for (const row of await session.all(known, dialect.givenParams(columns, [...asked.values()]))) {
    asked.delete(String(row.project_id) + String(row.key))
  }
  if (asked.size === 0) return new PublicDataKeys()
  const projects = [...new Set([...asked.values()].map(([projectId]) => projectId))]
  const counted = `select "project_id", count(*) as "count", max("number") as "last" from "public_data_keys"
    where "project_id" ${dialect.listed('uuid')} group by "project_id"`
  const counts = await session.all(counted, [dialect.list(projects)])
  return new PublicDataKeys(
    asked.values(),
    counts.map((row) => ({
      projectId: String(row.project_id) as ProjectId,
      count: Number(row.count),
      last: Number(row.last),
    })),
  )
}

/** Writes the added keys. False when another process added some meanwhile: the batch must be run again. */
export async function writePublicDataKeys(
  tables: Tables,
  session: Session,
  added: readonly StoredPublicDataKey[],
): Promise<boolean> {
  if (added.length === 0) return true
  const rows = inOrder([...added], ({ projectId, key }) => projectId + key)
  return (await tables.publicDataKeys.insert(session, rows, 'on conflict do nothing')) === rows.length
}

/** Forgets that a key was added, since no contact has it any more, which makes room for another. */
export async function forgetPublicDataKey(session: Session, projectId: ProjectId, key: string): Promise<void> {
  await session.run('delete from "public_data_keys" where "project_id" = ? and "key" = ?', [projectId, key])
}

function askedKeys(requests: readonly AnyRequest[], contacts: readonly Contact[]) {
  const asked = new Map<string, readonly [ProjectId, string]>()
  const withKeys = requests.filter(({ publicDataKeys }) => publicDataKeys !== undefined && publicDataKeys.length > 0)
  const byName = new Map<string, Contact>()
  for (const contact of contacts) {
    byName.set(contact.projectId + contact.email, contact)
    byName.set(contact.projectId + contact.id, contact)
  }
  for (const { projectId, publicDataKeys = [], addresses, contactIds = [] } of withKeys) {
    const own = [...addresses, ...contactIds].map((name) => byName.get(projectId + name)?.data ?? {})
    for (const key of publicDataKeys) {
      if (!own.some((data) => Object.hasOwn(data, key))) asked.set(projectId + key, [projectId, key])
    }
  }
  return asked
}

/** A request without its answer's type, which only the write batch's `commit` knows. */
export type AnyRequest = WriteBatchRequest<Json>
