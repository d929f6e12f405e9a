import { parentPort, workerData } from 'node:worker_threads'
import { startNotingSink } from './noting-sink.ts'

/** The thread of `startSinkApart`: reports its port, then replies to `arrivals`, and forgets or ends on request. */
const sink = await startNotingSink(workerData)
parentPort?.on('message', async (asked: 'arrivals' | 'forget' | 'close') => {
  if (asked === 'forget') sink.forget()
  else if (asked === 'close') await sink.close().then(() => parentPort?.close())
  else parentPort?.postMessage([...sink.arrivals].map(([to, at]) => [to, performance.timeOrigin + at]))
})
parentPort?.postMessage(sink.port)
