import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { EngineError } from '../../core/errors.ts'
import { type ConnectionOptions, connectionConfig } from '../kit/postgres/connection.ts'
import { isPooled } from '../kit/postgres/pooler.ts'

/** How long a notice may take before the pooler counts as one that loses it, in milliseconds. */
const HEARD_MS = 2_000
const CHANNEL = 'mailwright_pooler_probe'

/**
 * Throws EngineError `CONFIG_INVALID` when a pooler is in between that passes no notices on, as PgBouncer does in its
 * transaction mode: idle workers would never be woken. Connection errors pass through.
 */
export async function refusePooler(options: ConnectionOptions): Promise<void> {
  const config = connectionConfig(options, 'mailwright queue')
  const [listener, other] = [new pg.Client(config), new pg.Client(config)]
  for (const client of [listener, other]) client.on('error', () => {})
  try {
    await listener.connect()
    if (!(await isPooled(listener))) return
    const heard = new Promise<boolean>((resolve) => listener.once('notification', () => resolve(true)))
    await listener.query(`listen ${CHANNEL}`)
    await other.connect()
    await other.query(`notify ${CHANNEL}`)
    if (!(await Promise.race([heard, pause(HEARD_MS, false, { ref: false })]))) throw refusal(options)
  } finally {
    await Promise.all([listener, other].map((client) => client.end().catch(() => {})))
  }
}

function refusal({ pool }: ConnectionOptions): EngineError {
  const field = `queue.options.${pool === undefined ? 'url' : 'pool'}`
  const message =
    'leads to a pooler in transaction mode, such as PgBouncer, which passes no notices (LISTEN) on; give the address of the PostgreSQL server itself, or use the queue redis'
  return new EngineError('CONFIG_INVALID', `${field}: ${message}`, { fields: [{ field, code: 'custom', message }] })
}
