import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { NIL_ID } from '../../core/values/id.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { SqliteReader } from '../../plugins/store-sqlite/sqlite-reader.ts'
import { newId, newProjectId, project, putContact } from '../contracts/store/records.ts'

interface Driver {
  readonly prototype: {
    prepare(sql: string): { readonly all: (...params: unknown[]) => readonly { detail: string }[] }
  }
  new (file: string): { prepare: Driver['prototype']['prepare']; close(): void }
}
const Database: Driver = createRequire(import.meta.url)('better-sqlite3')

const projectId = newProjectId()
const now = new Date()
/**
 * Questions whose answer is small however old the installation is, and by which index SQLite finds it. It has no statistics here, and took
 * an index that begins with the project: all mails of the ledger were looked at for one.
 */
const ASKED: readonly (readonly [string, RegExp, RegExp, (store: Store) => Promise<unknown>])[] = [
  [
    'the events of a mail',
    /"ledger_events" is not null/,
    /^SEARCH m USING INDEX sqlite_autoindex_emails_1 \(id=\?\)$/,
    (store) => store.events.page(projectId, { emailId: newId() }, { limit: 100 }),
  ],
  [
    'executions that wait for a time',
    /x\.due_at is not null/,
    /^SEARCH x USING INDEX workflow_executions_due /,
    (store) => store.activity.upcoming(projectId, now, new Date(now.getTime() + 1e9), 20),
  ],
  [
    'webhooks that wait',
    /^\s*select.* from main\."webhook_deliveries"/s,
    /^SCAN main\.webhook_deliveries USING INDEX webhook_deliveries_due$/,
    (store) => store.operations.queues(now),
  ],
  [
    'executions that are due',
    /^\s*select.* from main\."workflow_executions"/s,
    /^SEARCH main\.workflow_executions USING INDEX workflow_executions_due /,
    (store) => store.operations.queues(now),
  ],
  [
    'a part of the mails in the search index',
    /^update "thread_mails"/,
    /^SEARCH thread_mails USING INDEX thread_mails_of \(email_id>\?\)$/,
    (store) => store.mailWords.mend(NIL_ID, 9),
  ],
]

it('finds a few rows of a large table by the index that has them, without statistics', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-plans-'))
  const file = join(folder, 'plans.db')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const seen = new Map<string, string[]>()
  let asking = ''
  const note = (sql: string) => seen.set(asking, [...(seen.get(asking) ?? []), sql])
  const { prepare } = Database.prototype
  Database.prototype.prepare = function (sql) {
    note(sql)
    return prepare.call(this, sql)
  }
  const { session } = SqliteReader.prototype
  SqliteReader.prototype.session = function (seconds) {
    const given = session.call(this, seconds)
    const all: typeof given.all = (sql, params) => {
      note(sql)
      return given.all(sql, params)
    }
    return { ...given, all }
  }
  onTestFinished(() => {
    Database.prototype.prepare = prepare
    SqliteReader.prototype.session = session
  })
  const { store, close } = await sqlite({ file }).open({ log: silentLog, clock: systemClock })
  await store.projects.save(project({ id: projectId }))
  await putContact(store, projectId, { email: 'ada@example.org' })
  for (const [what, , , ask] of ASKED) {
    asking = what
    await ask(store)
  }
  await close?.()
  const database = new Database(file)
  onTestFinished(() => database.close())
  for (const [what, meant, step] of ASKED) {
    const [sql] = (seen.get(what) ?? []).filter((each) => meant.test(each))
    if (sql === undefined) throw new Error(`${what}: no such statement among ${seen.get(what)?.join('\n')}`)
    const steps = database
      .prepare(`explain query plan ${sql}`)
      .all(
        ...sql
          .split('?')
          .slice(1)
          .map(() => null),
      )
      .map(({ detail }) => detail)
    expect(
      steps.some((each) => step.test(each)),
      `${what}: ${steps.join('; ')} of ${sql}`,
    ).toBe(true)
  }
})
