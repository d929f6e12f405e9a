import { silentLog, systemClock } from '../config/library.ts'
import type { Plugin } from '../core/plugin/types.ts'
import type { Contact } from '../core/ports/store/contacts.ts'
import { idSource } from '../core/values/id.ts'
import type { ProjectId } from '../core/values/project-id.ts'

const FIRST = ['ada', 'grace', 'alan', 'edsger', 'barbara', 'donald', 'tony', 'margaret', 'ken', 'radia', 'niklaus']
const LAST = ['lovelace', 'hopper', 'turing', 'dijkstra', 'liskov', 'knuth', 'hoare', 'hamilton', 'thompson', 'perlman']
const PLANS = ['free', 'starter', 'pro', 'team', 'enterprise']
const CITIES = ['London', 'New York', 'Zürich', 'Nairobi', 'São Paulo', 'Osaka', 'Oslo']

/** When the first contact was made, and how many milliseconds later each next one: a million in a year. */
const BEGAN = Date.UTC(2025, 0, 1)
const APART = 30_000

/** How many contacts are written in one transaction. */
const BATCH = 1_000

/** The only project. Its id is part of cursors made here. */
export const PROJECT_ID = '01900000-0000-7000-8000-000000000000'

/** The filter of the figures and of the tracked segment. Every 10th contact matches it. */
export const TENTH = {
  operator: 'AND',
  conditions: [
    { field: 'data.plan', operator: 'equals', value: 'pro' },
    { field: 'data.visits', operator: 'greaterThanOrEqual', value: 500 },
  ],
}

/** Whether the contact at this index matches TENTH as it was made. */
export function isOfTenth(i: number): boolean {
  return i % 5 === 2 && visitsOf(i) >= 500
}

/** Whether only its visits keep the contact at this index from matching TENTH. */
export function isNearTenth(i: number): boolean {
  return i % 5 === 2 && visitsOf(i) < 500
}

/** From 0 to 999, all equally often, whatever the plan. */
function visitsOf(i: number): number {
  return (Math.floor(i / 5) * 7919) % 1000
}

/** The address of the contact at this index. Half of all are at example.org. */
export function addressOf(i: number): string {
  return `${FIRST[i % FIRST.length]}.${LAST[i % LAST.length]}.${i}@${i % 2 === 0 ? 'example.org' : 'mail.example.net'}`
}

/** Its data without the nested part, as in a CSV file. */
export function plainDataOf(i: number) {
  return {
    company: `Company ${(i * 104_729) % 200_003} & Sons`,
    plan: PLANS[i % PLANS.length] ?? '',
    visits: visitsOf(i),
    score: (i % 10_007) / 100,
    signedUpOn: new Date(BEGAN + i * APART).toISOString().slice(0, 10),
  }
}

/**
 * Writes this many contacts with six data fields through the store's own `save`. Answers their ids, oldest first. No
 * other process may have the store open.
 */
export async function fillContacts(
  plugin: Plugin<'store'>,
  projectId: ProjectId,
  contacts: number,
): Promise<readonly string[]> {
  const { store, close } = await plugin.open({ log: silentLog, clock: systemClock })
  try {
    let time = BEGAN
    const newId = idSource(() => time)
    const ids: string[] = []
    while (ids.length < contacts) {
      const batch: Contact[] = []
      while (batch.length < BATCH && ids.length < contacts) {
        const i = ids.length
        time = BEGAN + i * APART
        const id = newId()
        const at = new Date(time)
        const address = { city: CITIES[i % CITIES.length] ?? '', floor: i % 40 }
        const data = { ...plainDataOf(i), address }
        const email = addressOf(i)
        const who = { id, projectId, email, subscribed: i % 20 !== 0, tracking: 'full' } as const
        batch.push({ ...who, data, createdAt: at, updatedAt: at })
        ids.push(id)
      }
      const outcome = await store.transaction((tx) => tx.contacts.save(batch))
      if (outcome !== 'saved') throw new Error(`the contacts were not saved: ${outcome}`)
    }
    return ids
  } finally {
    await close?.()
  }
}
