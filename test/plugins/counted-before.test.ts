import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { idOf } from '../../core/values/id.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { at, contact, email, event, execution, project, workflow } from '../contracts/store/records.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freshFile } from '../support/fresh-sqlite.ts'

const KIT = { log: silentLog, clock: systemClock }
const BEFORE = [
  'drop table "activity_counts"',
  `delete from "mailwright_migrations" where "name" = '0022-activity-counts'`,
]

/** The migration counts by a statement of its own: what it gets wrong no store contract sees, since those begin empty. */
describe('the figures of what an older version wrote', () => {
  it('are counted when its SQLite file is opened', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mailwright-counted-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = freshFile(join(folder, 'mail.db'))
    await countsAgain(
      () => sqlite({ file }).open(KIT),
      async () => {
        const Database = createRequire(import.meta.resolve('@mikro-orm/sqlite'))('better-sqlite3')
        const connection = new Database(file)
        for (const sql of BEFORE) connection.exec(sql)
        connection.close()
      },
    )
  })

  it('are counted when its PostgreSQL database is opened', async () => {
    const url = await freshDatabase()
    await countsAgain(
      () => postgres({ url }).open(KIT),
      async () => {
        const client = new Client(url)
        await client.connect()
        for (const sql of BEFORE) await client.query(sql)
        await client.end()
      },
    )
  })
})

interface Opened {
  readonly store: Store
  close?(): Promise<void>
}

async function countsAgain(open: () => Promise<Opened>, forget: () => Promise<void>): Promise<void> {
  const first = await open()
  const acme = project()
  const person = contact(acme.id)
  await first.store.projects.save(acme)
  await first.store.contacts.save([person])
  const names = ['paid', 'email.open', 'segment.vip.entry', 'segment..entry', 'Segment.vip.exit', 'contact.tracking']
  // the last moment of one quarter of an hour and of a day, and the first of the next
  const moments = [
    '2025-06-01T12:14:59.999Z',
    '2025-06-01T12:15:00Z',
    '2025-06-01T23:59:59.999Z',
    '2025-06-02T00:00:00Z',
  ]
  const dates = moments.map((moment) => new Date(moment))
  await first.store.events.record(
    names.flatMap((name) =>
      dates.map((createdAt) => event(acme.id, person.id, { id: idOf(createdAt, name), name, createdAt })),
    ),
  )
  await first.store.emails.add(
    dates.flatMap((sentAt, i) => [
      email(acme.id, { sentAt, deliveredAt: sentAt, openedAt: dates[3]!, clickedAt: dates[i]! }),
      email(acme.id, { status: 'RECEIVED', createdAt: sentAt }),
      email(acme.id, { bouncedAt: sentAt, complainedAt: dates[0]! }),
    ]),
    [],
  )
  const flow = workflow(acme.id)
  const ended = { status: 'COMPLETED', completedAt: at(9000) } as const
  await first.store.executions.start([execution(flow, person.id, ended), execution(workflow(acme.id), person.id)])
  const days = [0, 1].map((day) => ({
    from: new Date(Date.UTC(2025, 5, 1 + day)),
    to: new Date(Date.UTC(2025, 5, 2 + day)),
  }))
  const figures = await first.store.analytics.figures(acme.id, days)
  const top = await first.store.analytics.topEvents(acme.id, days[0]!, days[1]!, 9)
  expect(figures).toMatchObject([{ sent: 3, received: 3, complained: 4, started: 2, completed: 1 }, { opened: 4 }])
  expect(top).toHaveLength(3)
  await first.close?.()

  await forget()
  const again = await open()
  onTestFinished(async () => again.close?.())
  expect(await again.store.analytics.figures(acme.id, days)).toEqual(figures)
  expect(await again.store.analytics.topEvents(acme.id, days[0]!, days[1]!, 9)).toEqual(top)
  expect(await again.store.analytics.recount(acme.id, false)).toEqual([])
}
