import { createRequire } from 'node:module'
import { defineEventHandler, H3, readBody, serve } from 'h3'
import * as v from 'valibot'

/*
 * A process with the least that an accept could be: the same HTTP framework, the same schema library, one insert, and a
 * commit that all waiting requests share (`synchronous=FULL`). `node bare-accept.js <port> <file>`.
 */

const [, , port, file] = process.argv
const Body = v.object({
  to: v.pipe(v.string(), v.email()),
  from: v.pipe(v.string(), v.email()),
  subject: v.pipe(v.string(), v.maxLength(998)),
  body: v.string(),
  data: v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])),
  scheduledFor: v.pipe(v.string(), v.isoTimestamp()),
})

interface Database {
  pragma(text: string): unknown
  exec(sql: string): unknown
  prepare(sql: string): { run(...values: unknown[]): unknown }
}
const Driver: new (path?: string) => Database = createRequire(import.meta.resolve('@mikro-orm/sqlite'))(
  'better-sqlite3',
)
const db = new Driver(file)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec('create table mails (id text primary key, "to" text, mail text, due_at text) without rowid')
const insert = db.prepare('insert into mails values (?, ?, ?, ?)')

let waiting: { readonly values: readonly string[]; done(): void }[] = []

/** Answers when the row is committed, with all that came in the same turn of the event loop. */
function commit(values: readonly string[]): Promise<void> {
  return new Promise((done) => {
    waiting.push({ values, done })
    if (waiting.length > 1) return
    setImmediate(() => {
      const batch = waiting
      waiting = []
      db.exec('begin immediate')
      for (const { values } of batch) insert.run(...values)
      db.exec('commit')
      for (const { done } of batch) done()
    })
  })
}

const app = new H3()
app.get('/health/live', () => ({ ok: true }))
app.post(
  '/v1/send',
  defineEventHandler(async (event) => {
    const mail = v.parse(Body, await readBody(event))
    const id = crypto.randomUUID()
    await commit([id, mail.to, JSON.stringify(mail), mail.scheduledFor])
    return { success: true, data: { emails: [{ contact: { id, email: mail.to }, email: id }] } }
  }),
)
serve(app, { port: Number(port), hostname: '127.0.0.1', silent: true })
