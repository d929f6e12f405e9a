import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import { FilterKeys } from '../filters/filter-keys.ts'
import { FilterInEitherForm } from '../filters/filter-parameter.ts'
import type { Kit } from '../kit.ts'
import type { Audience } from '../ports/store/audiences.ts'
import { BULK_OPERATIONS, type BulkOperation, type ContactJob } from '../ports/store/contact-jobs.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { FilterInput } from '../ports/store/filters.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import { describedBy } from '../values/described.ts'
import { isId } from '../values/id.ts'
import type { InputOf } from '../values/input.ts'
import type { JsonObject } from '../values/json.ts'
import { listOf } from '../values/list.ts'
import { parse, say } from '../values/parse.ts'
import { readElsewhere } from '../values/unknown-keys.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import type { EraseContacts } from './erase-contacts.ts'
import type { JobRun } from './job-run.ts'
import { hasLeft, withSubscription } from './left-contacts.ts'
import { saveContacts } from './save-contacts.ts'
import { subscriptionEvent } from './subscription-event.ts'

/** How many contacts change in one transaction. */
const BATCH = 500
/** How many failures are listed one by one. */
const MAX_ERRORS_LISTED = 100

function ids(min: number) {
  const list = listOf(v.string(), min, 1000)
  return describedBy(
    v.pipe(
      list,
      v.transform((given) => [...new Set(given)]),
    ),
    list,
  )
}

/** A key of the other form, or of lists: without it the call would change more contacts than was said. */
function notWith(form: string, instead: string) {
  return v.nullish(v.never(say('custom', `is not for ${form}: ${instead}`)))
}

/** The parameters that narrow a list of contacts, but not a bulk call. */
const NARROWING = {
  search: notWith('bulk calls', 'say mode "query" with a condition on email in filter'),
  subscribed: notWith('bulk calls', 'say mode "query" with a condition on subscribed in filter'),
}

/** Whether a bulk call brings back who left. */
const RESUBSCRIBE = v.optional(v.boolean(), false)

/** The body of a bulk call: contacts by id, or by a filter, which the filters room reads. */
export const BulkByIds = v.object({
  /** The form of the call; may be left out. */
  mode: v.optional(v.picklist(['ids', 'query'])),
  /** The ids of 1 to 1,000 contacts. */
  contactIds: ids(1),
  /** Of `bulk-subscribe`: whether contacts that left by themselves, complained or bounced are subscribed again. */
  resubscribe: RESUBSCRIBE,
  /** Refused beside `contactIds`. */
  filter: notWith('contactIds', 'say mode "query" and leave contactIds out to select by filter'),
  /** Refused beside `contactIds`. */
  excludeIds: notWith('contactIds', 'leave these ids out of contactIds'),
  ...NARROWING,
})
export const BulkByQuery = v.object({
  /** Selects by filter. */
  mode: v.literal('query'),
  /** All contacts that match now. */
  filter: describedBy(
    readElsewhere(
      v.custom<FilterInput>(
        (value) => typeof value === 'object' && value !== null,
        say('invalid_type', 'must be an object'),
      ),
      FilterKeys,
    ),
    FilterInEitherForm,
  ),
  /** Contacts to leave out though they match, up to 1,000. */
  excludeIds: v.optional(ids(0), []),
  /** Of `bulk-subscribe`: whether contacts that left by themselves, complained or bounced are subscribed again. */
  resubscribe: RESUBSCRIBE,
  contactIds: notWith('mode "query"', 'leave mode out to select by id, or contactIds to select by filter'),
  ...NARROWING,
})

/** The body of a bulk call in either form. */
export const BulkContacts = v.union([BulkByIds, BulkByQuery])

/** The contacts to change: by id, or all that a filter finds. */
export type BulkContactsInput = InputOf<typeof BulkByIds> | InputOf<typeof BulkByQuery>

/** The request as stored. `until` is the highest contact id at acceptance: later contacts are not included. */
const BulkRequest = v.union([
  v.object({ contactIds: v.array(v.string()), resubscribe: RESUBSCRIBE }),
  v.object({ filter: v.unknown(), excludeIds: v.array(v.string()), until: v.string(), resubscribe: RESUBSCRIBE }),
])

