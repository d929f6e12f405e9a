import { parentPort, workerData } from 'node:worker_threads'
import type { CheckpointAnswer, CheckpointQuestion, CheckpointStart } from './checkpoints.ts'
import { sqliteCode } from './sqlite-client.ts'
import { openPlain } from './sqlite-driver.ts'

/* The thread of `Checkpoints`. */

const { path } = workerData as CheckpointStart
const client = openPlain(path)
// with it, a checkpoint syncs the log before it moves anything, and the file after
client.pragma('synchronous = normal')

parentPort?.on('message', (question: CheckpointQuestion | 'close') => {
  if (question !== 'close') return parentPort?.postMessage(moved(question))
  client.close()
  parentPort?.unref()
})

function moved(how: CheckpointQuestion): CheckpointAnswer {
  try {
    const [done] = client.prepare(`pragma wal_checkpoint(${how === 'empty' ? 'truncate' : 'passive'})`).all([])
    // that counts what was there when it began
    const [now] = client.prepare('pragma wal_checkpoint(noop)').all([])
    // one that was kept from emptying it says so, even if all has been moved
    return { left: Math.max(Number(done?.busy), Number(now?.log) - Number(now?.checkpointed)) }
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error), code: sqliteCode(error) }
  }
}
