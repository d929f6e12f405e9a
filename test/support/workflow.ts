import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createEngine, type Engine, type GivenSettings, type Project } from '../../config/library.ts'
import type { Plugin } from '../../core/plugin/types.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { idSource } from '../../core/values/id.ts'
import type { JsonObject } from '../../core/values/json.ts'
import type { KnownGraph, StepType } from '../../core/workflows/steps/registry.ts'
import { disk } from '../../plugins/blobs-disk/index.ts'
import { outbox } from '../../plugins/mail-outbox/index.ts'
import { atEndOfFile } from './end-of-file.ts'

const newId = idSource(() => Date.now())

/** A step of a test workflow: its type, its config, and where it leads (by index, or by branch). */
export interface DrawnStep {
  readonly type: StepType
  readonly config?: JsonObject
  readonly templateId?: string
  /** Indexes of the next steps by branch. Default the next in the list, unless it is an EXIT. */
  readonly to?: Readonly<Record<string, number>>
}

export interface DrawnWorkflow {
  readonly eventName?: string
  readonly allowReentry?: boolean
  readonly enabled?: boolean
}

/** A workflow whose trigger leads to the first of these steps. */
export function drawn(project: Project, steps: readonly DrawnStep[], workflow: DrawnWorkflow = {}): KnownGraph {
  const now = new Date()
  const [id, triggerId] = [newId(), newId()]
  const of = { projectId: project.id, workflowId: id }
  const made = steps.map(({ type, config = {}, templateId }, i) => ({
    ...{ id: newId(), ...of, type, name: `${type} ${i}`, position: { x: 0, y: i }, config, createdAt: now },
    ...(templateId === undefined ? {} : { templateId }),
  }))
  const transitions: KnownGraph['transitions'] = steps.flatMap(({ type, to }, i) => {
    const drawn = to ?? (type === 'EXIT' || i === steps.length - 1 ? {} : { always: i + 1 })
    return Object.entries(drawn).map(([branch, target]) => ({
      ...{ id: newId(), ...of, fromStepId: made[i]!.id, toStepId: made[target]!.id, priority: 0 },
      ...(branch === 'always' ? {} : { branch }),
    }))
  })
  const first = made[0] && { id: newId(), ...of, fromStepId: triggerId, toStepId: made[0].id, priority: 0 }
  const { eventName, allowReentry = false, enabled = true } = workflow
  return {
    workflow: {
      ...{ id, projectId: project.id, name: 'Drawn', enabled, triggerType: 'EVENT', allowReentry },
      ...(eventName === undefined ? {} : { eventName }),
      ...{ version: 1, createdAt: now, updatedAt: now },
    },
    steps: [
      { id: triggerId, ...of, type: 'TRIGGER', name: 'Trigger', position: { x: 0, y: -1 }, config: {}, createdAt: now },
      ...made,
    ],
    transitions: first ? [first, ...transitions] : transitions,
  }
}

/** An engine with its only project, and the store under it. */
export interface World {
  readonly engine: Engine
  readonly store: Store
  readonly project: Project
}

/**
 * An engine with one project, and the store under it, so that tests can look inside. It stops when the test ends, or at
 * the `end` that is named.
 */
export async function engineOnStore(
  plugin: Plugin<'store'>,
  settings: GivenSettings = {},
  end: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'mailwright-workflows-'))
  let stop = async () => {}
  end(async () => {
    await stop()
    rmSync(directory, { recursive: true, force: true })
  })
  let store: Store | undefined
  const seen: Plugin<'store'> = {
    ...plugin,
    open: async (kit) => {
      const opened = await plugin.open(kit)
      store = opened.store
      return opened
    },
  }
  const engine = await createEngine({
    ...{ store: seen, transports: [outbox({ directory })], blobs: disk({ directory: join(directory, 'blobs') }) },
    ...{ projects: [{ name: 'Test', trustedDomains: ['example.com'] }], ...settings },
  })
  stop = () => engine.stop()
  const [project] = await engine.projects.list()
  if (store === undefined || project === undefined) throw new Error('the engine has no store or project')
  return { engine, store, project }
}

/**
 * One started engine for the tests of a file, each of which gets a project of its own: what is in one project nothing of
 * another sees, and to start an engine takes longer than most tests.
 */
export async function sharedEngine(plugin: Plugin<'store'>, settings: GivenSettings = {}): Promise<() => World> {
  const projects = Array.from({ length: 25 }, (_, i) => ({ name: `Test ${i}`, trustedDomains: ['example.com'] }))
  const { engine, store } = await engineOnStore(plugin, { projects, ...settings }, atEndOfFile)
  await engine.start()
  const left = [...(await engine.projects.list())]
  return () => {
    const project = left.pop()
    if (project === undefined) throw new Error('there is no project left')
    return { engine, store, project }
  }
}