/** The result of a bulk job so far: every requested contact is in one of the three counts. */
export type BulkResult = {
  readonly operation: BulkOperation
  /** How many different contacts were asked for; with a filter, how many were found so far. */
  readonly totalRequested: number
  /** Contacts the job has changed. */
  readonly successCount: number
  /** The ids of these, of contacts named by id that are still there. */
  readonly changedIds?: readonly string[]
  /** Contacts that were already in the wanted state. */
  readonly unchangedCount: number
  /** Contacts that left by themselves, complained or bounced, and were not subscribed again; of `bulk-subscribe`. */
  readonly keptUnsubscribed?: number
  readonly failureCount: number
  /** The first 100 failures. */
  readonly errors: readonly { readonly id: string; readonly error: string }[]
}

const ByIdsPosition = v.object({ done: v.optional(v.number(), 0) })
const ByQueryPosition = v.object({ after: v.optional(v.string()), expected: v.optional(v.number()) })

/** The tools of a bulk job. */
export interface BulkTools {
  readonly store: Store
  readonly erasing: EraseContacts
  readonly kit: Kit
  /** Compiles the stored filter; time spans count from now. */
  audience(filter: unknown): Promise<Audience>
}

/** Continues a bulk job after its finished batches; answers when it has ended or the signal is aborted. */
export async function bulkContacts(run: JobRun, tools: BulkTools, signal: AbortSignal): Promise<void> {
  const request = parse(BulkRequest, run.job.request)
  if ('contactIds' in request) await byIds(run, request, tools, signal)
  else await byQuery(run, request, tools, signal)
}

interface ByIds {
  readonly contactIds: readonly string[]
  readonly resubscribe: boolean
}

async function byIds(
  run: JobRun,
  { contactIds: ids, resubscribe }: ByIds,
  tools: BulkTools,
  signal: AbortSignal,
): Promise<void> {
  let { done } = parse(ByIdsPosition, run.job.position)
  do {
    const batch = ids.slice(done, done + BATCH)
    const next = done + batch.length
    const isLast = next >= ids.length
    await run.step(async (tx, now) => {
      const before = resultOf(run.job, ids.length)
      const outcome = await changeAll(tx, { job: run.job, resubscribe, kit: tools.kit, now }, batch)
      const changedIds = [...(before.changedIds ?? []), ...outcome.changedIds]
      const result = { ...added(before, outcome), ...(operationOf(run.job) === 'delete' ? {} : { changedIds }) }
      const progress = isLast ? 100 : Math.floor((100 * next) / ids.length)
      return { position: { done: next }, result, progress, state: stateAfter(run.job, isLast) }
    })
    await eraseRemoved(run, batch, next >= ids.length, tools, signal)
    done = next
    await yieldToLoop()
  } while (done < ids.length && !signal.aborted)
}

interface Query {
  readonly filter?: unknown
  readonly excludeIds: readonly string[]
  readonly until: string
  readonly resubscribe: boolean
}

async function byQuery(run: JobRun, query: Query, tools: BulkTools, signal: AbortSignal): Promise<void> {
  const { store, kit } = tools
  const { projectId, position } = run.job
  const excluded = new Set(query.excludeIds)
  let { after, expected } = parse(ByQueryPosition, position)
  let audience: Audience
  try {
    audience = await tools.audience(query.filter)
  } catch (error) {
    if (!EngineError.is(error) || error.kind !== 'invalid') throw error
    return run.fail(`The filter cannot be used any more: ${error.message}`)
  }
  expected ??= await store.contacts.count(projectId, { audience })
  for (let isLast = false; !isLast && !signal.aborted; await yieldToLoop()) {
    const found = await store.contacts.ids(projectId, { audience }, BATCH, after)
    const meant = found.filter((id) => id <= query.until)
    isLast = meant.length < BATCH
    after = meant.at(-1) ?? after
    const here: JsonObject = { expected, ...(after === undefined ? {} : { after }) }
    const ids = meant.filter((id) => !excluded.has(id))
    const total = expected
    await run.step(async (tx, now) => {
      const before = resultOf(run.job, 0)
      const after = added(before, await changeAll(tx, { job: run.job, resubscribe: query.resubscribe, kit, now }, ids))
      const result = { ...after, totalRequested: before.totalRequested + ids.length }
      const progress = isLast ? 100 : Math.min(99, Math.floor((100 * result.totalRequested) / Math.max(1, total)))
      return { position: here, result, progress, state: stateAfter(run.job, isLast) }
    })
    await eraseRemoved(run, ids, isLast, tools, signal)
  }
}

/** A deletion is completed only when everything about the contacts has been erased. */
function stateAfter(job: ContactJob, isLast: boolean): ContactJob['state'] {
  return isLast && operationOf(job) !== 'delete' ? 'completed' : 'active'
}

