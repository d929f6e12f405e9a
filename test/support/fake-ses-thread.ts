import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { startFakeSes } from './fake-ses.ts'

/* The fake service in its own thread. It posts its address, then each message's SHA-256. */

const fake = await startFakeSes(undefined, ({ raw }) =>
  parentPort?.postMessage(createHash('sha256').update(raw).digest('hex')),
)
parentPort?.postMessage(fake.endpoint)
