import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { engineWithSink } from '../support/engine.ts'
import { until } from '../support/until.ts'

/** A process that dies while it starts, again and again, claims the same mails each time, and tries none. */
it('mail that was claimed very often is sent nevertheless, unless it has been due for hours', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-tries-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'mail.db')
  const before = await engineWithSink({ store: sqlite({ file }) })
  const ids: string[] = []
  for (const name of ['young', 'old']) {
    const mail = { to: `${name}@example.org`, from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
    ids.push((await before.engine.sending.send(before.project, mail)).answer.emails[0]!.email)
  }
  await before.engine.stop()
  const Database = createRequire(import.meta.resolve('@mikro-orm/sqlite'))('better-sqlite3')
  const db = new Database(file)
  db.prepare('update "emails" set "attempts" = 30').run()
  db.prepare('update "emails" set "due_at" = "due_at" - 7200000 where "id" = ?').run(ids[1])
  db.close()

  const { engine, project, sink } = await engineWithSink({ store: sqlite({ file }) })
  await engine.start()
  const ended = () => Promise.all(ids.map(async (id) => (await engine.mails.get(project, id)).email))
  const mails = await until('both have ended', async () => {
    const now = await ended()
    return now.every(({ status }) => status === 'DELIVERED' || status === 'FAILED') ? now : undefined
  })
  expect(mails).toMatchObject([
    { status: 'DELIVERED' },
    { status: 'FAILED', error: 'Too many tries ended without a result.' },
  ])
  expect(sink.messages.map(({ to }) => to)).toEqual([['young@example.org']])
})
