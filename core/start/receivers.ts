import type { Log } from '../ports/log.ts'
import type { Rooms } from './compose.ts'
import type { Parts } from './open-plugins.ts'

/** The parts by which mail comes in, in the order they are stopped. */
type Receivers = Pick<Parts, 'inbound' | 'submission'>

/** So many projects are named at start. */
const NAMED = 20

/** Begins to take mail of customers' programs: from then on it is stored, whoever delivers it. */
export async function takeSubmissions({ submission }: Receivers, rooms: Rooms, log: Log): Promise<void> {
  if (submission.length === 0) return
  for (const each of submission) await each.start(rooms.submissions)
  const projects = await rooms.projects.list()
  // the id of a project without one in the config stands nowhere else
  for (const { id, name } of projects.slice(0, NAMED)) log.info('programs of a project log in', { user: id, name })
  if (projects.length > NAMED) log.info('programs of further projects log in', { projects: projects.length - NAMED })
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
