import type { Log } from '../ports/log.ts'
import type { Rooms } from './make-rooms.ts'
import type { Services } from './open-plugins.ts'
import { type Starting, UNDO_GRACE_MS } from './starting.ts'

/** The parts that take mail in, in the order they are stopped. */
type Receivers = Pick<Services, 'inbound' | 'submission'>

/** How many projects are named in the log at start. */
const MAX_PROJECTS_LOGGED = 20

/** Begins to take mail from customers' programs. From then on mail is stored, even when another process delivers it. */
export async function takeSubmissions(
  { submission }: Receivers,
  rooms: Rooms,
  starting: Starting,
  log: Log,
): Promise<void> {
  if (submission.length === 0) return
  await startAll('submission', submission, rooms.submissions, starting)
  const projects = await rooms.projects.list()
  // the id of a project without one in the config is shown nowhere else
  for (const { id, name } of projects.slice(0, MAX_PROJECTS_LOGGED))
    log.info('programs of a project log in', { user: id, name })
  if (projects.length > MAX_PROJECTS_LOGGED)
    log.info('programs of further projects log in', { projects: projects.length - MAX_PROJECTS_LOGGED })
}

/** Begins to receive mail from outside. */
export async function receive({ inbound }: Receivers, rooms: Rooms, starting: Starting): Promise<void> {
  if (inbound.length > 0) await rooms.readInbound.prepare()
  await startAll('inbound', inbound, rooms.inbound, starting)
}

async function startAll<Desk>(
  socket: keyof Receivers,
  receivers: readonly { start(desk: Desk): Promise<void>; stop(graceMs: number): Promise<void> }[],
  desk: Desk,
  starting: Starting,
): Promise<void> {
  for (const [i, each] of receivers.entries()) {
    await starting.begin(
      `${socket}[${i}]`,
      () => each.start(desk),
      () => each.stop(UNDO_GRACE_MS),
    )
  }
}

/** For each kind that is configured, how to check that it takes mail. */
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

/** How to stop each, with its kind: it takes no more mail, and running work may end for `graceMs`. */
export function stopReceiving(
  { inbound, submission }: Receivers,
  graceMs: number,
): readonly (readonly [kind: keyof Receivers, stop: () => Promise<void>])[] {
  return [
    ...inbound.map((each) => ['inbound', () => each.stop(graceMs)] as const),
    ...submission.map((each) => ['submission', () => each.stop(graceMs)] as const),
  ]
}
