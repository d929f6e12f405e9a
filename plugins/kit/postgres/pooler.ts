import type { Client } from 'pg'

/**
 * Whether this connection leads to a pooler, such as PgBouncer: it names another process than the one that runs the
 * statements. In its transaction mode each transaction may run on another connection to the server, so settings,
 * prepared statements and locks of a session are lost, or met by others.
 */
export async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as "pid"')
  return rows[0]?.pid !== (client as Connected).processID
}

/** The process that answered when the connection was made (BackendKeyData), which the types of pg leave out. */
type Connected = Client & { readonly processID?: number | null }
