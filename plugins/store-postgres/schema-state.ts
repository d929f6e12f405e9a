import { type Client, type ClientBase, escapeIdentifier } from 'pg'
import type { SchemaState } from '../../core/ports/store/schema-state.ts'
import { MIGRATIONS } from '../kit/sql/engine/migrate.ts'
import { schemaState } from '../kit/sql/engine/schema-state.ts'
import { placeOf, reading } from './connect.ts'
import { migrations } from './migrations/all.ts'
import type { PostgresOptions } from './options.ts'

/** Which migrations the database has, read without changing it. Throws EngineError as `reading` does. */
export function postgresSchemaState(options: PostgresOptions): Promise<SchemaState> {
  return reading(placeOf(options, 'mailwright migrate'), async (client, { schema }) => {
    const executed = await executedIn(client, schema)
    if (executed.length === 0) return schemaState([], migrations)
    return { ...schemaState(executed, migrations), creators: await creatorsIn(client, schema) }
  })
}

/** The migrations that have run, oldest first, and when. */
export async function executedIn(
  client: ClientBase,
  schema: string,
): Promise<readonly { readonly name: string; readonly at: Date }[]> {
  const table = `${escapeIdentifier(schema)}.${escapeIdentifier(MIGRATIONS)}`
  const { rows: tables } = await client.query('select to_regclass($1) is not null as "isThere"', [table])
  if (tables[0]?.isThere !== true) return []
  const { rows } = await client.query(`select "name", "executed_at" as "at" from ${table} order by "id"`)
  return rows
}

/** The roles that may create in the schema, besides its owner, ourselves and superusers. */
async function creatorsIn(client: Pick<Client, 'query'>, schema: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct coalesce(r.rolname, 'PUBLIC') as "name" from pg_namespace as n
      cross join lateral aclexplode(n.nspacl) as a left join pg_roles as r on r.oid = a.grantee
      where n.nspname = $1 and a.privilege_type = 'CREATE' and a.grantee <> n.nspowner
        and r.rolname is distinct from current_user and not coalesce(r.rolsuper, false) order by 1`,
    [schema],
  )
  return rows.map(({ name }) => name)
}
