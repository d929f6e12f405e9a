import { p } from '@mikro-orm/core'
import type { Interrupted } from '../../../../core/ports/store/interrupted.ts'

/** A row that may be claimed under a lease, with what is known of earlier claims. No record shows its columns. */
export interface Claimed extends Interrupted {
  readonly leaseToken?: string
  readonly leaseUntil?: Date
}

/** The columns of a claim, for an entity. */
export function claimColumns() {
  return {
    leaseToken: p.text().nullable(),
    leaseUntil: p.datetime(3).nullable(),
    interrupted: p.integer().nullable(),
  }
}

/** The columns of a claim, which no record shows. */
export const LEASE = ['leaseToken', 'leaseUntil'] as const
/** The same, and what is known of earlier claims. */
export const CLAIM = [...LEASE, 'interrupted'] as const
/** Ends a claim in order. */
export const FREE = '"lease_token" = null, "lease_until" = null, "interrupted" = null'
/** Ends a claim that was left behind. */
export const LEFT = '"lease_token" = null, "lease_until" = null, "interrupted" = coalesce("interrupted", 0) + 1'

/** Which rows a claim takes: those that are worked on beside others, or one that is worked on alone. */
export function togetherOr(alone: boolean | undefined): string {
  return alone ? '"interrupted" >= 2' : '("interrupted" is null or "interrupted" < 2)'
}
