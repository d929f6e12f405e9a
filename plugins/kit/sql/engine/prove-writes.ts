import { randomBytes } from 'node:crypto'
import type { Database } from './access.ts'

/**
 * Throws when nothing can be written or read back. It writes a row of its own and removes it, so that processes never
 * wait for each other and nothing is left. After a failed commit, a small row proves little, since it may fit into
 * space the file already had; then the row has a megabyte.
 */
export async function proveWrites(access: Database, after: 'success' | 'failure'): Promise<void> {
  const name = `check ${randomBytes(12).toString('hex')}`
  const value = randomBytes(after === 'success' ? SMALL : LARGE).toString('hex')
  const now = access.dialect.encode('date')(new Date())
  const insert = 'insert into "engine_secrets" ("name", "value", "created_at") values (?, ?, ?)'
  const remove = 'delete from "engine_secrets" where "name" = ?'
  await access.write(async (session) => {
    await session.run(insert, [name, value, now])
    const [row] = await session.all('select "value" from "engine_secrets" where "name" = ?', [name])
    if (row?.value !== value) throw new Error('the database returned something other than what was written')
    // a row removed in the same transaction need not reach the disk
    if (after === 'success') await session.run(remove, [name])
  })
  if (after === 'failure') await access.write((session) => session.run(remove, [name]))
}

/** In bytes; the text has two characters for each. */
const SMALL = 100
const LARGE = 512 * 1024
