import inspector from 'node:inspector'
import { Worker } from 'node:worker_threads'
import type { LoadedConfig } from '../../config/index.ts'
import { LOOK_MS } from './standstill.ts'

/** The data that the thread is started with. */
export interface WatchdogStart {
  /** How often the event loop has turned, and whether a debugger is connected. */
  readonly seen: Int32Array
  readonly log: LoadedConfig['log']
}

/**
 * Watches the main thread from a thread of its own, for as long as the process lives: when one piece of code keeps the
 * event loop, no request is answered and no signal is heard. Its stack is then logged, and in the end the process is
 * killed, so that a supervisor starts it again; what it had claimed is taken up again, see `core/work/interrupted.ts`.
 */
export function startWatchdog(log: WatchdogStart['log']): void {
  const seen = new Int32Array(new SharedArrayBuffer(8))
  const turn = () => {
    Atomics.store(seen, 1, isDebugged() ? 1 : 0)
    Atomics.add(seen, 0, 1)
  }
  turn()
  setInterval(turn, LOOK_MS).unref()
  const format = log.format ?? (process.stdout.isTTY ? 'pretty' : 'json')
  const start: WatchdogStart = { seen, log: { ...log, format } }
  const thread = new Worker(new URL('./watchdog-thread.ts', import.meta.url), {
    name: 'mailwright-watchdog',
    workerData: start,
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 },
    execArgv: [],
  })
  // without it the process works as well
  thread.on('error', () => {})
  thread.unref()
}

/** Bun and Deno have no address here, or throw. */
function isDebugged(): boolean {
  try {
    return inspector.url() !== undefined
  } catch {
    return false
  }
}
