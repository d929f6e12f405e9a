import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'

/** A receiver, not started, whose port another program has. */
export interface Occupied<Receiver> {
  readonly receiver: Receiver
  readonly port: number
}

interface Startable<Desk> {
  start(desk: Desk): Promise<void>
  check(): Promise<void>
  stop(graceMs: number): Promise<void>
}

/** Long for an answer of the system, short for a test. */
const SOON_MS = 5_000

/** Holds a receiver to what it promises about a port that it cannot have. */
export async function refusesTakenPort<Desk>({ receiver, port }: Occupied<Startable<Desk>>, desk: Desk): Promise<void> {
  const outcome = receiver.start(desk).then(
    () => 'it started',
    (error: unknown) => error,
  )
  const failure = await Promise.race([outcome, pause(SOON_MS, 'its start did not end', { ref: false })])
  expect(failure, 'a start whose port is taken rejects').toBeInstanceOf(Error)
  expect((failure as Error).message, 'the message names the port').toContain(String(port))
  await expect(receiver.check(), 'its check says that it does not receive').rejects.toThrow()
  await receiver.stop(0)
}
