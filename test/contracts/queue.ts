import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LANES, type Lane, type Queue, type Wake } from '../../core/ports/queue.ts'
import { PATIENT } from './patient.ts'
import { activeTimers, ended } from './timers.ts'

/** The subject of the queue contract: a fresh, silent one for every test. */
export interface QueueSubject {
  readonly queue: Queue
  /** Another process's queue over the same rings; absent for an exclusive one. */
  other?(): Promise<Queue>
  /** Stops the queues if they still run and clears up. */
  close(): Promise<void>
}

/**
 * The promises of every queue. `setup` makes a fresh queue. `withinMs` (default 8000) is how long an awaited thing may
 * take.
 */
export function queueContract(setup: () => Promise<QueueSubject>, { withinMs = 8000 }: { withinMs?: number } = {}) {
  describe('a doorbell', PATIENT, () => promises(setup, withinMs))
}

function promises(setup: () => Promise<QueueSubject>, withinMs: number) {
  let subject: QueueSubject | undefined
  const fresh = async () => {
    subject = await setup()
    return subject.queue
  }
  const soon = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: withinMs, interval: 10 })
  const end = async (queue: Queue, listener: Listener) => {
    // by then whatever was rung for before has woken
    await queue.ring('end')
    await soon(() => expect(listener.topics()).toContain('end'))
  }

  afterEach(async () => {
    await subject?.close()
    subject = undefined
  })

  describe('a ring', () => {
    it('wakes whoever listens to the topic, with its lane', async () => {
      const queue = await fresh()
      const [mail, step] = [listener(), listener()]
      await queue.listen(['mail', 'other'], mail.wake)
      await queue.listen(['step'], step.wake)
      await queue.ring('mail', { lane: 'campaign' })
      await queue.ring('step')
      await soon(() => expect([mail.calls.length, step.calls.length]).toEqual([1, 1]))
      expect(mail.calls).toMatchObject([{ topic: 'mail', lane: 'campaign' }])
      expect(step.calls).toMatchObject([{ topic: 'step', lane: 'workflow' }])
    })

    it('waits while nobody listens, and is one with others of its topic and lane', async () => {
      const queue = await fresh()
      for (let i = 0; i < 5; i++) await queue.ring('mail')
      await Promise.all(Array.from({ length: 50 }, () => queue.ring('mail')))
      await queue.ring('mail', { lane: 'campaign' })
      await queue.ring('step')
      const all = listener()
      await queue.listen(['mail', 'step', 'end'], all.wake)
      await soon(() => expect(all.calls.length).toBeGreaterThanOrEqual(3))
      await end(queue, all)
      const woken = all.calls.map(({ topic, lane }) => `${topic} ${lane}`).filter((each) => !each.startsWith('end'))
      expect(woken.sort()).toEqual(['mail campaign', 'mail workflow', 'step workflow'])
    })

    it('is kept for a topic that nobody listens to yet, while others are listened to', async () => {
      const queue = await fresh()
      const [step, mail] = [listener(), listener()]
      await queue.listen(['step', 'end'], step.wake)
      await queue.ring('mail')
      await queue.ring('step')
      await end(queue, step)
      await new Promise((resolve) => setTimeout(resolve, 400))
      await queue.listen(['mail'], mail.wake)
      await soon(() => expect(mail.topics()).toEqual(['mail']))
    })

    it('that comes while it is answered wakes again afterwards, and never at the same time', async () => {
      const queue = await fresh()
      const held = Promise.withResolvers<void>()
      const mail = listener(() => (mail.calls.length === 1 ? held.promise : undefined))
      await queue.listen(['mail'], mail.wake)
      await queue.ring('mail')
      await soon(() => expect(mail.calls).toHaveLength(1))
      for (let i = 0; i < 5; i++) await queue.ring('mail')
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(mail.calls).toHaveLength(1)
      held.resolve()
      await soon(() => expect(mail.calls.length).toBeGreaterThan(1))
      expect(mail.most()).toBe(1)
    })

    it('wakes for one lane and topic while a wake for another takes its time', async () => {
      const queue = await fresh()
      const held = Promise.withResolvers<void>()
      const all = listener((topic, lane) => (topic === 'mail' && lane !== 'transactional' ? held.promise : undefined))
      await queue.listen(['mail', 'step'], all.wake)
      await queue.ring('mail', { lane: 'campaign' })
      await queue.ring('mail')
      await soon(() => expect(all.calls).toHaveLength(2))
      await queue.ring('mail', { lane: 'transactional' })
      await queue.ring('step')
      await soon(() => expect(all.calls).toHaveLength(4))
      held.resolve()
    })

    it('for later that comes while it is answered wakes at its time', async () => {
      const queue = await fresh()
      const held = Promise.withResolvers<void>()
      const mail = listener(() => (mail.calls.length === 1 ? held.promise : undefined))
      await queue.listen(['mail'], mail.wake)
      await queue.ring('mail')
      await soon(() => expect(mail.calls).toHaveLength(1))
      const moment = Date.now() + 200
      await queue.ring('mail', { at: new Date(moment) })
      held.resolve()
      await soon(() => expect(mail.calls).toHaveLength(2))
      expect(mail.calls[1]!.at).toBeGreaterThanOrEqual(moment - 20)
    })

    it('is kept apart for each topic, whatever its name', async () => {
      const queue = await fresh()
      const topics = ['mail', 'mail.campaign', 'mail-campaign', 'campaign', 'constructor', 'm'.repeat(60)]
      const all = listener()
      await queue.listen(topics, all.wake)
      for (const topic of topics) await queue.ring(topic, { lane: 'campaign' })
      await soon(() => expect(new Set(all.topics()).size).toBe(topics.length))
      expect(new Set(all.topics())).toEqual(new Set(topics))
    })

    it('can be made by a wake', async () => {
      const queue = await fresh()
      const all = listener((topic) => (topic === 'first' ? queue.ring('second') : undefined))
      await queue.listen(['first', 'second'], all.wake)
      await queue.ring('first')
      await soon(() => expect(all.topics()).toEqual(['first', 'second']))
    })

    it('wakes outside the async context of whoever rang', async () => {
      const queue = await fresh()
      const transaction = new AsyncLocalStorage<string>()
      const seen: unknown[] = []
      const mail = listener(() => void seen.push(transaction.getStore()))
      await transaction.run('open', async () => {
        await queue.listen(['mail'], mail.wake)
        await queue.ring('mail')
      })
      await soon(() => expect(seen).toEqual([undefined]))
    })
  })

  describe('a ring for later', () => {
    it('does not wake before its time, and wakes soon after', async () => {
      const queue = await fresh()
      const mail = listener()
      await queue.listen(['mail'], mail.wake)
      const moment = Date.now() + 300
      await queue.ring('mail', { at: new Date(moment) })
      await soon(() => expect(mail.calls).toHaveLength(1))
      // clocks of two machines may differ a little
      expect(mail.calls[0]!.at).toBeGreaterThanOrEqual(moment - 20)
    })

    it.each([
      ['after', [40, 60_000]],
      ['before', [60_000, 40]],
    ])('wakes at the earliest of its times when the later one is rung %s', async (_when, times) => {
      const queue = await fresh()
      const mail = listener()
      await queue.listen(['mail'], mail.wake)
      const start = Date.now()
      for (const time of times) await queue.ring('mail', { at: new Date(start + time) })
      await soon(() => expect(mail.calls).toHaveLength(1))
    })

    it.each([
      ['for now', undefined],
      ['that is due', -1000],
      ['for soon', 60],
    ])('does not put off an earlier one %s, whether nobody listens or a wake runs', async (_what, early) => {
      const queue = await fresh()
      const ringTwice = async () => {
        await queue.ring('mail', early === undefined ? {} : { at: new Date(Date.now() + early) })
        await queue.ring('mail', { at: new Date(Date.now() + 60_000) })
      }
      const held = Promise.withResolvers<void>()
      const mail = listener(() => (mail.calls.length === 1 ? held.promise : undefined))
      await ringTwice()
      await queue.listen(['mail'], mail.wake)
      await soon(() => expect(mail.calls).toHaveLength(1))
      await ringTwice()
      await new Promise((resolve) => setTimeout(resolve, 100))
      held.resolve()
      await soon(() => expect(mail.calls.length).toBeGreaterThan(1))
    })

    it('is answered with the one for now', async () => {
      const queue = await fresh()
      const mail = listener()
      await queue.listen(['mail', 'end'], mail.wake)
      await queue.ring('mail', { at: new Date(Date.now() + 60_000) })
      await queue.ring('mail')
      await soon(() => expect(mail.topics()).toEqual(['mail']))
    })

    it('may be for a time that has passed, or for one at the end of all days', async () => {
      const queue = await fresh()
      const all = listener()
      await queue.listen(['past', 'far', 'end'], all.wake)
      await queue.ring('past', { at: new Date(Date.now() - 60_000) })
      await queue.ring('far', { at: new Date(8.64e15) })
      await soon(() => expect(all.topics()).toContain('past'))
      await end(queue, all)
      expect(all.topics()).not.toContain('far')
    })
  })

  describe('an error', () => {
    it('of a wake is followed by another try, and silences neither its topic nor others', async () => {
      const queue = await fresh()
      const all = listener((topic) => {
        const tries = all.topics().filter((each) => each === topic).length
        // also with what is no error
        if (topic === 'mail' && tries < 3) return Promise.reject(tries === 1 ? new Error('not yet') : undefined)
        return undefined
      })
      await queue.listen(['mail', 'step'], all.wake)
      await queue.ring('mail')
      await soon(() => expect(all.topics()).toEqual(['mail']))
      await queue.ring('step')
      await soon(() => expect(all.topics().filter((topic) => topic === 'mail')).toHaveLength(3))
      expect(all.topics()).toContain('step')
      const [first, second] = all.calls.filter(({ topic }) => topic === 'mail').map(({ at }) => at)
      expect(second! - first!).toBeGreaterThan(200)
      await queue.ring('mail')
      await soon(() => expect(all.topics().filter((topic) => topic === 'mail')).toHaveLength(4))
    })
  })

  describe('several processes', () => {
    it('are served by every queue that does not call itself exclusive, and by no other', async () => {
      const queue = await fresh()
      expect(queue.exclusive, 'exclusive: true, or other() in the subject').toBe(subject?.other === undefined)
    })

    it('are woken while the first is busy, each in turn', async (test) => {
      const queue = await fresh()
      const other = await subject?.other?.()
      if (queue.exclusive || other === undefined) return test.skip()
      const held = Promise.withResolvers<void>()
      const [one, two] = [listener(() => held.promise), listener(() => held.promise)]
      await queue.listen(['mail'], one.wake)
      await other.listen(['mail'], two.wake)
      await queue.ring('mail')
      await soon(() => expect(one.calls.length + two.calls.length).toBe(1))
      await queue.ring('mail')
      await soon(() => expect([one.calls.length, two.calls.length]).toEqual([1, 1]))
      held.resolve()
    })

    it('are woken by one that does not listen, and by what one rang for that is gone', async (test) => {
      const queue = await fresh()
      const other = await subject?.other?.()
      if (queue.exclusive || other === undefined) return test.skip()
      await other.ring('mail')
      await other.stop()
      const mail = listener()
      await queue.listen(['mail'], mail.wake)
      await soon(() => expect(mail.calls).toHaveLength(1))
    })

    it('are woken by what one rang for later that is gone at that time', async (test) => {
      const queue = await fresh()
      const other = await subject?.other?.()
      if (queue.exclusive || other === undefined) return test.skip()
      const mail = listener()
      await queue.listen(['mail'], mail.wake)
      await other.ring('mail', { at: new Date(Date.now() + 300) })
      await other.stop()
      await soon(() => expect(mail.calls).toHaveLength(1))
    })
  })

  describe('stopping', () => {
    it('waits for the wakes that run, and begins no other', async () => {
      const queue = await fresh()
      const held = Promise.withResolvers<void>()
      const mail = listener(() => held.promise)
      await queue.listen(['mail', 'step'], mail.wake)
      await queue.ring('mail')
      await soon(() => expect(mail.calls).toHaveLength(1))
      await queue.ring('mail')
      await queue.ring('step', { at: new Date(Date.now() + 60) })
      let isStopped = false
      const stopped = queue.stop().then(() => {
        isStopped = true
      })
      await new Promise((resolve) => setTimeout(resolve, 150))
      expect(isStopped).toBe(false)
      held.resolve()
      await stopped
      expect(mail.calls).toHaveLength(1)
    })

    it('waits for them each time it is asked to', async () => {
      const queue = await fresh()
      const held = Promise.withResolvers<void>()
      const mail = listener(() => held.promise)
      await queue.listen(['mail'], mail.wake)
      await queue.ring('mail')
      await soon(() => expect(mail.calls).toHaveLength(1))
      let ends = 0
      const stopped = [1, 2].map(() => queue.stop().then(() => ends++))
      await new Promise((resolve) => setTimeout(resolve, 150))
      expect(ends).toBe(0)
      held.resolve()
      await Promise.all(stopped)
    })

    it('ends the tries of a wake that fails', async () => {
      const queue = await fresh()
      const mail = listener(() => Promise.reject(new Error('not now')))
      await queue.listen(['mail'], mail.wake)
      await queue.ring('mail')
      await soon(() => expect(mail.calls).toHaveLength(1))
      await queue.stop()
      const { length } = mail.calls
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      expect(mail.calls).toHaveLength(length)
    })

    it('leaves no timer that keeps the process running', async () => {
      const before = activeTimers()
      for (let i = 0; i < 6; i++) {
        const queue = await fresh()
        await queue.listen(['mail'], listener().wake)
        for (const lane of LANES) await queue.ring('mail', { lane, at: new Date(Date.now() + 60_000) })
        await queue.stop()
        await subject?.close()
      }
      subject = undefined
      await ended(before)
    })

    it('refuses rings, listeners and the check from then on, and can be done twice', async () => {
      const queue = await fresh()
      await expect(queue.check()).resolves.toBeUndefined()
      await queue.listen(['mail'], listener().wake)
      await expect(queue.check()).resolves.toBeUndefined()
      await queue.stop()
      await queue.stop()
      await expect(queue.ring('mail')).rejects.toThrow()
      await expect(queue.listen(['step'], listener().wake)).rejects.toThrow()
      await expect(queue.check()).rejects.toThrow()
    })
  })

  it('refuses a second listener of a topic, who then listens to none of the others either', async () => {
    const queue = await fresh()
    const [mail, refused, step] = [listener(), listener(), listener()]
    await queue.listen(['mail'], mail.wake)
    await expect(queue.listen(['step', 'mail'], refused.wake)).rejects.toMatchObject({ code: 'CONFLICT' })
    await queue.listen(['step'], step.wake)
    await queue.ring('step')
    await queue.ring('mail')
    await soon(() => expect([mail.topics(), step.topics()]).toEqual([['mail'], ['step']]))
    expect(refused.calls).toEqual([])
  })
}

type Listener = ReturnType<typeof listener>

/** A listener that notes its wakes and then does what it is given. */
function listener(answer: (topic: string, lane: Lane) => Promise<void> | undefined | void = () => {}) {
  const calls: { readonly topic: string; readonly lane: Lane; readonly at: number }[] = []
  let [running, most] = [0, 0]
  const wake: Wake = async (topic, lane) => {
    calls.push({ topic, lane, at: Date.now() })
    most = Math.max(most, ++running)
    try {
      await answer(topic, lane)
    } finally {
      running--
    }
  }
  return { calls, wake, topics: () => calls.map(({ topic }) => topic), most: () => most }
}
