import { createEngine, silentLog, systemClock } from '../config/library.ts'
import type { Plugin } from '../core/plugin/types.ts'
import { idSource } from '../core/values/id.ts'
import { sampleData } from './sample-mail.ts'

/** How many contacts are written in one transaction. */
const BATCH = 1_000

/** Makes the projects and, in the first of them, this many subscribed contacts with ten data fields. */
export async function fillRecipients(
  settings: { readonly store: Plugin<'store'>; readonly queue?: Plugin<'queue'> },
  projects: { readonly name: string }[],
  recipients: number,
): Promise<void> {
  const engine = await createEngine({ ...settings, projects })
  const [project] = await engine.projects.list()
  await engine.stop()
  if (!project) throw new Error('the project was not made')
  const { store, close } = await settings.store.open({ log: silentLog, clock: systemClock })
  try {
    const newId = idSource(() => Date.now())
    for (let next = 0; next < recipients; next += BATCH) {
      const at = new Date()
      const batch = Array.from({ length: Math.min(BATCH, recipients - next) }, (_, k) => ({
        ...{ id: newId(), projectId: project.id, email: `user${next + k}@example.org`, subscribed: true },
        ...{ tracking: 'full' as const, data: sampleData(next + k), createdAt: at, updatedAt: at },
      }))
      const outcome = await store.transaction((tx) => tx.contacts.save(batch))
      if (outcome !== 'saved') throw new Error(`the contacts were not saved: ${outcome}`)
    }
  } finally {
    await close?.()
  }
}
