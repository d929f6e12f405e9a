import type { Rooms } from './compose.ts'
import type { Parts } from './open-plugins.ts'

/** The parts by which mail comes in, in the order they are stopped. */
type Receivers = Pick<Parts, 'inbound' | 'submission'>

/** Begins to take mail of customers' programs: from then on it is stored, whoever delivers it. */
export async function takeSubmissions({ submission }: Receivers, { submissions }: Rooms): Promise<void> {
  for (const each of submission) await each.start(submissions)
}

/** Begins to receive mail of the world. */
export async function receive({ inbound }: Receivers, rooms: Rooms): Promise<void> {
  if (inbound.length > 0) await rooms.readInbound.prepare()
  for (const each of inbound) await each.start(rooms.inbound)
}

/** How to ask each kind that there is whether it takes mail. */
export function receiverChecks({ inbound, submission }: Receivers): {
  [Kind in keyof Receivers]?: () => Promise<void>
} {
  return {
    ...(inbound.length > 0 ? { inbound: () => all(inbound) } : {}),
    ...(submission.length > 0 ? { submission: () => all(submission) } : {}),
  }
}

async function all(receivers: readonly { check(): Promise<void> }[]): Promise<void> {
  await Promise.all(receivers.map((receiver) => receiver.check()))
}

/** Takes no more mail; what is under way may end for `graceMs`. */
export function stopReceiving({ inbound, submission }: Receivers, graceMs: number): readonly Promise<void>[] {
  return [...inbound, ...submission].map((receiver) => receiver.stop(graceMs))
}
