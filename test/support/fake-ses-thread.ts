import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { startFakeSes } from './fake-ses.ts'

/* The fake service in a thread of its own: says its address, then the SHA-256 of each message. */

const fake = await startFakeSes(undefined, ({ raw }) =>
  parentPort?.postMessage(createHash('sha256').update(raw).digest('hex')),
)
parentPort?.postMessage(fake.endpoint)
