import * as v from 'valibot'
import { named } from '../../core/values/described.ts'
import { Count } from './parts.ts'

const parts = v.record(v.string(), v.picklist(['ok', 'down']))

export const HealthState = named('Health', v.object({ status: v.picklist(['ok', 'degraded']), parts }))

export const ServiceDown = named('ServiceDown', v.object({ status: v.literal('down'), parts, message: v.string() }))

/** Of a provider that expects nothing else. */
export const HookReceipt = named(
  'HookReceipt',
  v.object({ success: v.literal(true), data: v.object({ reports: Count, changed: Count }) }),
)

/** The query of a proxy. */
export const LinkHostQuery = v.object({ domain: v.optional(v.string()) })
