import { expect, it } from 'vitest'
import type { SendRequestRecord } from '../../../core/ports/store/send-requests.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, HOSTILE, newId, newProjectId } from './records.ts'

const EPOCH = new Date(0)
const ROOM = { requests: 10, bytes: 1000 }

/** A mail that another program has asked for, and that waits. */
export function sendRequest(more: Partial<SendRequestRecord> = {}): SendRequestRecord {
  return {
    ...{ id: newId(), projectId: newProjectId(), mail: HOSTILE, size: 10, status: 'WAITING', attempts: 0 },
    ...{ dueAt: EPOCH, createdAt: at(0), ...more },
  }
}

/** The promises of a store about the mails that other programs ask for in the database. */
export function storeSendRequestsContract(fresh: () => Promise<Store>) {
  const lease = (token: string, seconds: number) => ({ token, until: at(seconds) })

  it('gives a request to one process at a time, the oldest first, in order and as it came', async () => {
    const { sendRequests } = await fresh()
    const keyed = { idempotencyKey: `o'rder "1" \\ %`, fingerprint: 'print' }
    const [first, second, third] = [sendRequest(keyed), sendRequest(), sendRequest()]
    const later = sendRequest({ dueAt: at(100) })
    await sendRequests.add([third, later, first, second])
    expect(await sendRequests.next()).toEqual(EPOCH)
    const two = { ...ROOM, requests: 2 }
    expect(await sendRequests.claim(at(2), lease('a', 60), two)).toEqual([
      { ...first, attempts: 1 },
      { ...second, attempts: 1 },
    ])
    expect(await sendRequests.claim(at(2), lease('b', 60), two)).toEqual([{ ...third, attempts: 1 }])
    expect(await sendRequests.claim(at(2), lease('c', 60), two)).toEqual([])
    expect(await sendRequests.next()).toEqual(at(100))
  })

  it('gives so many requests at a time as there is room for, one in any case', async () => {
    const { sendRequests } = await fresh()
    const waiting = [2000, 400, 600, 1].map((size) => sendRequest({ size }))
    await sendRequests.add(waiting)
    const claimed = async () => (await sendRequests.claim(at(9), lease('a', 60), ROOM)).map(({ size }) => size)
    expect([await claimed(), await claimed(), await claimed(), await claimed()]).toEqual([[2000], [400, 600], [1], []])
  })

  it('lets only the holder of the lease end a request or put it off, and drops its mail', async () => {
    const { sendRequests } = await fresh()
    const waiting = sendRequest()
    await sendRequests.add([waiting])
    await sendRequests.claim(at(1), lease('dead', 10), ROOM)
    expect(await sendRequests.claim(at(11), lease('alive', 70), ROOM)).toEqual([{ ...waiting, attempts: 2 }])
    const done = { id: waiting.id, status: 'REFUSED', outcome: HOSTILE } as const
    await sendRequests.settle('dead', [done], at(12))
    await sendRequests.putOff('dead', waiting.id, at(500))
    await sendRequests.putOff('alive', waiting.id, at(30))
    expect(await sendRequests.next()).toEqual(at(30))
    expect(await sendRequests.claim(at(29), lease('c', 90), ROOM)).toEqual([])
    expect(await sendRequests.claim(at(30), lease('c', 90), ROOM)).toHaveLength(1)
    await sendRequests.settle('c', [done], at(31))
    expect(await sendRequests.claim(at(500), lease('d', 900), ROOM)).toEqual([])
    expect(await sendRequests.next()).toBeUndefined()
  })

  it('keeps what is done for as long as is said, by what became of it', async () => {
    const { sendRequests } = await fresh()
    const requests = [sendRequest(), sendRequest(), sendRequest()]
    await sendRequests.add(requests)
    const [one, two, three] = await sendRequests.claim(at(1), lease('a', 60), ROOM)
    const outcome = HOSTILE
    await sendRequests.settle('a', [{ id: one!.id, status: 'ACCEPTED', outcome }], at(10))
    await sendRequests.settle('a', [{ id: two!.id, status: 'REFUSED', outcome }], at(10))
    await sendRequests.putOff('a', three!.id, EPOCH)
    const clear = (accepted: number, refused: number, limit = 9) =>
      sendRequests.clear({ accepted: at(accepted), refused: at(refused) }, limit)
    expect(await clear(10, 5)).toBe(0)
    expect(await clear(11, 5, 0)).toBe(0)
    expect(await clear(11, 5)).toBe(1)
    expect(await clear(99, 10)).toBe(0)
    expect(await clear(99, 11)).toBe(1)
    expect(await sendRequests.claim(at(99), lease('b', 160), ROOM)).toHaveLength(1)
  })

  it('takes a key once in a project until its mail is refused', async () => {
    const { sendRequests } = await fresh()
    const keyed = { projectId: newProjectId(), idempotencyKey: 'order-1' }
    const first = sendRequest(keyed)
    await sendRequests.add([first, sendRequest({ ...keyed, projectId: newProjectId() })])
    await expect(sendRequests.add([sendRequest(keyed)])).rejects.toThrow()
    await sendRequests.claim(at(1), lease('a', 60), ROOM)
    await sendRequests.settle('a', [{ id: first.id, status: 'REFUSED', outcome: {} }], at(2))
    await sendRequests.add([sendRequest(keyed)])
  })
}
