import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { Thread, type ThreadOptions, ThreadOverrun } from '../../core/work/thread.ts'

/** Answers what it is told; on request it fails, hangs, grows or ends. */
const CODE = `
import { parentPort } from 'node:worker_threads'
let questions = 0
parentPort.on('message', (question) => {
  questions++
  if (question === 'hang') for (;;);
  if (question === 'grow') { const all = []; for (;;) all.push(new Array(1e5).fill(Math.random())) }
  if (question === 'end') process.exit()
  if (question === 'refuse') {
    parentPort.postMessage({ problem: { message: 'no', refusal: { code: 'INVALID_JSON', fields: [] } } })
  } else parentPort.postMessage({ answer: [question, questions] })
})`

let thread: Thread<unknown>

function made(more: Partial<ThreadOptions> = {}): Thread<unknown> {
  const file = new URL(`data:text/javascript,${encodeURIComponent(CODE)}`)
  thread = new Thread({ file, name: 'test', patience: 20_000, memory: 512, ...more })
  return thread
}

afterEach(() => thread.close())

describe('a thread', () => {
  it('answers in order, the urgent first, and hands errors on as what they are', async () => {
    made()
    const order: unknown[] = []
    const note = (answer: unknown) => void order.push((answer as unknown[])[0])
    await Promise.all([
      thread.ask('a').then(note),
      thread.ask('b').then(note),
      thread.ask('c', { urgent: true }).then(note),
    ])
    expect(order).toEqual(['a', 'c', 'b'])
    await expect(thread.ask('refuse')).rejects.toMatchObject({ name: 'EngineError', code: 'INVALID_JSON' })
    expect(await thread.ask('d')).toEqual(['d', 5])
  })

  it('starts whatever flags the process has', async () => {
    // one of V8, with which no worker starts
    process.execArgv.push('--heap-growing-percent=50')
    try {
      expect(await made().ask('a')).toEqual(['a', 1])
    } finally {
      process.execArgv.pop()
    }
  })

  it.each([
    ['takes too long', 'hang', { patience: 1500 }],
    ['needs too much memory', 'grow', { memory: 64 }],
  ])('is replaced when a question %s; the others are answered', async (_why, question, more) => {
    made(more)
    await thread.ask('first')
    const overrun = thread.ask(question)
    const next = thread.ask('next')
    await expect(overrun).rejects.toBeInstanceOf(ThreadOverrun)
    expect(await next).toEqual(['next', 1])
  })

  it('that ends by itself fails the one question it had', async () => {
    made()
    const lost = thread.ask('end')
    const next = thread.ask('next')
    await expect(lost).rejects.toThrow('The thread test ended')
    expect(await next).toEqual(['next', 1])
  })

  it('with nothing to do is ended after a while, and begun again', async () => {
    made({ keep: 50 })
    expect(await thread.ask('a')).toEqual(['a', 1])
    await once(AbortSignal.timeout(500), 'abort')
    expect(await thread.ask('b')).toEqual(['b', 1])
  })

  it('that is closed refuses what waits', async () => {
    made()
    const waiting = [thread.ask('hang'), thread.ask('a')]
    void thread.close()
    for (const each of waiting) await expect(each).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await expect(thread.ask('b')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })
})
