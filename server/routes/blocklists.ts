import { LookUpAddresses } from '../../core/domains/blocklists.ts'
import { Listings } from '../answers/domains.ts'
import { ok, type UserRoute } from '../http/route.ts'
import { requireOperator } from './operator.ts'

/** The block lists that receivers ask about the addresses that mail of this server comes from. */
export const blocklistRoutes: readonly UserRoute[] = [
  {
    method: 'POST',
    path: '/users/@me/operator/blocklists',
    operation: 'lookUpBlocklists',
    summary: 'Look up sending addresses in block lists',
    description:
      'Asks each list of `domains.blocklists` now. Only for the person who runs this server. A list that refuses the resolver is told as such, and not as a listing.',
    access: 'user',
    body: 'json',
    idempotent: 'ignored',
    audit: 'never',
    takes: { body: LookUpAddresses },
    gives: { 200: Listings },
    fails: [403],
    examples: [{ body: { addresses: ['198.51.100.7'] } }],
    async handle(engine, { user, body }) {
      await requireOperator(engine, user)
      return ok(await engine.domains.blocklists(body))
    },
  },
]
