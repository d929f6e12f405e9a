import { ChangePublicAddress } from '../../core/installation/installation.ts'
import { AddMailServer, ChangeMailServer, TryMailServer } from '../../core/installation/mail-server.ts'
import { MailServerRecord, MailServers, MailServerTrial, PublicAddress } from '../answers/mail-servers.ts'
import { created, noContent, ok, type UserRoute } from '../http/route.ts'
import { requireOperator } from './operator.ts'

const WHO = 'Only for the person who runs this server.'

/**
 * Routes for the settings that the person who runs the server changes in the dashboard: mail servers, and the public
 * address.
 */
export const mailServerRoutes: readonly UserRoute[] = [
  {
    method: 'GET',
    path: '/users/@me/operator/mail-servers',
    operation: 'listMailServers',
    summary: 'List the mail servers',
    description: `In the order of their use, without passwords, and the providers that need no host. ${WHO}`,
    access: 'user',
    gives: { 200: MailServers },
    fails: [403],
    async handle(engine, { user }) {
      await requireOperator(engine, user)
      return ok(await engine.installation.mailServers.list())
    },
  },
  {
    method: 'POST',
    path: '/users/@me/operator/mail-servers',
    operation: 'addMailServer',
    summary: 'Add a mail server',
    description: `Mail goes through it at once, unless the configuration names transports. The password is stored encrypted. The preset \`direct\` sends without a provider. ${WHO}`,
    access: 'user',
    body: 'json',
    idempotent: 'ignored',
    takes: { body: AddMailServer },
    gives: { 201: MailServerRecord },
    fails: [403, 409],
    examples: [
      { body: { preset: 'brevo', user: 'you@example.com', password: 'an SMTP key' } },
      { body: { preset: 'direct', host: 'mail.example.com' } },
    ],
    async handle(engine, { user, body }) {
      await requireOperator(engine, user)
      return created(await engine.installation.mailServers.add(body))
    },
  },
  {
    method: 'PATCH',
    path: '/users/@me/operator/mail-servers/:serverId',
    operation: 'changeMailServer',
    summary: 'Change a mail server',
    description: `What is left out stays, the password too, unless the host is another one. Mails in hand end on the connections of before. ${WHO}`,
    access: 'user',
    body: 'json',
    takes: { body: ChangeMailServer },
    gives: { 200: MailServerRecord },
    fails: [403, 404, 409],
    examples: [{ body: { position: 0 } }],
    async handle(engine, request) {
      await requireOperator(engine, request.user)
      return ok(await engine.installation.mailServers.change(request.param('serverId'), request.body))
    },
  },
  {
    method: 'DELETE',
    path: '/users/@me/operator/mail-servers/:serverId',
    operation: 'removeMailServer',
    summary: 'Remove a mail server',
    description: `Mails in hand end first. Without any, mail is written to a folder of the server instead. ${WHO}`,
    access: 'user',
    gives: { 204: null },
    fails: [403, 404],
    async handle(engine, request) {
      await requireOperator(engine, request.user)
      await engine.installation.mailServers.remove(request.param('serverId'))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/users/@me/operator/mail-servers/test',
    operation: 'testMailServer',
    summary: 'Test a mail server',
    description: `Connects, logs in, and sends a test mail when \`to\` is given; the server need not be stored. With \`direct\` it connects to mail servers of a few large receivers. It takes 15 seconds at most and answers 200 with what is wrong. ${WHO}`,
    access: 'user',
    body: 'json',
    idempotent: 'ignored',
    audit: 'never',
    takes: { body: TryMailServer },
    gives: { 200: MailServerTrial },
    fails: [403, 404],
    examples: [{ body: { host: '127.0.0.1', port: 9, security: 'none' } }],
    async handle(engine, { user, body }) {
      await requireOperator(engine, user)
      return ok(await engine.installation.mailServers.try(body))
    },
  },
  {
    method: 'GET',
    path: '/users/@me/operator/public-address',
    operation: 'getPublicAddress',
    summary: 'Get the public address',
    description: `Where the links in mails lead, and where that is set. ${WHO}`,
    access: 'user',
    gives: { 200: PublicAddress },
    fails: [403],
    async handle(engine, { user }) {
      await requireOperator(engine, user)
      return ok(engine.installation.publicAddress())
    },
  },
  {
    method: 'PUT',
    path: '/users/@me/operator/public-address',
    operation: 'changePublicAddress',
    summary: 'Set the public address',
    description: `The links in mails have it at once, unless the configuration names one. ${WHO}`,
    access: 'user',
    body: 'json',
    takes: { body: ChangePublicAddress },
    gives: { 200: PublicAddress },
    fails: [403],
    examples: [{ body: { url: 'https://mail.example.com' } }],
    async handle(engine, { user, body }) {
      await requireOperator(engine, user)
      return ok(await engine.installation.changePublicAddress(body))
    },
  },
]
