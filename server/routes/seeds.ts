import { AddSeedMailbox, StartSeedTest } from '../../core/seeds/seed-request.ts'
import { many } from '../answers/parts.ts'
import { SeedMailboxAnswer, SeedTestAnswer } from '../answers/seeds.ts'
import { created, type KeyRoute, noContent, ok } from '../http/route.ts'

/** The seed list: mailboxes of one's own at receivers, and where the mail of campaigns lands in them. */
export const seedRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/seeds/mailboxes',
    operation: 'listSeedMailboxes',
    summary: 'List the mailboxes of the seed list',
    description: 'Oldest first, up to 20, without passwords.',
    access: 'secret',
    gives: { 200: many(SeedMailboxAnswer.schema) },
    async handle(engine, { caller }) {
      return ok((await engine.seeds.mailboxes(caller.project)).map(SeedMailboxAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/seeds/mailboxes',
    operation: 'addSeedMailbox',
    summary: 'Add a mailbox to the seed list',
    description:
      'Logs in by IMAP, and refuses what does not work. The password is stored encrypted. An address in a private network is refused, unless `egress.allow` has it.',
    access: 'secret',
    body: 'json',
    idempotent: 'ignored',
    takes: { body: AddSeedMailbox },
    gives: { 201: SeedMailboxAnswer.schema },
    fails: [409],
    examples: [{ body: { address: 'acme.seeds@gmail.com', host: 'imap.gmail.com', password: 'a password for apps' } }],
    async handle(engine, { caller, body }) {
      return created(SeedMailboxAnswer.of(await engine.seeds.addMailbox(caller.project, body)))
    },
  },
  {
    method: 'DELETE',
    path: '/seeds/mailboxes/:id',
    operation: 'removeSeedMailbox',
    summary: 'Remove a mailbox from the seed list',
    description: 'Its password is removed, too. What was found in it stays in the tests.',
    access: 'secret',
    gives: { 204: null },
    fails: [404],
    async handle(engine, request) {
      await engine.seeds.removeMailbox(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/seed-tests',
    operation: 'startSeedTest',
    summary: 'Send a campaign to the seed list',
    description:
      'Sends its mail, unmarked, to all mailboxes of the seed list, and looks into each every minute until the mail is there. The mails are tests, which count in no figure. Ten tests of a project within an hour.',
    access: 'secret',
    body: 'json',
    takes: { body: StartSeedTest },
    gives: { 201: SeedTestAnswer.schema },
    fails: [409],
    examples: [{ body: { minutes: 15 } }],
    async handle(engine, request) {
      const { project } = request.caller
      return created(SeedTestAnswer.of(await engine.seeds.start(project, request.param('id'), request.body)))
    },
  },
  {
    method: 'GET',
    path: '/campaigns/:id/seed-tests',
    operation: 'listSeedTests',
    summary: 'List where the mail of a campaign landed',
    description: 'Its last 20 tests with the seed list, newest first. They are kept for 90 days.',
    access: 'secret',
    gives: { 200: many(SeedTestAnswer.schema) },
    async handle(engine, request) {
      return ok((await engine.seeds.tests(request.caller.project, request.param('id'))).map(SeedTestAnswer.of))
    },
  },
]
