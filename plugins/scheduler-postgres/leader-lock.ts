import { EngineError } from '../../core/errors.ts'
import type { Log } from '../../core/ports/log.ts'
import type { ConnectionOptions } from '../kit/postgres/connection.ts'
import { SessionLock } from '../kit/postgres/session-lock.ts'
import type { Leadership } from '../kit/schedule/cron-scheduler.ts'

/** Leadership by a PostgreSQL advisory lock, which is free as soon as the leader's process has died. */
export class LeaderLock implements Leadership {
  readonly #lock: SessionLock

  constructor(connection: ConnectionOptions, name: string, log: Log) {
    this.#lock = new SessionLock(connection, {
      name: 'mailwright scheduler',
      take: (scope) => ({
        text: `select pg_try_advisory_${scope}(hashtext('mailwright scheduler'), hashtext($1)) as held`,
        values: [name],
      }),
      changed: (now, error) => {
        if (now === 'held') log.info('scheduler: this process leads')
        else if (now === 'away') log.debug('scheduler: its database does not answer', { error })
        else log.warn('scheduler: it has lost its database; another process may lead now')
      },
    })
  }

  acquire(): Promise<void> {
    return this.#lock.begin()
  }

  confirm(): Promise<AbortSignal | undefined> {
    return this.#lock.confirm()
  }

  async check(): Promise<void> {
    if (!this.#lock.isConnected) {
      throw new EngineError('SERVICE_UNAVAILABLE', 'scheduler: it has lost its database and tries to reach it again')
    }
  }

  release(): Promise<void> {
    return this.#lock.end()
  }
}
