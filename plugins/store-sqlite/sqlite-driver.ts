import { createRequire } from 'node:module'
import type { HostHandle, SqliteClient } from './sqlite-client.ts'

/** The export of better-sqlite3. */
type Driver = new (
  path: string,
  options: { readonly readonly: boolean; readonly fileMustExist: boolean; readonly timeout: number },
) => SqliteClient & {
  close(): void
  /** Copies the database into another file; `progress` answers how many pages the next step copies. */
  backup(file: string, options: { readonly progress: () => number }): Promise<unknown>
}

const require = createRequire(import.meta.url)
/** The driver that MikroORM uses, loaded without MikroORM, which would take ten times as long. */
const SqliteDriver: Driver = require('better-sqlite3')
/** The same for handles of a host. */
export const HostDriver: new (
  path: string,
  options: { readonly timeout: number },
) => HostHandle = require('better-sqlite3')

/** A connection to the file, which is made if it is missing, without MikroORM. `timeout` is how long it waits for a lock, in milliseconds. */
export function openPlain(path: string, timeout = 0): InstanceType<Driver> {
  return new SqliteDriver(path, { readonly: false, fileMustExist: false, timeout })
}

/** Another connection to the file, which only reads. `timeout` is how long it waits for a lock, in milliseconds. */
export function openReadOnly(path: string, timeout: number): InstanceType<Driver> {
  return new SqliteDriver(path, { readonly: true, fileMustExist: true, timeout })
}
