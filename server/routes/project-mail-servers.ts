import type { Engine } from '../../core/engine.ts'
import { AddMailServer, ChangeMailServer, TryMailServer } from '../../core/installation/mail-server.ts'
import type { Caller } from '../../core/projects/caller.ts'
import { MailServerRecord, MailServerTrial, ProjectMailServers } from '../answers/mail-servers.ts'
import { created, type KeyRoute, noContent, ok } from '../http/route.ts'

const PRIVATE = 'An address in a private network is refused, except to the person who runs this server.'

/** Routes for the mail servers of a project, which take its mail before those of the installation. */
export const projectMailServerRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/mail-servers',
    operation: 'listProjectMailServers',
    summary: "List the project's own mail servers",
    description:
      'In the order of their use, without passwords; the providers that need no host; and which way mail goes. Mail goes through the first that takes it, and through those of the installation only while the project has none in use.',
    access: 'secret',
    area: 'settings',
    gives: { 200: ProjectMailServers },
    async handle(engine, { caller }) {
      const list = await engine.installation.mailServersOf(caller.project).list()
      return ok({ ...list, way: engine.installation.wayOf(caller.project) })
    },
  },
  {
    method: 'POST',
    path: '/mail-servers',
    operation: 'addProjectMailServer',
    summary: 'Add a mail server of the project',
    description: `The project's mail goes through it at once, and no other project's. The password is stored encrypted. ${PRIVATE}`,
    access: 'secret',
    body: 'json',
    idempotent: 'ignored',
    takes: { body: AddMailServer },
    gives: { 201: MailServerRecord },
    fails: [409],
    examples: [{ body: { preset: 'brevo', user: 'you@example.com', password: 'an SMTP key' } }],
    async handle(engine, { caller, body }) {
      return created(await (await serversFor(engine, caller)).add(body))
    },
  },
  {
    method: 'PATCH',
    path: '/mail-servers/:serverId',
    operation: 'changeProjectMailServer',
    summary: 'Change a mail server of the project',
    description: `What is left out stays, the password too, unless the host is another one. Mails in hand end on the connections of before. ${PRIVATE}`,
    access: 'secret',
    body: 'json',
    takes: { body: ChangeMailServer },
    gives: { 200: MailServerRecord },
    fails: [404, 409],
    examples: [{ body: { position: 0 } }],
    async handle(engine, request) {
      return ok(await (await serversFor(engine, request.caller)).change(request.param('serverId'), request.body))
    },
  },
  {
    method: 'DELETE',
    path: '/mail-servers/:serverId',
    operation: 'removeProjectMailServer',
    summary: 'Remove a mail server of the project',
    description:
      "Mails in hand end first. After the last one, mail that waits goes through the installation's servers; where these only write to a folder, or the operator lends none (`delivery.projectServers`), it waits for another server.",
    access: 'secret',
    gives: { 204: null },
    fails: [404],
    async handle(engine, request) {
      await (await serversFor(engine, request.caller)).remove(request.param('serverId'))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/mail-servers/test',
    operation: 'testProjectMailServer',
    summary: 'Test a mail server of the project',
    description: `Connects, logs in, and sends a test mail when \`to\` is given, without a DKIM signature; the server need not be stored. It takes 15 seconds at most and answers 200 with what is wrong. ${PRIVATE}`,
    access: 'secret',
    body: 'json',
    idempotent: 'ignored',
    audit: 'never',
    takes: { body: TryMailServer },
    gives: { 200: MailServerTrial },
    fails: [404, 409],
    examples: [{ body: { host: '127.0.0.1', port: 9, security: 'none' } }],
    async handle(engine, { caller, body }) {
      return ok(await (await serversFor(engine, caller)).try(body))
    },
  },
]

async function serversFor(
  engine: Engine,
  caller: Caller,
): Promise<ReturnType<Engine['installation']['mailServersOf']>> {
  const isOperator = await engine.accounts.members.isOperatorCalling(caller)
  return engine.installation.mailServersOf(caller.project, { isOperator })
}
