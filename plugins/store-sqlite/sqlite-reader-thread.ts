import { parentPort, workerData } from 'node:worker_threads'
import { type SqliteClient, STOPPED, sqliteCode } from './sqlite-client.ts'
import { openReadOnly } from './sqlite-driver.ts'
import { defineFunctions } from './sqlite-functions.ts'
import type { ReaderAnswer, ReaderQuestion, ReaderStart } from './sqlite-reader.ts'
import { Statements } from './sqlite-session.ts'

/* The thread of `SqliteReader`. */

const { path, timeout, stop } = workerData as ReaderStart
const client = openReadOnly(path, timeout)
// a scan has no use for pages it has passed
client.pragma('cache_size = -8192')
client.pragma('temp_store = memory')
defineFunctions(client)
let until = 0
watchRows(client)
const statements = new Statements(client)

parentPort?.on('message', (question: ReaderQuestion | 'close') => {
  if (question !== 'close') return parentPort?.postMessage(answerOf(question))
  client.close()
  // nothing is left, so the thread ends; Deno's port has no close()
  parentPort?.unref()
})

function answerOf({ id, sql, params, msLeft }: ReaderQuestion): ReaderAnswer {
  until = performance.now() + msLeft
  try {
    goOn()
    return { id, rows: statements.prepared(sql).all(params) }
  } catch (error) {
    return { id, message: error instanceof Error ? error.message : String(error), code: codeOf(error) }
  }
}

/**
 * Makes every statement end in time. The driver cannot interrupt one, and a thread inside SQLite cannot be stopped
 * either, but a function of ours that throws can end it. So each table is hidden by a view of its name with all its
 * rows, which calls the function at every sixteenth row. SQLite flattens such a view, so indexes are still used.
 */
function watchRows(client: SqliteClient): void {
  client.function('go_on', { deterministic: false }, goOn)
  const tables = client.prepare(
    `select "name" from pragma_table_list where "schema" = 'main' and "type" = 'table' and not "wr"
      and "name" not like 'sqlite%'`,
  )
  for (const { name } of tables.all([])) {
    client.exec(`create temp view "${name}" as select * from main."${name}" where iif(rowid & 15, true, go_on())`)
  }
}

function goOn(): number {
  if (Atomics.load(stop, 0) !== 0) throw new Stop(STOPPED.closed)
  if (performance.now() > until) throw new Stop(STOPPED.late)
  return 1
}

class Stop extends Error {}

function codeOf(error: unknown): string | undefined {
  return error instanceof Stop ? error.message : sqliteCode(error)
}
