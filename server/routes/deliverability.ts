import { DeliverabilityQuery } from '../../core/reputation/reputation.ts'
import { type KeyRoute, ok } from '../http/route.ts'
import { Deliverability } from '../schemas/domains.ts'

/** How well mail arrives. */
export const deliverabilityRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/deliverability',
    operation: 'getDeliverability',
    summary: 'Get what became of mail, by domain',
    description: 'By the domains that mail goes to or comes from, with the last refusals explained.',
    access: 'secret',
    takes: { query: DeliverabilityQuery },
    gives: { 200: Deliverability },
    examples: [{ query: { by: 'sendingDomain', days: 7 } }],
    async handle(engine, { caller, query }) {
      return ok(await engine.reputation.figures(caller.project, query))
    },
  },
]
