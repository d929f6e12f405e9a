import { RouteQuestion } from '../../core/delivery/routing/explain.ts'
import { ChangeRoutes, type RouteRuleList } from '../../core/installation/routing-rules.ts'
import { RouteExplained, RouteRules } from '../answers/routes.ts'
import { type OpenRoute, ok, type UserRoute, versioned } from '../http/route.ts'
import { requireOperator } from './operator.ts'

const LIST =
  'In their order: the first that fits a mail decides. Those of the configuration (`given`) come before those that were set here (`rules`).'
const CHANGE =
  'All of them, in their order. They count at once, and within seconds in other processes. Refused as a whole when one is wrong: a transport that is not there, a circle, a rule that can never decide.'
const WHO = 'Only for the person who runs this server.'
const BY_KEY = "Needs the operator's key; does not exist without `OPERATOR_KEY`."

const EXAMPLE = { rules: [{ name: 'news', when: { class: 'campaign' }, to: 'main' }] }

/** Rules of routing, for the operator by its own key. */
export const routingRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/operator/routes',
    operation: 'getRoutes',
    summary: 'List the rules of routing',
    description: `${LIST} ${BY_KEY}`,
    access: 'open',
    proves: true,
    ownKey: 'operatorKey',
    gives: { 200: RouteRules },
    fails: [401, 404],
    async handle(engine, request) {
      request.requireOperator()
      return shown(await engine.installation.routes.rules.list())
    },
  },
  {
    method: 'PUT',
    path: '/operator/routes',
    operation: 'changeRoutes',
    summary: 'Set the rules of routing',
    description: `${CHANGE} ${BY_KEY}`,
    access: 'open',
    proves: true,
    ownKey: 'operatorKey',
    body: 'json',
    takes: { body: ChangeRoutes },
    gives: { 200: RouteRules },
    fails: [401, 404, 409],
    examples: [{ body: EXAMPLE }],
    async handle(engine, request) {
      request.requireOperator()
      return shown(await engine.installation.routes.rules.change(request.body))
    },
  },
]

/** The same for people, and a question. */
export const myRoutingRoutes: readonly UserRoute[] = [
  {
    method: 'GET',
    path: '/users/@me/operator/routes',
    operation: 'getMyRoutes',
    summary: 'List the rules of routing, as the user who runs the server',
    description: `${LIST} ${WHO}`,
    access: 'user',
    gives: { 200: RouteRules },
    fails: [403],
    async handle(engine, { user }) {
      await requireOperator(engine, user)
      return shown(await engine.installation.routes.rules.list())
    },
  },
  {
    method: 'PUT',
    path: '/users/@me/operator/routes',
    operation: 'changeMyRoutes',
    summary: 'Set the rules of routing, as the user who runs the server',
    description: `${CHANGE} ${WHO}`,
    access: 'user',
    body: 'json',
    takes: { body: ChangeRoutes },
    gives: { 200: RouteRules },
    fails: [403, 409],
    examples: [{ body: EXAMPLE }],
    async handle(engine, { user, body }) {
      await requireOperator(engine, user)
      return shown(await engine.installation.routes.rules.change(body))
    },
  },
  {
    method: 'POST',
    path: '/users/@me/operator/routes/explain',
    operation: 'explainRoute',
    summary: 'Explain the way of a mail that is described',
    description: `Which rule of routing decides, which transports it tries, and why no rule before fits. Nothing is sent. ${WHO}`,
    access: 'user',
    body: 'json',
    audit: 'never',
    takes: { body: RouteQuestion },
    gives: { 200: RouteExplained },
    fails: [403],
    examples: [{ body: { from: 'news@example.com', to: 'ada@example.org', class: 'campaign' } }],
    async handle(engine, { user, body }) {
      await requireOperator(engine, user)
      return ok(await engine.installation.routes.ask(body))
    },
  },
]

function shown({ problems, ...list }: RouteRuleList) {
  return versioned({ ...list, problems: problems.map(({ field, message }) => ({ field, message })) })
}
