import type { Kit } from '../kit.ts'
import type { Job, Queue } from '../ports/queue.ts'

/**
 * Queues work whose rows are already stored. Never rejects: work that the queue does not take is found by a later tick,
 * and logged at this level. Answers when the queue has taken or refused it.
 */
export async function enqueue(
  queue: Queue,
  { log }: Kit,
  jobs: readonly Job[],
  level: 'warn' | 'debug' = 'warn',
): Promise<void> {
  try {
    await queue.add(jobs)
  } catch (error) {
    log[level]('could not queue work; a later tick will', { task: jobs[0]?.task, error })
  }
}

/** Queues a task that finds what is due by itself. Queued several times before it runs, it runs once. */
export function ring(queue: Queue, kit: Kit, task: string): Promise<void> {
  return enqueue(queue, kit, [{ task, lane: 'workflow', ids: [task], key: task }], 'debug')
}
