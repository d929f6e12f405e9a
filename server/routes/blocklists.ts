import { LookUpAddresses } from '../../core/domains/blocklists.ts'
import { Listings } from '../answers/domains.ts'
import { type OpenRoute, ok, type UserRoute } from '../http/route.ts'
import { requireOperator } from './operator.ts'

const ASKS =
  'Asks each list of `domains.blocklists` now. A list that refuses the resolver is told as such, and not as a listing.'

/** The block lists that receivers ask about the addresses that mail of this server comes from, for the operator by its own key. */
export const blocklistRoutes: readonly OpenRoute[] = [
  {
    method: 'POST',
    path: '/operator/blocklists',
    operation: 'lookUpBlocklists',
    summary: 'Look up sending addresses in block lists',
    description: `${ASKS} Needs the operator's key; does not exist without \`OPERATOR_KEY\`.`,
    access: 'open',
    proves: true,
    ownKey: 'operatorKey',
    body: 'json',
    idempotent: 'ignored',
    audit: 'never',
    takes: { body: LookUpAddresses },
    gives: { 200: Listings },
    fails: [401, 404],
    examples: [{ body: { addresses: ['198.51.100.7'] } }],
    async handle(engine, request) {
      request.requireOperator()
      return ok(await engine.domains.blocklists(request.body))
    },
  },
]

/** The same for people. */
export const myBlocklistRoutes: readonly UserRoute[] = [
  {
    method: 'POST',
    path: '/users/@me/operator/blocklists',
    operation: 'lookUpMyBlocklists',
    summary: 'Look up sending addresses in block lists, as the user who runs the server',
    description: `${ASKS} Only for the person who runs this server.`,
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
