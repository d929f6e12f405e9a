import { EngineError } from '../errors.ts'
import type { Campaign, CampaignStatus } from '../ports/store/campaigns.ts'
import { shownId } from '../values/shown-id.ts'

/** The statuses in which each action is allowed; in others it is refused with 409. */
const ALLOWED = {
  'be changed': ['DRAFT', 'SCHEDULED'],
  'be sent': ['DRAFT', 'SCHEDULED', 'PAUSED'],
  'be cancelled': ['SCHEDULED', 'SENDING', 'PAUSED'],
  'be paused': ['SENDING'],
  'be resumed': ['PAUSED'],
  'be given a winner': ['SENDING', 'PAUSED'],
  'send again what failed': ['SENT', 'FAILED'],
  'be sent again': ['SENT', 'CANCELLED', 'FAILED'],
  'be put away': ['DRAFT', 'SENT', 'CANCELLED', 'FAILED'],
  'be deleted': ['DRAFT', 'SCHEDULED', 'SENT', 'PAUSED', 'CANCELLED', 'FAILED'],
} as const satisfies Readonly<Record<string, readonly CampaignStatus[]>>

export type CampaignAction = keyof typeof ALLOWED

/** Throws EngineError `CONFLICT` when the campaign's status does not allow the action. */
export function requireStatus({ name, status }: Campaign, action: CampaignAction): void {
  const allowed: readonly CampaignStatus[] = ALLOWED[action]
  if (allowed.includes(status)) return
  throw new EngineError('CONFLICT', `The campaign "${name}" is ${status}; it cannot ${action}.`, {
    suggestion: `That is possible while it is ${allowed.join(' or ')}.`,
  })
}

/** Throws EngineError `CAMPAIGN_NOT_FOUND`. */
export function missingCampaign(id: string): never {
  throw new EngineError('CAMPAIGN_NOT_FOUND', `There is no campaign ${shownId(id)}.`)
}
