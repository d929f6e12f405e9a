import { type KeyRoute, ok } from '../route.ts'

/** How well mail arrives. */
export const deliverabilityRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/deliverability',
    summary: 'Show what became of mail by recipient or sending domain, with the last refusals in words',
    access: 'secret',
    answers: [200],
    async handle(engine, { caller, query }) {
      return ok(await engine.reputation.figures(caller.project, query))
    },
  },
]
