import { describe, expect, it } from 'vitest'
import { Slots } from '../../core/delivery/slots.ts'
import type { Lane } from '../../core/ports/queue.ts'

/** Takes as many slots as there are at once. */
function fill(slots: Slots, lane: Lane): number {
  let taken = 0
  for (; taken < 100; taken++) if (slots.take(lane) !== undefined) break
  return taken
}

describe('the slots of a transport', () => {
  it.each([
    { of: 50, kept: 2 },
    { of: 10, kept: 1 },
    { of: 9, kept: 0 },
    { of: 1, kept: 0 },
  ])('are never all taken by campaigns and workflows: of $of, transactional mail has $kept at once', ({ of, kept }) => {
    const slots = new Slots(of)
    expect(fill(slots, 'workflow')).toBe(of - kept)
    expect(slots.take('campaign')).toBeInstanceOf(Promise)
    expect(fill(slots, 'transactional')).toBe(kept)
  })

  it('go to waiting transactional mail first, and to a campaign once more are free than are kept', async () => {
    const slots = new Slots(10)
    for (let i = 0; i < 9; i++) expect(slots.take('campaign')).toBeUndefined()
    expect(slots.take('transactional')).toBeUndefined()
    const order: Lane[] = []
    for (const lane of ['campaign', 'transactional'] as const) void slots.take(lane)?.then(() => order.push(lane))
    slots.free()
    await Promise.resolve()
    expect(order).toEqual(['transactional'])
    slots.free()
    await Promise.resolve()
    expect(order).toEqual(['transactional'])
    slots.free()
    await Promise.resolve()
    expect(order).toEqual(['transactional', 'campaign'])
  })
})
