import { Worker } from 'node:worker_threads'

/** Starts a thread of this folder, by the name of its file. */
export function startThread(file: string, name: string, workerData: unknown): Worker {
  // compiled, it is JavaScript; in tests, the TypeScript source
  const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  return new Worker(new URL(`./${file}${ending}`, import.meta.url), { workerData, name })
}

/** Has the thread close its connection, and answers when it has ended. */
export async function endThread(thread: Worker): Promise<void> {
  const ended = new Promise((resolve) => thread.once('exit', resolve))
  thread.ref()
  thread.postMessage('close')
  await ended
}
