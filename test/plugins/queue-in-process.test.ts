import { AsyncLocalStorage } from 'node:async_hooks'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Log } from '../../core/ports/log.ts'
import { type Job, LANES, type Lane, type Queue, type Worker } from '../../core/ports/queue.ts'
import { inProcess } from '../../plugins/queue-in-process/index.ts'
import { queueContract } from '../contracts/queue.ts'
import { until } from '../support/until.ts'

describe('the in-process queue', () => {
  queueContract(async () => {
    const { queue } = await open({ retryPauseMs: 60 })
    return { queue, close: () => queue.stop(0) }
  })

  describe('batching', () => {
    it('gathers what comes while all runners are busy, and starts at once when one is free', async () => {
      const { queue } = await open({ concurrency: 2 })
      const held = hold(queue, 50)
      await held.start()
      for (const id of ['a', 'b']) await queue.add([job(id)]).then(turn)
      expect(held.runs).toEqual([['a'], ['b']])
      for (let i = 0; i < 120; i++) await queue.add([job(`late-${i}`)]).then(turn)
      expect(await queue.waiting()).toBe(120)
      held.release()
      await until('all have run', () => held.runs.flat().length === 122)
      expect(held.runs.slice(2).map((ids) => ids.length)).toEqual([50, 50, 20])
    })

    it('puts ids together that are added in one turn of the event loop', async () => {
      const { queue } = await open()
      const held = hold(queue, 50)
      await held.start()
      await Promise.all([queue.add([job('a'), job('b')]), queue.add([job('c')])])
      await turn()
      expect(held.runs).toEqual([['a', 'b', 'c']])
      held.release()
    })

    it('never runs more handlers at a time than it has runners', async () => {
      const { queue } = await open({ concurrency: 5 })
      let running = 0
      let most = 0
      let done = 0
      await queue.work([
        worker('mail', 1, async () => {
          most = Math.max(most, ++running)
          await turn()
          running--
          done++
        }),
      ])
      await queue.add(LANES.flatMap((lane) => numbered(lane, 100).map((id) => job(id, { lane }))))
      await until('all have run', () => done === 300)
      expect(most).toBe(5)
    })
  })

  describe('lanes', () => {
    it('keeps runners free of campaign work, and of workflow work, for the lanes above', async () => {
      const { queue } = await open({ concurrency: 20 })
      const held = hold(queue, 1)
      await held.start()
      const counts = () => LANES.map((lane) => held.lanes.filter((of) => of === lane).length)
      for (const [lane, expected] of [
        ['campaign', [0, 0, 16]],
        ['workflow', [0, 2, 16]],
        ['transactional', [2, 2, 16]],
      ] as const) {
        await queue.add(numbered(lane, 50).map((id) => job(id, { lane })))
        await turn()
        expect(counts()).toEqual(expected)
      }
      held.release()
      await until('all have run', () => held.lanes.length === 150)
    })

    it('lets every lane through with a single runner', async () => {
      const { queue } = await open({ concurrency: 1 })
      const held = hold(queue, 1)
      await held.start()
      await queue.add([job('first', { lane: 'campaign' })]).then(turn)
      await queue.add([...LANES].reverse().map((lane) => job(lane, { lane })))
      held.release()
      await until('all have run', () => held.runs.length === 4)
      expect(held.runs.flat()).toEqual(['first', 'transactional', 'workflow', 'campaign'])
    })

    it('keeps order and keys as a plain list would', async () => {
      const anyJob = fc.record({
        lane: fc.constantFrom(...LANES),
        count: fc.integer({ min: 1, max: 1000 }),
        key: fc.option(fc.constantFrom('k1', 'k2', 'k3'), { nil: undefined }),
      })
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyJob, { maxLength: 12 }),
          fc.integer({ min: 1, max: 700 }),
          async (given, batch) => {
            const jobs = given.map(({ lane, count, key }, i): Job => {
              const ids = numbered(`job${i}`, count)
              return key === undefined ? { task: 'mail', lane, ids } : { task: 'mail', lane, ids, key }
            })
            const { queue } = await open({ concurrency: 1 })
            for (const one of jobs) await queue.add([one])
            const expected = inOrder(jobs)
            expect(await queue.waiting()).toBe(expected.length)
            const seen: string[] = []
            await queue.work([worker('mail', batch, async (ids) => void seen.push(...ids))])
            await until('all have run', () => seen.length >= expected.length)
            expect(seen).toEqual(expected)
          },
        ),
        { numRuns: 40 },
      )
    })
  })

  it('replaces the job that came after a long one of the same key, though the long one is half done', async () => {
    const { queue } = await open({ concurrency: 1 })
    const held = hold(queue, 2)
    await held.start()
    await queue.add([job('a', { ids: ['a1', 'a2', 'a3', 'a4'], key: 'k' })]).then(turn)
    await queue.add([job('b', { key: 'k' })])
    held.release(1)
    await until('the rest of the long job runs', () => held.runs.length === 2)
    await queue.add([job('c', { key: 'k' })])
    held.release()
    await until('all have run', () => held.runs.flat().includes('c'))
    expect(held.runs.flat()).toEqual(['a1', 'a2', 'a3', 'a4', 'c'])
  })

  it('drops the jobs of a task nobody works on, and says so once', async () => {
    const { queue, lines } = await open()
    await queue.add([{ task: 'typo', lane: 'campaign', ids: ['early'], key: 'k' }])
    expect(await queue.waiting('typo')).toBe(1)
    await queue.work([worker('mail', 1, async () => {})])
    await turn()
    for (const id of ['a', 'b']) await queue.add([{ task: 'typo', lane: 'workflow', ids: [id] }]).then(turn)
    expect(await queue.waiting()).toBe(0)
    expect(lines).toEqual(['error queue: nobody works on typo; its jobs are dropped'])
  })

  it('logs each failed run, the last as an error', async () => {
    const { queue, lines } = await open({ retryPauseMs: 2 })
    await queue.work([worker('mail', 1, async () => Promise.reject(new Error('no')))])
    await queue.add([job('a')])
    await until('it was given up', () => lines.length === 3)
    expect(lines).toEqual([
      'warn queue: a run failed and is tried again in 2 ms',
      'warn queue: a run failed and is tried again in 10 ms',
      'error queue: a run failed for the last time and is dropped',
    ])
    expect(await queue.waiting()).toBe(0)
  })

  it('runs handlers outside the async context of whoever added the ids', async () => {
    const { queue } = await open()
    const transaction = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    await queue.work([worker('mail', 1, async () => void seen.push(transaction.getStore()))])
    await transaction.run('open', () => queue.add([job('a'), job('b', { notBefore: new Date(Date.now() + 5) })]))
    await until('both have run', () => seen.length === 2)
    expect(seen).toEqual([undefined, undefined])
  })

  it('does not keep the process alive for a delayed job', async () => {
    const { queue } = await open()
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    await queue.add([job('a', { notBefore: new Date(Date.now() + 60_000) })])
    expect(timers()).toBe(before)
  })

  it('waits longer than a timer of Node can, and not a millisecond less than it should', async () => {
    vi.useFakeTimers()
    const day = 86_400_000
    const { queue } = await open()
    const held = hold(queue, 1)
    await held.start()
    await queue.add([job('a', { notBefore: new Date(Date.now() + 60 * day) })])
    await vi.advanceTimersByTimeAsync(60 * day - 1)
    expect(held.runs).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(held.runs).toEqual([['a']])
  })

  it('sets no timer longer than Node can', async () => {
    const warnings: string[] = []
    const note = ({ name }: Error) => void warnings.push(name)
    process.on('warning', note)
    const { queue } = await open()
    await queue.add([job('a', { notBefore: new Date('2999-01-01') })]).then(turn)
    await queue.stop(Number.POSITIVE_INFINITY).then(turn)
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  it('leaves no timer behind when it stops', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { queue } = await open({ retryPauseMs: 60_000 })
    const tried = Promise.withResolvers<void>()
    const fail = () => {
      tried.resolve()
      return Promise.reject(new Error('no'))
    }
    await queue.work([worker('mail', 1, fail)])
    await queue.add([job('a'), job('b', { notBefore: new Date(Date.now() + 60_000), key: 'k' })])
    await tried.promise.then(turn)
    expect(vi.getTimerCount()).toBe(2)
    await queue.stop(1000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('refuses jobs after the stop as unavailable', async () => {
    const { queue } = await open()
    await queue.stop(0)
    await expect(queue.add([job('a')])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('refuses two workers for one task and a batch of nothing', async () => {
    const { queue } = await open()
    const mail = worker('mail', 1, async () => {})
    await queue.work([mail])
    await expect(queue.work([mail])).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(queue.work([{ ...mail, task: 'other', batch: 0 }])).rejects.toThrow('at least 1')
  })

  it('names wrong options', () => {
    expect(
      inProcess({ concurrency: 0, retryPauseMs: -1 })
        .problems()
        .map(({ field }) => field),
    ).toEqual(['concurrency', 'retryPauseMs'])
    expect(inProcess().problems()).toEqual([])
  })
})

const opened: Queue[] = []
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(opened.splice(0).map((queue) => queue.stop(0)))
})

async function open(options: { concurrency?: number; retryPauseMs?: number } = {}) {
  const lines: string[] = []
  const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), with: () => log }
  const { queue } = await inProcess(options).open({ log, clock: { now: () => new Date() } })
  opened.push(queue)
  return { queue, lines }
}

/** A worker of `mail` whose handlers wait until they are released. */
function hold(queue: Queue, batch: number) {
  const runs: (readonly string[])[] = []
  const lanes: Lane[] = []
  const waiting: (() => void)[] = []
  let open = false
  const handle: Worker['handle'] = async (ids, { lane, signal }) => {
    runs.push(ids)
    lanes.push(lane)
    if (open) return
    await new Promise<void>((done) => {
      waiting.push(done)
      signal.addEventListener('abort', () => done())
    })
  }
  const release = (count?: number) => {
    if (count === undefined) open = true
    for (const done of waiting.splice(0, count ?? waiting.length)) done()
  }
  return { runs, lanes, start: () => queue.work([worker('mail', batch, handle)]), release }
}

/** The ids in the order one runner takes them: lane by lane, and a key's later job in the earlier one's place. */
function inOrder(jobs: readonly Job[]): string[] {
  const list: Job[] = []
  for (const job of jobs) {
    const at = list.findIndex(({ key }) => key !== undefined && key === job.key)
    if (list[at]?.lane === job.lane) {
      list[at] = job
    } else {
      if (at >= 0) list.splice(at, 1)
      list.push(job)
    }
  }
  return LANES.flatMap((lane) => list.filter((job) => job.lane === lane).flatMap(({ ids }) => ids))
}

function worker(task: string, batch: number, handle: Worker['handle']): Worker {
  return { task, batch, handle }
}

function job(id: string, given: Partial<Job> = {}): Job {
  return { task: 'mail', lane: 'transactional', ids: [id], ...given }
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`)
}

/** One turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((done) => setImmediate(done))
}
