import { createHash } from 'node:crypto'
import type { FeedbackReport } from '../ports/feedback-report.ts'

/** The report's key as stored: a short hash, whatever its length. */
export function reportKey({ kind, key }: FeedbackReport): string {
  return createHash('sha256').update(`${kind} ${key}`).digest('base64url').slice(0, 22)
}