/** Erases after each batch of a deletion, so that no backlog grows. */
async function eraseRemoved(
  run: JobRun,
  ids: readonly string[],
  isLast: boolean,
  { erasing }: BulkTools,
  signal: AbortSignal,
): Promise<void> {
  if (operationOf(run.job) !== 'delete') return
  await erasing.wholly(run.job.projectId, ids.filter(isId), signal)
  if (isLast && !signal.aborted) await run.step(async () => ({ progress: 100, state: 'completed' }))
}

type Outcome = Required<Pick<BulkResult, 'successCount' | 'unchangedCount' | 'changedIds'>> & {
  readonly missing: readonly string[]
  /** Those that left by themselves and stay away; of a subscription. */
  readonly kept?: number
}

interface Change {
  readonly job: ContactJob
  readonly resubscribe: boolean
  readonly kit: Kit
  readonly now: Date
}

/** Changes these contacts inside the transaction; contacts that do not exist are `missing`. */
async function changeAll(
  tx: Repositories,
  { job, resubscribe, kit, now }: Change,
  ids: readonly string[],
): Promise<Outcome> {
  const possible = ids.filter(isId)
  const operation = operationOf(job)
  if (operation === 'delete') {
    const removed = new Set(possible.length > 0 ? await tx.contacts.removeAll(job.projectId, possible, now) : [])
    return {
      successCount: removed.size,
      changedIds: [],
      unchangedCount: 0,
      missing: ids.filter((id) => !removed.has(id)),
    }
  }
  const known = possible.length > 0 ? await tx.contacts.lockById(job.projectId, possible) : []
  const subscribed = operation === 'subscribe'
  const others = known.filter((contact) => contact.subscribed !== subscribed)
  const kept = subscribed && !resubscribe ? await leftByThemselves(tx, job, others, now) : NONE
  const changed = others
    .filter((contact) => !kept.has(contact))
    .map((contact) => ({ ...withSubscription(contact, subscribed, 'bulk'), updatedAt: now }))
  if (changed.length > 0) {
    await saveContacts(tx, changed)
    await tx.events.record(changed.map((contact) => subscriptionEvent(kit.newId, contact, 'bulk')))
  }
  const there = new Set(known.map(({ id }) => id))
  const unchangedCount = known.length - changed.length - kept.size
  const missing = ids.filter((id) => !there.has(id))
  const counts = { successCount: changed.length, unchangedCount, ...(subscribed ? { kept: kept.size } : {}) }
  return { ...counts, changedIds: changed.map(({ id }) => id), missing }
}

const NONE: ReadonlySet<Contact> = new Set()

/** Those that are not brought back by a bulk call; one of its own kind unsubscribed the others, or they never left. */
async function leftByThemselves(
  tx: Repositories,
  { projectId }: ContactJob,
  contacts: readonly Contact[],
  now: Date,
): Promise<ReadonlySet<Contact>> {
  if (contacts.length === 0) return NONE
  const addresses = contacts.map(({ email }) => email)
  const suppressed = await tx.suppressions.among(projectId, addresses, now)
  return new Set(
    contacts.filter(
      (contact) => suppressed.has(contact.email) || (contact.leftBy !== 'bulk' && hasLeft(contact, suppressed)),
    ),
  )
}

function operationOf({ type }: ContactJob): BulkOperation {
  const operation = BULK_OPERATIONS.find((candidate) => type === `bulk-${candidate}`)
  if (operation === undefined) throw new Error(`${type} is not a bulk job`)
  return operation
}

function resultOf(job: ContactJob, totalRequested: number): BulkResult {
  const counts = { totalRequested, successCount: 0, unchangedCount: 0, failureCount: 0 }
  return { operation: operationOf(job), ...counts, errors: [], ...job.result } as BulkResult
}

function added(before: BulkResult, { successCount, unchangedCount, missing, kept }: Outcome): BulkResult {
  const listed = missing.slice(0, MAX_ERRORS_LISTED - before.errors.length)
  return {
    ...before,
    successCount: before.successCount + successCount,
    unchangedCount: before.unchangedCount + unchangedCount,
    ...(kept === undefined ? {} : { keptUnsubscribed: (before.keptUnsubscribed ?? 0) + kept }),
    failureCount: before.failureCount + missing.length,
    errors: [
      ...before.errors,
      ...listed.map((id) => ({ id: id.slice(0, 100).toWellFormed(), error: 'is not a contact of this project' })),
    ],
  }
}
