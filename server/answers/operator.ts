import * as v from 'valibot'
import { QUOTA_PERIODS } from '../../core/delivery/throttle/quota-windows.ts'
import { MAIL_WAYS } from '../../core/installation/project-routes.ts'
import { BEGUN_KINDS } from '../../core/ports/store/begun-work.ts'
import { WAITING_WORK } from '../../core/ports/store/operations.ts'
import { ROLES } from '../../core/settings/role.ts'
import { named } from '../../core/values/described.ts'
import { Count, Id, many, Time } from './parts.ts'

const seconds = Count

const Transport = v.object({
  name: v.string(),
  state: v.picklist(['ok', 'slowed', 'paused']),
  pausedSeconds: seconds,
  reachedSecondsAgo: v.optional(seconds),
  lastError: v.optional(v.object({ reason: v.string(), secondsAgo: seconds })),
})

const Queue = v.object({
  queue: v.picklist(WAITING_WORK),
  projectId: Id,
  waiting: Count,
  due: Count,
  oldest: Time,
})

/** The answer of `GET /operator`. */
export const OperatorState = named(
  'OperatorState',
  v.object({
    status: v.picklist(['ok', 'degraded', 'down']),
    parts: v.record(v.string(), v.object({ ok: v.boolean(), error: v.optional(v.string()) })),
    process: v.object({ version: v.string(), role: v.picklist(ROLES), uptimeSeconds: seconds, residentBytes: Count }),
    disk: v.nullable(v.object({ freeBytes: Count, totalBytes: Count })),
    database: v.object({ schema: v.string(), bytes: Count }),
    projects: many(
      v.object({
        id: Id,
        name: v.string(),
        disabled: v.boolean(),
        createdAt: Time,
        mailWay: v.picklist(MAIL_WAYS),
        mailServers: many(Transport),
      }),
    ),
    users: Count,
    queues: many(Queue),
    givenUp: many(
      v.object({
        kind: v.picklist(BEGUN_KINDS),
        key: v.string(),
        projectId: v.optional(Id),
        reason: v.string(),
        at: Time,
      }),
    ),
    workers: many(v.object({ name: v.string(), claims: Count })),
    transports: many(Transport),
    backOffs: many(
      v.object({ domain: v.string(), pausedSeconds: seconds, perSecond: v.number(), reason: v.optional(v.string()) }),
    ),
    ramps: many(
      v.object({ transport: v.string(), domain: v.string(), step: Count, perDay: Count, sent: Count, renewsAt: Time }),
    ),
    routeRamps: many(
      v.object({
        rule: v.string(),
        transport: v.string(),
        share: v.number(),
        isBack: v.boolean(),
        sent: Count,
        refused: Count,
      }),
    ),
    quotas: many(
      v.object({ transport: v.string(), period: v.picklist(QUOTA_PERIODS), most: Count, sent: Count, renewsAt: Time }),
    ),
    providerQuotas: many(
      v.object({
        transport: v.string(),
        perDay: v.optional(Count),
        sent: v.optional(Count),
        perSecond: v.optional(v.number()),
        at: Time,
        error: v.optional(v.string()),
      }),
    ),
  }),
)
