import * as v from 'valibot'
import { loadOptional } from '../../core/plugin/optional-packages.ts'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { connectionOptions, oneDatabase } from '../kit/postgres/connection.ts'
import { CronScheduler } from '../kit/schedule/cron-scheduler.ts'

export const PostgresSchedulerOptions = v.pipe(
  v.strictObject({
    ...connectionOptions,
    /** One of the processes that share this name leads. Default `mailwright`. */
    name: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200)), 'mailwright'),
  }),
  oneDatabase(),
)

/**
 * Runs the engine's periodic tasks, by cron expressions in UTC, in one of several processes: the one that holds an
 * advisory lock of a PostgreSQL database. When its process dies, another takes over within about a second; when its
 * machine vanishes, within 30 seconds. A leader that loses its database aborts the running ticks and begins none before
 * it leads again, so there are never two. It takes one connection, also one of a pooler, and connects only when it is
 * started.
 */
export const postgresScheduler = definePlugin({
  name: 'scheduler-postgres',
  provides: ['scheduler'],
  options: PostgresSchedulerOptions,
  async open(options, kit) {
    const { LeaderLock } = await loadOptional('scheduler-postgres', 'postgres', () => import('./leader-lock.ts'), [
      'pg',
    ])
    const scheduler = new CronScheduler(kit, new LeaderLock(options, options.name, kit.log))
    return { scheduler, close: () => scheduler.stop() }
  },
})
