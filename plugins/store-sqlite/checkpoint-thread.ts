import { parentPort, workerData } from 'node:worker_threads'
import type { CheckpointAnswer, CheckpointStart } from './checkpoints.ts'
import { sqliteCode } from './sqlite-client.ts'
import { openPlain } from './sqlite-driver.ts'

/* The thread of `Checkpoints`. */

const { path } = workerData as CheckpointStart
const client = openPlain(path)
// with it, a checkpoint syncs the log before it moves anything, and the file after
client.pragma('synchronous = normal')

parentPort?.on('message', (question: 'move' | 'close') => {
  if (question === 'move') return parentPort?.postMessage(moved())
  client.close()
  parentPort?.unref()
})

function moved(): CheckpointAnswer {
  try {
    const [done] = client.prepare('pragma wal_checkpoint(passive)').all([])
    return { left: Number(done?.log) - Number(done?.checkpointed) }
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error), code: sqliteCode(error) }
  }
}
