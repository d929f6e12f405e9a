import type { Kit } from '../kit.ts'
import type { Job, Queue } from '../ports/queue.ts'

/**
 * Gives work to the queue whose rows are stored already. It fails nobody: what the queue does not take, a later tick
 * finds, and the log says so at this level. Answers when the queue has taken or refused it.
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

/** Asks for a task that finds by itself what is due. However often it is asked for before it runs, it runs once. */
export function ring(queue: Queue, kit: Kit, task: string): Promise<void> {
  return enqueue(queue, kit, [{ task, lane: 'workflow', ids: [task], key: task }], 'debug')
}
