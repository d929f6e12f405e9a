import { LetIn, ListPeople } from '../../core/accounts/people.ts'
import { numbered } from '../answers/lists.ts'
import { AccountAnswer, ownUser, PasswordLink, PeopleList } from '../answers/users.ts'
import { created, noContent, ok, type UserRoute } from '../http/route.ts'
import { requireOperator } from './operator.ts'

const WHO = 'Only for the person who runs this server, and not for your own account.'

/** All accounts, for the person who runs the server, who lets people in again. */
export const peopleRoutes: readonly UserRoute[] = [
  {
    method: 'GET',
    path: '/users/@me/operator/users',
    operation: 'listUsers',
    summary: 'List all accounts',
    description: 'Newest first, whatever projects they belong to. Only for the person who runs this server.',
    access: 'user',
    takes: { query: ListPeople },
    gives: { 200: PeopleList },
    fails: [400, 403],
    async handle(engine, { user, query }) {
      await requireOperator(engine, user)
      return ok(numbered('users', await engine.accounts.people.list(query), (user) => AccountAnswer.of(ownUser(user))))
    },
  },
  {
    method: 'DELETE',
    path: '/users/@me/operator/users/:userId/totp',
    operation: 'removeSecondFactor',
    summary: 'Turn off the second factor of a person',
    description: `For a person who has lost the app and the recovery codes. Ends all sessions of that person, and the links that were made before. ${WHO}`,
    access: 'user',
    body: 'json',
    takes: { body: LetIn },
    gives: { 204: null },
    fails: [403, 404, 409],
    async handle(engine, request) {
      await requireOperator(engine, request.user)
      await engine.accounts.people.removeSecondFactor(request.user, request.param('userId'), request.body)
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/users/@me/operator/users/:userId/password-link',
    operation: 'makePasswordLink',
    summary: 'Make a link that sets a new password',
    description: `For a person who has forgotten it, where no mail with such a link arrives. It works once, for an hour; hand it over by a way that others do not read: the address counts as confirmed by it. A second factor stays. ${WHO}`,
    access: 'user',
    body: 'json',
    idempotent: 'ignored',
    takes: { body: LetIn },
    gives: { 201: PasswordLink.schema },
    fails: [403, 404, 409],
    async handle(engine, request) {
      await requireOperator(engine, request.user)
      return created(
        PasswordLink.of(await engine.accounts.people.passwordLink(request.user, request.param('userId'), request.body)),
      )
    },
  },
]
