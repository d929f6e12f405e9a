import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../core/engine.ts'
import { definePlugin } from '../core/plugin/plugin.ts'
import type { Plugin } from '../core/plugin/types.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { MailTransport } from '../core/ports/mail-transport.ts'
import type { ScheduledTask } from '../core/ports/scheduler.ts'
import type { Project } from '../core/ports/store/projects.ts'
import type { Store } from '../core/ports/store/store.ts'
import { disk } from '../plugins/blobs-disk/index.ts'
import { sqlite } from '../plugins/store-sqlite/index.ts'
import { createEngine } from './library.ts'

/** The parts that a scratch engine is made with. */
export interface ScratchOptions {
  readonly clock: Clock
  readonly transport: MailTransport
  readonly publicUrl: string
}

/**
 * A separate engine in a temporary folder, on a simulated clock. It reaches no network: its only transport is given, its
 * DNS knows no name, and no scheduled task runs unless called.
 */
export interface ScratchEngine {
  readonly engine: Engine
  /** The database, to be read after `stop`. */
  readonly file: string
  /** Runs a task of the schedule once. */
  run(task: 'work' | 'campaigns'): Promise<void>
  /** Whether work of the project is due or under way. */
  isBusy(project: Project): Promise<boolean>
  stop(): Promise<void>
  /** Removes the folder; call it after `stop`. */
  remove(): Promise<void>
}

/** Makes the engine and starts it. */
export async function startScratchEngine({ clock, transport, publicUrl }: ScratchOptions): Promise<ScratchEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'mailwright-'))
  const file = join(folder, 'mail.db')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const tasks = new Map<string, ScheduledTask>()
    const opened = keptStore(sqlite({ file, synchronous: 'NORMAL' }))
    const engine = await createEngine({
      store: opened.plugin,
      scheduler: onRequest(tasks),
      dns: noNames(),
      blobs: disk({ directory: join(folder, 'uploads') }),
      transports: [{ name: 'demo', plugin: answering(transport) }],
      clock,
      publicUrl,
      feedback: { returnPathHost: null },
      delivery: { threads: 0 },
    })
    await engine.start()
    const never = new AbortController().signal
    return {
      engine,
      file,
      remove,
      run: async (task) => tasks.get(task)?.run(never),
      isBusy: (project) => isBusy(engine, opened.store(), project),
      stop: () => engine.stop(),
    }
  } catch (error) {
    await remove()
    throw error
  }
}

async function isBusy(engine: Engine, store: Store, project: Project): Promise<boolean> {
  if ((await engine.analytics.operations.waiting()).some(({ due }) => due > 0)) return true
  if ((await store.transaction((tx) => tx.outbox.pending(1))).length > 0) return true
  if ((await store.campaigns.sending()).some(({ fanOut }) => fanOut?.done !== true)) return true
  return (await engine.mails.list(project, { status: 'SENDING', limit: 1 })).items.length > 0
}

/** The same plugin, whose open store can be asked for. */
function keptStore(plugin: Plugin<'store'>): { readonly plugin: Plugin<'store'>; store(): Store } {
  let kept: Store | undefined
  return {
    plugin: {
      ...plugin,
      open: async (kit) => {
        const opened = await plugin.open(kit)
        kept = opened.store
        return opened
      },
    },
    store: () => {
      if (kept === undefined) throw new Error('the store is not open')
      return kept
    },
  }
}

/** A scheduler that runs nothing automatically. */
function onRequest(tasks: Map<string, ScheduledTask>): Plugin<'scheduler'> {
  const start = async (given: readonly ScheduledTask[]) => {
    for (const task of given) tasks.set(task.name, task)
  }
  const scheduler = { start, check: async () => {}, stop: async () => {} }
  return definePlugin({ name: 'scheduler-on-request', provides: ['scheduler'], open: () => ({ scheduler }) })()
}

const NONE = async () => []

const noNames = definePlugin({
  name: 'dns-none',
  provides: ['dns'],
  open: () => ({ dns: { mx: NONE, txt: NONE, ns: NONE, cname: NONE, ipv4: NONE, ipv6: NONE, ptr: NONE } }),
})

function answering(transport: MailTransport): Plugin<'transport'> {
  return definePlugin({ name: 'mail-demo', provides: ['transport'], open: () => ({ transport }) })()
}
