import { expect, it } from 'vitest'
import type { WaitingMessage } from '../../../core/ports/store/inbound.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, newId, newProjectId } from './records.ts'

/** The promises of a store about received messages that wait to be read. */
export function storeInboundContract(fresh: () => Promise<Store>) {
  const message = (more: Partial<WaitingMessage> = {}): WaitingMessage => ({
    ...{ id: newId(), projectId: newProjectId(), sender: 'a@b.example', recipients: ['c@d.example', 'é@d.example'] },
    ...{ raw: Buffer.from([0, 13, 10, 255]), remoteAddress: '::1', helo: 'x', tls: true, attempts: 0 },
    ...{ dueAt: at(0), receivedAt: at(0), ...more },
  })
  const lease = (token: string, seconds: number) => ({ token, until: at(seconds) })

  const ROOM = { messages: 10, bytes: 1000 }

  it('gives a message to one reader at a time, the longest due first, as it came', async () => {
    const { inbound } = await fresh()
    const [first, second, later] = [message(), message({ dueAt: at(1) }), message({ dueAt: at(100) })]
    await inbound.add([second, later, first])
    const one = { messages: 1, bytes: 1000 }
    const claims = await Promise.all(['a', 'b', 'c'].map((token) => inbound.claim(at(2), lease(token, 60), one)))
    const got = claims.flat()
    expect(got.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort())
    const { raw, ...rest } = got.find(({ id }) => id === first.id) ?? message()
    expect([...raw]).toEqual([...first.raw])
    expect({ ...rest, raw: first.raw }).toEqual({ ...first, attempts: 1 })
    expect(await inbound.next()).toEqual(at(100))
  })

  it('gives so many messages at a time as there is room for, one in any case', async () => {
    const { inbound } = await fresh()
    const of = (bytes: number, due: number) => message({ raw: new Uint8Array(bytes), dueAt: at(due) })
    const waiting = [of(2000, 0), of(400, 1), of(500, 2), of(200, 3), of(1, 4), of(1, 5)]
    await inbound.add(waiting)
    const claimed = async (messages: number) => {
      const got = await inbound.claim(at(9), lease('a', 60), { messages, bytes: 1000 })
      return got.map(({ id }) => waiting.findIndex((each) => each.id === id)).sort()
    }
    expect(await claimed(9)).toEqual([0])
    expect(await claimed(9)).toEqual([1, 2])
    expect(await claimed(2)).toEqual([3, 4])
    expect(await claimed(9)).toEqual([5])
    expect(await claimed(9)).toEqual([])
  })

  it('lets only the holder of the lease end a message or put it off', async () => {
    const { inbound } = await fresh()
    const waiting = message()
    await inbound.add([waiting])
    await inbound.claim(at(1), lease('dead', 10), ROOM)
    // when a worker died, another goes on, and what the dead one still says counts no more
    expect((await inbound.claim(at(11), lease('alive', 70), ROOM))[0]?.attempts).toBe(2)
    expect(await inbound.remove([{ id: waiting.id, token: 'dead' }])).toEqual(new Set())
    await inbound.putOff(waiting.id, 'dead', at(500))
    expect(await inbound.expireLeases(at(20))).toBe(0)
    await inbound.putOff(waiting.id, 'alive', at(30))
    expect(await inbound.claim(at(29), lease('c', 90), ROOM)).toEqual([])
    expect((await inbound.claim(at(30), lease('c', 40), ROOM))[0]?.attempts).toBe(3)
    expect(await inbound.expireLeases(at(40))).toBe(0)
    expect(await inbound.expireLeases(at(41))).toBe(1)
    expect((await inbound.claim(at(41), lease('d', 90), ROOM))[0]?.id).toBe(waiting.id)
    expect(await inbound.remove([{ id: waiting.id, token: 'd' }])).toEqual(new Set([waiting.id]))
    expect(await inbound.next()).toBeUndefined()
  })

  it('has a message once that is added again while it waits, and those that come with it', async () => {
    const { inbound } = await fresh()
    const [waiting, next] = [message(), message()]
    await inbound.add([waiting])
    await inbound.claim(at(1), lease('a', 60), ROOM)
    await inbound.add([{ ...waiting, helo: 'again' }, next])
    expect((await inbound.claim(at(2), lease('b', 60), ROOM))[0]?.id).toBe(next.id)
    expect(await inbound.remove([{ id: waiting.id, token: 'a' }])).toEqual(new Set([waiting.id]))
  })

  it('keeps a message whose reading was not committed', async () => {
    const store = await fresh()
    const waiting = message()
    await store.inbound.add([waiting])
    await store.inbound.claim(at(1), lease('a', 60), ROOM)
    const broken = store.transaction(async (tx) => {
      expect(await tx.inbound.remove([{ id: waiting.id, token: 'a' }])).toEqual(new Set([waiting.id]))
      throw new Error('the machine dies')
    })
    await expect(broken).rejects.toThrow('dies')
    expect((await store.inbound.claim(at(61), lease('b', 90), ROOM))[0]?.id).toBe(waiting.id)
  })
}
