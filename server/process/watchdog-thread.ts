import { readFileSync, writeSync } from 'node:fs'
import type { Debugger } from 'node:inspector'
import { Writable } from 'node:stream'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { configuredLog } from '../../config/configured-log.ts'
import { LOOK_MS, type Sight, Standstill } from './standstill.ts'
import type { WatchdogStart } from './watchdog.ts'

/* The thread of `startWatchdog`. */

const { seen, log: options } = workerData as WatchdogStart
/** The streams of a thread need the main thread, which stands still. */
const stream = new Writable({
  write(line, _encoding, done) {
    writeSync(1, line)
    done()
  },
})
const log = await configuredLog(options, stream)
const standstill = new Standstill()
let reported = Promise.resolve()
/** How long the stack of the main thread may take to come, in milliseconds. */
const STACK_MS = 5_000
const MOST_FRAMES = 20

setInterval(() => void look(), LOOK_MS)
if (!isMainThread) parentPort?.postMessage('watches')

async function look(): Promise<void> {
  const verdict = standstill.look(sight())
  if (verdict === 'nothing') return
  const { seconds } = standstill
  if (verdict === 'report') {
    reported = report(seconds)
    return
  }
  // its stack is what is needed to mend it
  await reported
  log.error('the main thread stood still for too long: the process is ended, to be started again by its supervisor', {
    seconds,
  })
  process.kill(process.pid, 'SIGKILL')
}

async function report(seconds: number): Promise<void> {
  log.warn('the main thread stands still: one piece of code keeps it', { seconds, stack: await mainStack() })
}

function sight(): Sight {
  const state = {
    turns: Atomics.load(seen, 0),
    isDebugged: Atomics.load(seen, 1) === 1,
    at: performance.now(),
  }
  try {
    // Linux: nanoseconds on a core, and in the queue for one
    const [worked = 0, queued = 0] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1')
      .split(' ')
      .map(Number)
    return { ...state, worked: worked / 1e6, queued: queued / 1e6 }
  } catch {
    return state
  }
}

/** Where the main thread is, as far as it can be asked: not while it is outside JavaScript. */
async function mainStack(): Promise<string> {
  try {
    const { Session } = await import('node:inspector')
    const session = new Session()
    session.connectToMainThread()
    const told = Promise.withResolvers<string>()
    const urls = new Map<string, string>()
    session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url))
    session.on('Debugger.paused', ({ params: { callFrames } }) => {
      told.resolve(
        callFrames
          .slice(0, MOST_FRAMES)
          .map((frame) => lineOf(frame, urls))
          .join('\n'),
      )
    })
    session.post('Debugger.enable')
    session.post('Debugger.pause')
    const timer = setTimeout(() => told.resolve('unknown: it runs outside JavaScript'), STACK_MS)
    const stack = await told.promise
    clearTimeout(timer)
    // lets it go on
    session.disconnect()
    return stack
  } catch {
    return 'unknown: this runtime does not tell it'
  }
}

function lineOf({ functionName, location }: Debugger.CallFrame, urls: ReadonlyMap<string, string>): string {
  const { scriptId, lineNumber, columnNumber = 0 } = location
  return `at ${functionName || '(anonymous)'} (${urls.get(scriptId)}:${lineNumber + 1}:${columnNumber + 1})`
}
