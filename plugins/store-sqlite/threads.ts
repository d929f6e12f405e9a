import type { Worker } from 'node:worker_threads'

/** Has the thread close its connection, and answers when it has ended. */
export async function endThread(thread: Worker): Promise<void> {
  const ended = new Promise((resolve) => thread.once('exit', resolve))
  thread.ref()
  thread.postMessage('close')
  await ended
}
