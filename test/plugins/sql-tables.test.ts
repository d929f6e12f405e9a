import { defineEntity, p } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Contact } from '../../core/ports/store/contacts.ts'
import { type EntityOf, Table } from '../../plugins/kit/sql/engine/table.ts'
import { ContactRow } from '../../plugins/kit/sql/entities/contacts.ts'
import { sqliteDialect } from '../../plugins/store-sqlite/sqlite-dialect.ts'

/** The contacts with one column more, which the rest of the code does not know. */
type LaterContact = Contact & { readonly nickname: string }
const LaterContactRow = defineEntity({
  name: 'LaterContactRow',
  tableName: 'contacts',
  properties: { ...ContactRow.properties, nickname: p.text() },
})

describe('what writes over a row', () => {
  it('names every column but those that are said to stay, a new one too', async () => {
    const contacts = new Table<LaterContact>(sqliteDialect, ormOf(LaterContactRow), LaterContactRow)
    const clause = contacts.overwrite({ on: ['id'], keep: ['projectId', 'email', 'createdAt'], within: 'projectId' })
    const stays = new Set(['id', 'project_id', 'email', 'created_at'])
    const columns = contacts.columns.map(({ name }) => name).filter((name) => !stays.has(name))
    expect(columns).toContain('nickname')
    const set = columns.map((name) => `"${name}" = excluded."${name}"`).join(', ')
    const where = 'where "contacts"."project_id" = excluded."project_id"'
    expect(clause).toBe(`on conflict ("id") do update set ${set} ${where}`)
    expect(contacts.without(['id', 'data']).map(({ property }) => property)).toContain('nickname')
  })

  it('is refused for a property that has no column', async () => {
    // @ts-expect-error the compiler refuses it as well
    const contacts = new Table<LaterContact>(sqliteDialect, ormOf(ContactRow), ContactRow)
    expect(() => contacts.overwrite({ on: ['id'], keep: ['nickname'] })).toThrow('no column for nickname')
  })
})

describe('an entity', () => {
  it('stands for a record only when each of its properties has a column, by the compiler', () => {
    const whole: EntityOf<LaterContact> = LaterContactRow
    // @ts-expect-error the nickname would be dropped when a contact is written
    const lacking: EntityOf<LaterContact> = ContactRow
    // @ts-expect-error so it would for the one kind of a record that has it
    const lackingForOne: EntityOf<Contact | LaterContact> = ContactRow
    const names = [whole, lacking, lackingForOne].map(({ meta }) => meta.className)
    expect(names).toEqual(['LaterContactRow', 'ContactRow', 'ContactRow'])
  })
})

function ormOf(entity: typeof ContactRow | typeof LaterContactRow): MikroORM {
  const orm = new MikroORM({ dbName: ':memory:', entities: [entity] })
  onTestFinished(() => orm.close(true))
  return orm
}
