import { createEngine, type Project } from '../config/library.ts'
import type { Plugin } from '../core/plugin/types.ts'
import type { Store } from '../core/ports/store/store.ts'
import { firstIdAt, NIL_ID } from '../core/values/id.ts'
import { rest } from '../core/work/rest.ts'
import type { BenchDatabase } from './databases.ts'

/** As the rules of retention take them. */
const PAGE = 1000
const EVENTS_PAGE = 200
const SECONDS = 10

/** The speed of retention, and what it costs mail that is accepted meanwhile. */
export interface RetentionRates {
  /** Mails whose variables are removed, and events that are removed, in a second. */
  readonly mails: number
  readonly events: number
  /** The 95th percentiles of accepting a mail, in milliseconds. */
  readonly before: number
  readonly whileMails: number
  readonly whileEvents: number
}

/** Removes the variables of the oldest mails and the oldest events as retention does, while this process accepts mail. */
export async function retentionRates(database: BenchDatabase, name: string): Promise<RetentionRates> {
  let store: Store | undefined
  const { store: plugin, ...others } = database.plugins
  const seen: Plugin<'store'> = {
    ...plugin,
    open: async (kit) => {
      const opened = await plugin.open(kit)
      store = opened.store
      return opened
    },
  }
  const engine = await createEngine({ ...others, store: seen, projects: [{ name, trustedDomains: ['example.com'] }] })
  try {
    const project = (await engine.projects.list()).find((each) => each.name === name)
    if (!(store && project)) throw new Error('the project was not made')
    const { retention } = store
    const accept = (until: () => boolean) => p95WhileAccepting(engine.sending, project, until)
    const calm = performance.now() + (SECONDS / 2) * 1000
    const before = await accept(() => performance.now() > calm)
    const now = new Date()
    const mails = async (after: string) => {
      const page = await retention.mails({ after, before: firstIdAt(now), limit: PAGE })
      await retention.removeVariables(
        page.map(({ id }) => id),
        now,
      )
      return page.length === PAGE ? page.at(-1)?.id : undefined
    }
    const events = (after: string) => retention.removeEvents({ after, before: firstIdAt(now), limit: EVENTS_PAGE })
    const meanwhile = async (page: (after: string) => Promise<string | undefined>) => {
      let isDone = false
      const accepting = accept(() => isDone)
      const rate = await pagesASecond(page)
      isDone = true
      return { rate, p95: await accepting }
    }
    const [ofMails, ofEvents] = [await meanwhile(mails), await meanwhile(events)]
    return {
      ...{ mails: ofMails.rate * PAGE, events: ofEvents.rate * EVENTS_PAGE, before },
      ...{ whileMails: ofMails.p95, whileEvents: ofEvents.p95 },
    }
  } finally {
    await engine.stop()
  }
}

async function pagesASecond(page: (after: string) => Promise<string | undefined>): Promise<number> {
  const begun = performance.now()
  let pages = 0
  for (let after: string | undefined = NIL_ID; after !== undefined; pages++) {
    const from = performance.now()
    after = await page(after)
    await rest(from)
    if (from - begun > SECONDS * 1000) break
  }
  return (pages * 1000) / (performance.now() - begun)
}

async function p95WhileAccepting(
  sending: Awaited<ReturnType<typeof createEngine>>['sending'],
  project: Project,
  isOver: () => boolean,
): Promise<number> {
  const times: number[] = []
  for (let i = 0; !isOver(); i++) {
    const from = performance.now()
    await sending.send(project, {
      ...{ to: `late${i}@example.org`, from: 'shop@example.com', subject: 'Late', body: '<p>Late</p>' },
      scheduledFor: new Date(Date.now() + 3_600_000).toISOString(),
    })
    times.push(performance.now() - from)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
}
