import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ReadInbound } from '../../core/inbound/read-inbound.ts'

const NOON = new Date('2025-06-01T12:00:00.000Z')

/** A queue that hands over what it is given in the next turn of the event loop, and counts how often it was asked. */
function readerWithQueue() {
  const seen = { rings: 0, claims: 0 }
  const leases = { areSure: true, token: () => 'token' }
  const signal = new AbortController().signal
  const queue = {
    add: async () => {
      seen.rings++
      setImmediate(() => void reader.handle(signal))
    },
  }
  const inbound = {
    claim: async () => {
      seen.claims++
      return []
    },
    expireLeases: async () => 0,
    next: async () => NOON,
  }
  const nothing = {} as never
  const kit = { now: () => NOON }
  const reader = new ReadInbound(
    ...([
      { inbound },
      queue,
      nothing,
      nothing,
      leases,
      nothing,
      nothing,
      nothing,
      nothing,
      kit,
    ] as never as ConstructorParameters<typeof ReadInbound>),
  )
  return { reader, leases, seen }
}

// after a leap of the clock, or while the database may be away
it('a worker that may claim nothing does not ask itself for work without end, and reads when it may again', async () => {
  const { reader, leases, seen } = readerWithQueue()
  leases.areSure = false
  reader.ask()
  for (let i = 0; i < 20; i++) await nextTurn()
  expect(seen).toEqual({ rings: 1, claims: 0 })

  leases.areSure = true
  await reader.tick()
  for (let i = 0; i < 20; i++) await nextTurn()
  expect(seen.claims).toBe(1)
  expect(seen.rings).toBeLessThanOrEqual(2)
})
