import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Job, LANES, type Lane, type Queue, type Worker } from '../../core/ports/queue.ts'

/** What a queue contract needs of one queue: a fresh, empty one for every test. */
export interface QueueSubject {
  readonly queue: Queue
  /** Stops the queue if it still runs and clears up. */
  close(): Promise<void>
}

/**
 * What every queue promises. `setup` makes a fresh queue that can run at least four handlers at a time and waits at
 * most a second or two before a failed run's last try. `withinMs` (default 8000) is how long an awaited thing may take.
 */
export function queueContract(setup: () => Promise<QueueSubject>, { withinMs = 8000 }: { withinMs?: number } = {}) {
  let subject: QueueSubject | undefined
  const fresh = async () => {
    subject = await setup()
    return subject.queue
  }
  const soon = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: withinMs, interval: 10 })

  afterEach(async () => {
    await subject?.close()
    subject = undefined
  })

  describe('handing out', () => {
    it('hands ids to the worker of their task, with the lane they came by and a signal that is not aborted', async () => {
      const queue = await fresh()
      const mail = recorder('mail', 10)
      const step = recorder('step', 10)
      await queue.work([mail, step])
      await queue.add([job('mail', ['m1', 'm2'], { lane: 'campaign' }), job('step', ['s1'], { lane: 'workflow' })])
      await soon(() => expect([mail.ids().sort(), step.ids()]).toEqual([['m1', 'm2'], ['s1']]))
      expect(mail.calls.every(({ lane, aborted }) => lane === 'campaign' && !aborted)).toBe(true)
      expect(step.calls.every(({ lane }) => lane === 'workflow')).toBe(true)
    })

    it('keeps jobs that come before the work begins', async () => {
      const queue = await fresh()
      const mail = recorder('mail', 10)
      await queue.add([job('mail', ['early'])])
      await queue.work([mail])
      await soon(() => expect(mail.ids()).toEqual(['early']))
    })

    it('never hands out more ids at once than the worker takes, and none is lost', async () => {
      const queue = await fresh()
      const mail = recorder('mail', 7)
      const small = numbered('small', 60)
      const big = numbered('big', 1000)
      await queue.add([...small.map((id) => job('mail', [id])), job('mail', big)])
      await queue.work([mail])
      await soon(() => expect(new Set(mail.ids()).size).toBe(1060))
      expect(new Set(mail.ids())).toEqual(new Set([...small, ...big]))
      expect(Math.max(...mail.calls.map(({ ids }) => ids.length))).toBeLessThanOrEqual(7)
    })

    it('never mixes tasks or lanes in one run', async () => {
      const queue = await fresh()
      const mail = recorder('mail', 100)
      const step = recorder('step', 100)
      const jobs = numbered('x', 90).map((id, i) => {
        const [task, lane] = [i % 2 ? 'mail' : 'step', LANES[i % 3] ?? 'campaign']
        return job(task, [`${task} ${lane} ${id}`], { lane })
      })
      await queue.add(jobs)
      await queue.work([mail, step])
      await soon(() => expect(mail.ids().length + step.ids().length).toBeGreaterThanOrEqual(90))
      for (const worker of [mail, step]) {
        for (const { ids, lane } of worker.calls) {
          expect(ids.filter((id) => !id.startsWith(`${worker.task} ${lane} `))).toEqual([])
        }
      }
    })

    it('takes what a handler adds', async () => {
      const queue = await fresh()
      const second = recorder('second', 10)
      const first = recorder('first', 10, async (ids) =>
        queue.add([
          job(
            'second',
            ids.map((id) => `${id} again`),
          ),
        ]),
      )
      await queue.work([first, second])
      await queue.add([job('first', ['a'])])
      await soon(() => expect(second.ids()).toEqual(['a again']))
    })

    it('lets 100,000 ids through in seconds', async () => {
      const queue = await fresh()
      const seen = new Set<string>()
      const mail = worker('mail', 500, async (ids) => {
        for (const id of ids) seen.add(id)
      })
      await queue.work([mail])
      for (let i = 0; i < 100; i++) await queue.add([job('mail', numbered(`n${i}`, 1000), { lane: 'campaign' })])
      await soon(() => expect(seen.size).toBe(100_000))
    })
  })

  describe('lanes', () => {
    it('puts a password mail before a campaign that came earlier', async () => {
      const queue = await fresh()
      const order: Lane[] = []
      let begun = false
      const mail = worker('mail', 1, async (_ids, { lane }) => {
        begun = true
        await new Promise((done) => setTimeout(done, 5))
        order.push(lane)
      })
      await queue.work([mail])
      await queue.add(numbered('many', 400).map((id) => job('mail', [id], { lane: 'campaign' })))
      await soon(() => expect(begun).toBe(true))
      await queue.add([job('mail', ['password'], { lane: 'transactional' })])
      await soon(() => expect(order).toContain('transactional'))
      expect(order.length).toBeLessThan(300)
      await soon(() => expect(order.length).toBeGreaterThanOrEqual(401))
    })
  })

  describe('delay', () => {
    it('does not run a job before its time, and runs it soon after', async () => {
      const queue = await fresh()
      const mail = recorder('mail', 10)
      await queue.work([mail])
      const moment = Date.now() + 300
      await queue.add([job('mail', ['later'], { notBefore: new Date(moment) }), job('mail', ['now'])])
      await soon(() => expect(mail.ids()).toContain('later'))
      expect(mail.ids()[0]).toBe('now')
      expect(mail.calls.find(({ ids }) => ids.includes('later'))?.at).toBeGreaterThanOrEqual(moment)
    })

    it('runs a job at once whose time has passed', async () => {
      const queue = await fresh()
      const mail = recorder('mail', 10)
      await queue.work([mail])
      await queue.add([job('mail', ['overdue'], { notBefore: new Date(Date.now() - 60_000) })])
      await soon(() => expect(mail.ids()).toEqual(['overdue']))
    })

    it('keeps a job for months ahead without running it', async () => {
      const queue = await fresh()
      const mail = recorder('mail', 10)
      await queue.work([mail])
      await queue.add([job('mail', ['far'], { notBefore: new Date(Date.now() + 90 * 86_400_000) })])
      await queue.add([job('mail', ['near'], { notBefore: new Date(Date.now() + 100) })])
      await soon(() => expect(mail.ids()).toContain('near'))
      expect(mail.ids()).toEqual(['near'])
    })
  })

  describe('keys', () => {
    it('runs only the last of the jobs with one key that wait', async () => {
      const queue = await fresh()
      const mail = recorder('mail', 10)
      for (const id of ['first', 'second', 'third']) await queue.add([job('mail', [id], { key: 'k' })])
      await queue.add([job('mail', ['end'])])
      await queue.work([mail])
      await soon(() => expect(mail.ids().sort()).toEqual(['end', 'third']))
    })

    it('puts a job for now in the place of a delayed one, and the other way round', async () => {
      const queue = await fresh()
      const mail = recorder('mail', 10)
      const later = () => new Date(Date.now() + 200)
      await queue.add([job('mail', ['delayed'], { key: 'a', notBefore: later() }), job('mail', ['now'], { key: 'a' })])
      await queue.add([job('mail', ['now too'], { key: 'b' })])
      const moment = later()
      await queue.add([job('mail', ['put off'], { key: 'b', notBefore: moment })])
      await queue.work([mail])
      await queue.add([job('mail', ['end'], { notBefore: new Date(Date.now() + 400) })])
      await soon(() => expect(mail.ids()).toContain('end'))
      expect(mail.ids().sort()).toEqual(['end', 'now', 'put off'])
      expect(mail.calls.find(({ ids }) => ids.includes('put off'))?.at).toBeGreaterThanOrEqual(moment.getTime())
    })

    it('puts a job of another lane in the place of one that waits', async () => {
      const queue = await fresh()
      const mail = recorder('mail', 10)
      await queue.add([job('mail', ['slow'], { key: 'k', lane: 'campaign' })])
      await queue.add([
        job('mail', ['fast'], { key: 'k', lane: 'transactional' }),
        job('mail', ['end'], { lane: 'campaign' }),
      ])
      await queue.work([mail])
      await soon(() => expect(mail.ids().sort()).toEqual(['end', 'fast']))
    })

    it('tells apart the same key of two tasks', async () => {
      const queue = await fresh()
      const mail = recorder('mail', 10)
      const step = recorder('step', 10)
      await queue.add([job('mail', ['m'], { key: 'k' }), job('step', ['s'], { key: 'k' })])
      await queue.work([mail, step])
      await soon(() => expect([mail.ids(), step.ids()]).toEqual([['m'], ['s']]))
    })

    it('runs a job whose key is that of a running one', async () => {
      const queue = await fresh()
      const held = Promise.withResolvers<void>()
      const mail = recorder('mail', 10, async (ids) => (ids.includes('first') ? held.promise : undefined))
      await queue.work([mail])
      await queue.add([job('mail', ['first'], { key: 'k' })])
      await soon(() => expect(mail.ids()).toEqual(['first']))
      await queue.add([job('mail', ['second'], { key: 'k' })])
      held.resolve()
      await soon(() => expect(mail.ids()).toEqual(['first', 'second']))
    })
  })

  describe('errors', () => {
    it('hands the same ids out again after an error, with a growing pause', async () => {
      const queue = await fresh()
      const given = ['a', 'b', 'c']
      let broken = 2
      const mail = recorder('mail', 3, async () => {
        if (broken-- > 0) throw new Error('not yet')
      })
      await queue.work([mail])
      await queue.add([job('mail', given)])
      await soon(() => expect(mail.calls.map(({ ids }) => [...ids].sort())).toEqual([given, given, given]))
      const [first, second, third] = mail.calls.map(({ at }) => at)
      expect(second! - first!).toBeGreaterThan(0)
      expect(third! - second!).toBeGreaterThan(second! - first!)
    })

    it('gives up after the third error, and goes on with the rest', async () => {
      const queue = await fresh()
      const mail = recorder('mail', 1, async (ids) => {
        if (ids.includes('poison')) throw new Error('never')
      })
      const tries = () => mail.ids().filter((id) => id === 'poison').length
      await queue.work([mail])
      await queue.add([job('mail', ['poison']), ...numbered('fine', 20).map((id) => job('mail', [id]))])
      await soon(() => expect([new Set(mail.ids()).size, tries()]).toEqual([21, 3]))
      await soon(async () => expect(await queue.waiting()).toBe(0))
      const [first, , third] = mail.calls.filter(({ ids }) => ids.includes('poison')).map(({ at }) => at)
      // Long enough for a fourth try that came as soon as the others.
      await queue.add([job('mail', ['end'], { notBefore: new Date(2 * third! - first!) })])
      await soon(() => expect(mail.ids()).toContain('end'))
      expect(tries()).toBe(3)
    })

    it('takes a worker that throws before its first await for one that rejects', async () => {
      const queue = await fresh()
      let calls = 0
      const handle = (): Promise<void> => {
        if (++calls === 1) throw new Error('at once')
        return Promise.resolve()
      }
      await queue.work([{ task: 'mail', batch: 1, handle }])
      await queue.add([job('mail', ['a'])])
      await soon(() => expect(calls).toBe(2))
    })
  })

  describe('counting', () => {
    it('counts the ids that wait, over all tasks or of one, without the delayed ones', async () => {
      const queue = await fresh()
      expect(await queue.waiting()).toBe(0)
      const notBefore = new Date(Date.now() + 60_000)
      await queue.add([job('step', ['far'], { notBefore })])
      expect(await queue.waiting()).toBe(0)
      await queue.add([job('mail', numbered('m', 50))])
      expect(await queue.waiting()).toBeGreaterThan(0)
      expect(await queue.waiting('mail')).toBeGreaterThan(0)
      expect(await queue.waiting('step')).toBe(0)
      const mail = recorder('mail', 10)
      await queue.work([mail])
      await soon(() => expect(mail.ids()).toHaveLength(50))
      await soon(async () => expect(await queue.waiting()).toBe(0))
    })
  })

  describe('stopping', () => {
    it('waits for the handlers that run and does not hurry them within the grace', async () => {
      const queue = await fresh()
      const held = Promise.withResolvers<void>()
      let ended = false
      let aborted = false
      const mail = recorder('mail', 1, async (_ids, { signal }) => {
        await held.promise
        aborted = signal.aborted
        ended = true
      })
      await queue.work([mail])
      await queue.add([job('mail', ['a'])])
      await soon(() => expect(mail.calls).toHaveLength(1))
      const stopped = queue.stop(withinMs)
      setTimeout(held.resolve, 50)
      await stopped
      expect([ended, aborted]).toEqual([true, false])
    })

    it('aborts the signal after the grace and answers when the handlers have ended', async () => {
      const queue = await fresh()
      let ended = false
      const mail = recorder('mail', 1, async (_ids, { signal }) => {
        await new Promise((done) => signal.addEventListener('abort', done))
        await new Promise((done) => setTimeout(done, 30))
        ended = true
      })
      await queue.work([mail])
      await queue.add([job('mail', ['a'])])
      await soon(() => expect(mail.calls).toHaveLength(1))
      const start = performance.now()
      await queue.stop(100)
      expect(ended).toBe(true)
      expect(performance.now() - start).toBeGreaterThanOrEqual(125)
    })

    it('begins no handler after it was told to stop', async () => {
      const queue = await fresh()
      const held = Promise.withResolvers<void>()
      let stopping = false
      let late = 0
      const mail = recorder('mail', 1, async () => {
        if (stopping) late++
        await held.promise
      })
      await queue.work([mail])
      const moment = new Date(Date.now() + 100)
      await queue.add([
        ...numbered('m', 300).map((id) => job('mail', [id])),
        job('mail', ['later'], { notBefore: moment }),
      ])
      await soon(() => expect(mail.calls.length).toBeGreaterThan(0))
      const stopped = queue.stop(withinMs)
      stopping = true
      setTimeout(held.resolve, 150)
      await stopped
      expect(late).toBe(0)
    })

    it('refuses jobs, work and the check once it has stopped', async () => {
      const queue = await fresh()
      await expect(queue.check()).resolves.toBeUndefined()
      await queue.work([recorder('mail', 1)])
      await expect(queue.check()).resolves.toBeUndefined()
      await queue.stop(0)
      await expect(queue.add([job('mail', ['a'])])).rejects.toThrow()
      await expect(queue.work([recorder('step', 1)])).rejects.toThrow()
      await expect(queue.check()).rejects.toThrow()
    })

    it('can be stopped twice, and before any work', async () => {
      const queue = await fresh()
      await Promise.all([queue.stop(1000), queue.stop(0)])
      await queue.stop(0)
    })
  })
}

interface Recorder extends Worker {
  readonly calls: {
    readonly ids: readonly string[]
    readonly lane: Lane
    readonly at: number
    readonly aborted: boolean
  }[]
  /** All ids handed out, in order, repeated ones too. */
  ids(): string[]
}

function recorder(task: string, batch: number, handle: Worker['handle'] = async () => {}): Recorder {
  const calls: Recorder['calls'] = []
  const record: Worker['handle'] = (ids, given) => {
    calls.push({ ids, lane: given.lane, at: Date.now(), aborted: given.signal.aborted })
    return handle(ids, given)
  }
  return { ...worker(task, batch, record), calls, ids: () => calls.flatMap(({ ids }) => ids) }
}

function worker(task: string, batch: number, handle: Worker['handle']): Worker {
  return { task, batch, handle }
}

function job(task: string, ids: readonly string[], given: Partial<Job> = {}): Job {
  return { task, ids, lane: 'transactional', ...given }
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`)
}
