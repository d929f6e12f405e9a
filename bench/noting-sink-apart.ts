import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** A noting sink in a separate thread. */
export interface SinkApart {
  readonly port: number
  /** When each mail to the noted domain came since `forget`, by recipient and this thread's `performance.now()`. */
  arrivals(): Promise<ReadonlyMap<string, number>>
  forget(): void
  close(): Promise<void>
}

/** Starts one: what it does with the mails of a campaign must not hold up who measures beside it. */
export async function startSinkApart(domain: string): Promise<SinkApart> {
  const thread = new Worker(new URL('./noting-sink-thread.js', import.meta.url), { workerData: domain })
  const [port] = await once(thread, 'message')
  return {
    port,
    async arrivals() {
      thread.postMessage('arrivals')
      const [arrivals] = await once(thread, 'message')
      return new Map((arrivals as [string, number][]).map(([to, at]) => [to, at - performance.timeOrigin]))
    },
    forget: () => thread.postMessage('forget'),
    async close() {
      thread.postMessage('close')
      await once(thread, 'exit')
    },
  }
}
