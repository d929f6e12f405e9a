import type { Activity, ActivityOutcome, DeliveryResult } from '../../../../../core/ports/store/emails.ts'
import type { WaitingMessage } from '../../../../../core/ports/store/inbound.ts'
import type { Access } from '../../engine/access.ts'
import { GroupCommit } from '../../engine/group-commit.ts'
import { inOrder } from '../../engine/in-order.ts'
import type { Tables } from '../../engine/tables.ts'
import { recordActivity } from './record-activity.ts'
import { recordResults } from './record-results.ts'

/** Writes to the ledger for many mails at a time. */
export interface LedgerWrites {
  /** Answers the results that were written. */
  results(results: readonly DeliveryResult[]): Promise<ReadonlySet<DeliveryResult>>
  /** Answers the outcome of each, in order. */
  activity(activities: readonly Activity[]): Promise<readonly ActivityOutcome[]>
  /** Stores received messages; those already stored stay as they are. */
  received(messages: readonly WaitingMessage[]): Promise<void>
}

/** Writes each call by itself, for use inside a transaction. */
export function directWrites(access: Access, tables: Tables): LedgerWrites {
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

/** Lets calls made at the same time share a commit. `refuse` throws when the caller must not write here. */
export function sharedWrites(access: Access, tables: Tables, atATime: number, refuse: () => void): LedgerWrites {
  const direct = directWrites(access, tables)
  const shared = { dialect: access.dialect, atATime, capacity: CAPACITY }
  const results = new GroupCommit<readonly DeliveryResult[], ReadonlySet<DeliveryResult>>({
    ...shared,
    weight: (call) => call.length,
    commit: async (calls) => {
      const written = await direct.results(calls.flat())
      return calls.map(() => ({ answer: written }))
    },
  })
  const activity = new GroupCommit<readonly Activity[], readonly ActivityOutcome[]>({
    ...shared,
    weight: (call) => call.length,
    commit: async (calls) => {
      const outcomes = await direct.activity(calls.flat())
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
      await direct.received(inOrder(calls.flat(), ({ id }) => id))
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

/** The most rows in one transaction of several calls. */
const CAPACITY = 1000
/** How many bytes of a received message weigh as much as a row. */
const BYTES_PER_WEIGHT = 16 * 1024
