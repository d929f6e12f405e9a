/* SQL by hand: many writes share one commit, and one statement stores a whole list. */
import type { Activity, ActivityOutcome } from '../../../../../core/ports/store/emails.ts'
import type { WaitingMessage } from '../../../../../core/ports/store/inbound.ts'
import type { Access } from '../../engine/access.ts'
import { groupCommit } from '../../engine/group-commit.ts'
import { inOrder } from '../../engine/in-order.ts'
import type { OutsideAccess } from '../../engine/outside-access.ts'
import type { Tables } from '../../engine/tables.ts'
import { recordActivity } from './record-activity.ts'

/** Writes that come from many requests at the same time. */
export interface LedgerWrites {
  /** Answers the outcome of each, in order. */
  activity(activities: readonly Activity[]): Promise<readonly ActivityOutcome[]>
  /** Stores received messages; those already stored stay as they are. */
  received(messages: readonly WaitingMessage[]): Promise<void>
}

/** Writes each call by itself, for use inside a transaction. */
export function directWrites(access: Access, tables: Tables): LedgerWrites {
  const { dialect } = access
  return {
    activity: (activities) => access.write((session) => recordActivity(dialect, tables, session, activities)),
    received: (messages) =>
      access.write(async (session) => {
        await tables.inboundMessages.insert(session, messages, 'on conflict do nothing')
      }),
  }
}

/** Lets calls made at the same time share a commit. */
export function sharedWrites(access: OutsideAccess, tables: Tables, atATime: number): LedgerWrites {
  const shared = { access, atATime, capacity: CAPACITY }
  const activity = groupCommit<readonly Activity[], readonly ActivityOutcome[]>({
    ...shared,
    weight: (call) => call.length,
    work: (calls) => async (session) => {
      const outcomes = await recordActivity(access.dialect, tables, session, calls.flat())
      let end = 0
      return calls.map((call) => {
        end += call.length
        return { answer: outcomes.slice(end - call.length, end) }
      })
    },
  })
  const received = groupCommit<readonly WaitingMessage[], undefined>({
    ...shared,
    weight: (call) => call.reduce((sum, { raw }) => sum + 1 + raw.length / BYTES_PER_WEIGHT, 0),
    work: (calls) => async (session) => {
      const messages = inOrder(calls.flat(), ({ id }) => id)
      await tables.inboundMessages.insert(session, messages, 'on conflict do nothing')
      return calls.map(() => ({ answer: undefined }))
    },
  })
  return { activity: (call) => activity.add(call), received: (call) => received.add(call) }
}

/** The most rows in one transaction of several calls. */
const CAPACITY = 1000
/** How many bytes of a received message weigh as much as a row. */
const BYTES_PER_WEIGHT = 16 * 1024
