import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { inject } from 'vitest'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'

/** Writes a SQLite file with the schema and no rows to this path. */
export function freshFile(file: string): string {
  copyFileSync(inject('sqliteTemplate'), file)
  return file
}

/** The SQLite store over its own empty file, which is removed on closing. */
export const freshSqlite = definePlugin({
  name: 'store-sqlite',
  provides: ['store'],
  options: v.object({}),
  open: async (_options, kit) => {
    const folder = mkdtempSync(join(tmpdir(), 'mailwright-sqlite-'))
    const opened = await sqlite({ file: freshFile(join(folder, 'test.db')), synchronous: 'NORMAL' }).open(kit)
    const close = async () => {
      await opened.close?.()
      rmSync(folder, { recursive: true, force: true })
    }
    return { ...opened, close }
  },
})
