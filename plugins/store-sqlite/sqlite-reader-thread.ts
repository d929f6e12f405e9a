import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import type { SqliteClient } from './sqlite-client.ts'
import { sqliteCode } from './sqlite-client.ts'
import { defineFunctions } from './sqlite-functions.ts'
import type { ReaderAnswer, ReaderQuestion, ReaderStart } from './sqlite-reader.ts'
import { Statements } from './sqlite-session.ts'

/*
 * The thread of `SqliteReader`. It opens the driver MikroORM brings along, without MikroORM, which would take ten times
 * as long to load.
 */

/** What better-sqlite3 exports. */
type Driver = new (
  path: string,
  options: { readonly readonly: boolean; readonly fileMustExist: boolean; readonly timeout: number },
) => SqliteClient & { close(): void }

const { path, timeout } = workerData as ReaderStart
const SqliteDriver: Driver = createRequire(import.meta.resolve('@mikro-orm/sqlite'))('better-sqlite3')
const client = new SqliteDriver(path, { readonly: true, fileMustExist: true, timeout })
// a scan has no use for pages it has passed
client.pragma('cache_size = -8192')
client.pragma('temp_store = memory')
defineFunctions(client)
const statements = new Statements(client)

parentPort?.on('message', (question: ReaderQuestion | 'close') => {
  if (question !== 'close') return parentPort?.postMessage(answerOf(question))
  client.close()
  parentPort?.close()
})

function answerOf({ id, sql, params }: ReaderQuestion): ReaderAnswer {
  try {
    return { id, rows: statements.prepared(sql).all(params) }
  } catch (error) {
    return { id, message: error instanceof Error ? error.message : String(error), code: sqliteCode(error) }
  }
}
