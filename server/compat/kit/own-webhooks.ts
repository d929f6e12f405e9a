import { EngineError } from '../../../core/errors.ts'
import type { OurApi } from '../../../core/ports/foreign-api.ts'
import { type Answer, typedApi } from './typed-api.ts'

/** An endpoint of ours for events. */
export type OurWebhook = Answer<'getWebhook'>

/** The endpoints that get events in the form of this API, the oldest first. */
export async function ownWebhooks(ours: OurApi, dialect: string): Promise<readonly OurWebhook[]> {
  const all = await typedApi(ours).call('listWebhooks')
  return all.filter((each) => each.dialect === dialect).reverse()
}

/** One of them. Throws EngineError `WEBHOOK_NOT_FOUND`, for those of other forms, too. */
export async function ownWebhook(ours: OurApi, dialect: string, id: string): Promise<OurWebhook> {
  const webhook = await typedApi(ours).call('getWebhook', { path: { id } })
  if (webhook.dialect === dialect) return webhook
  throw new EngineError('WEBHOOK_NOT_FOUND', `There is no webhook endpoint ${id}.`)
}
