import type { Activity, ActivityOutcome, DeliveryResult } from '../../../../../core/ports/store/emails.ts'
import type { WaitingMessage } from '../../../../../core/ports/store/inbound.ts'
import type { Access } from '../../engine/access.ts'
import { GroupCommit } from '../../engine/group-commit.ts'
import { inOrder } from '../../engine/in-order.ts'
import type { Tables } from '../../engine/tables.ts'
import { recordActivity } from './record-activity.ts'
import { recordResults } from './record-results.ts'

/** What is written into the ledger for many mails at a time. */
export interface LedgerWrites {
  /** Answers the results that were written. */
  results(results: readonly DeliveryResult[]): Promise<ReadonlySet<DeliveryResult>>
  /** Answers what each was, in their order. */
  activity(activities: readonly Activity[]): Promise<readonly ActivityOutcome[]>
  /** Stores received messages; those that wait already are left as they are. */
  received(messages: readonly WaitingMessage[]): Promise<void>
}

/** Writes each call by itself: inside a transaction. */
export function writesAtOnce(access: Access, tables: Tables): LedgerWrites {
  const { dialect } = access
  return {
    results: (results) => access.write((session) => recordResults(dialect, tables, session, results)),
    activity: (activities) => access.write((session) => recordActivity(dialect, tables, session, activities)),
    received: (messages) =>
      access.write(async (session) => {
        await tables.inboundMessages.insert(session, messages, 'on conflict do nothing')
      }),
  }
}

/** Lets calls made at the same time share a commit. `refuse` throws for a caller who must not write here. */
export function sharedWrites(access: Access, tables: Tables, atATime: number, refuse: () => void): LedgerWrites {
  const atOnce = writesAtOnce(access, tables)
  const shared = { dialect: access.dialect, atATime, capacity: CAPACITY }
  const results = new GroupCommit<readonly DeliveryResult[], ReadonlySet<DeliveryResult>>({
    ...shared,
    weight: (call) => call.length,
    commit: async (calls) => {
      const written = await atOnce.results(calls.flat())
      return calls.map(() => ({ answer: written }))
    },
  })
  const activity = new GroupCommit<readonly Activity[], readonly ActivityOutcome[]>({
    ...shared,
    weight: (call) => call.length,
    commit: async (calls) => {
      const outcomes = await atOnce.activity(calls.flat())
      let end = 0
      return calls.map((call) => {
        end += call.length
        return { answer: outcomes.slice(end - call.length, end) }
      })
    },
  })
  const received = new GroupCommit<readonly WaitingMessage[], undefined>({
    ...shared,
    weight: (call) => call.reduce((sum, { raw }) => sum + 1 + raw.length / BYTES_PER_WEIGHT, 0),
    commit: async (calls) => {
      await atOnce.received(inOrder(calls.flat(), ({ id }) => id))
      return calls.map(() => ({ answer: undefined }))
    },
  })
  const allowed = async <Item, Answer>(group: GroupCommit<Item, Answer>, item: Item): Promise<Answer> => {
    refuse()
    return group.add(item)
  }
  return {
    results: (call) => allowed(results, call),
    activity: (call) => allowed(activity, call),
    received: (call) => allowed(received, call),
  }
}

/** At most so many rows in one transaction of several calls. */
const CAPACITY = 1000
/** So many bytes of a received message weigh as much as a row. */
const BYTES_PER_WEIGHT = 16 * 1024
