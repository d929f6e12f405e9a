import { DeliverabilityQuery } from '../../core/reputation/reputation.ts'
import { type KeyRoute, ok } from '../route.ts'
import { Deliverability } from '../schemas/domains.ts'

/** How well mail arrives. */
export const deliverabilityRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/deliverability',
    operation: 'getDeliverability',
    summary: 'Show what became of mail by recipient or sending domain, with the last refusals in words',
    access: 'secret',
    takes: { query: DeliverabilityQuery },
    gives: { 200: Deliverability },
    examples: [{ query: { by: 'sendingDomain', days: 7 } }],
    async handle(engine, { caller, query }) {
      return ok(await engine.reputation.figures(caller.project, query))
    },
  },
]
