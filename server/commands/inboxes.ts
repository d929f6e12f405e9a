import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Begin, type Common, jsonOption, readId, urlOption } from './begin.ts'

interface ListOptions extends Common {
  readonly folder?: string
  readonly search?: string
}

interface AnswerOptions extends Common {
  readonly body?: string
  readonly all?: true
  readonly draft?: true
}

interface FollowOptions extends Common {
  readonly after?: number
}

interface DecideOptions extends Common {
  readonly as: string
  readonly words?: string
  readonly code?: string
}

/** `mailwright inboxes`, `threads`, `drafts` and `approvals`. */
export function addInboxes(program: Command, begin: Begin): void {
  const inboxes = program.command('inboxes').description('the inboxes of a project, in a running server')
  asking(inboxes.command('list').description('list them, each with what is unread')).action(
    (options: Common, command: Command) => begin(command, async () => (await work()).listInboxes(options)),
  )
  asking(
    inboxes
      .command('follow')
      .description('print what happens in an inbox as it happens, until it is interrupted')
      .argument('<inbox>', 'its id', readId)
      .addOption(
        new Option('--after <number>', 'begin after the event of this number (default: the last)').argParser(readCount),
      ),
  ).action((id: string, options: FollowOptions, command: Command) =>
    begin(command, async () => (await work()).followInbox(id, options)),
  )
  const threads = program.command('threads').description('the conversations of an inbox, in a running server')
  asking(
    threads
      .command('list')
      .description('list them, the one with the newest message first')
      .argument('<inbox>', 'the id of the inbox', readId)
      .addOption(new Option('--folder <folder>', 'only these').choices(['inbox', 'archive', 'sent', 'spam', 'trash']))
      .option('--search <words>', 'only those with these words'),
  ).action((id: string, options: ListOptions, command: Command) =>
    begin(command, async () => (await work()).listThreads(id, options)),
  )
  asking(
    threads
      .command('show')
      .description('print the messages of a conversation, the oldest first')
      .argument('<thread>', 'its id', readId),
  ).action((id: string, options: Common, command: Command) =>
    begin(command, async () => (await work()).showThread(id, options)),
  )
  asking(
    threads
      .command('answer')
      .description('answer the last message that came in; without --body the HTML is read from the standard input')
      .argument('<thread>', 'its id', readId)
      .option('--body <html>', 'what is written')
      .option('--all', 'to all whom the message was written to, too')
      .option('--draft', 'leave it as a draft'),
  ).action((id: string, options: AnswerOptions, command: Command) => {
    if (options.body === undefined && process.stdin.isTTY)
      command.error('error: the text is missing: give --body, or pipe it in with | or <')
    else begin(command, async () => (await work()).answerThread(id, options))
  })
  const drafts = program.command('drafts').description('mails that are being written, in a running server')
  asking(
    drafts.command('list').description('list those of an inbox').argument('<inbox>', 'the id of the inbox', readId),
  ).action((id: string, options: Common, command: Command) =>
    begin(command, async () => (await work()).listDrafts(id, options)),
  )
  asking(drafts.command('send').description('send one').argument('<draft>', 'its id', readId)).action(
    (id: string, options: Common, command: Command) =>
      begin(command, async () => (await work()).sendDraft(id, options)),
  )
  const approvals = program.command('approvals').description('mails of agents that wait for a person')
  asking(approvals.command('list').description('list them, with who wrote them and why')).action(
    (options: Common, command: Command) => begin(command, async () => (await work()).listApprovals(options)),
  )
  asPerson(asking(approvals.command('approve').description('send one as it stands'))).action(
    (id: string, options: DecideOptions, command: Command) =>
      begin(command, async () => (await work()).decideDraft(id, 'approve', options)),
  )
  asPerson(asking(approvals.command('refuse').description('give one back to its author')))
    .requiredOption('--words <text>', 'what should be different; the author reads it')
    .action((id: string, options: DecideOptions, command: Command) =>
      begin(command, async () => (await work()).decideDraft(id, 'refuse', options)),
    )
}

function asking(command: Command): Command {
  return command.addOption(urlOption()).addOption(jsonOption())
}

/** Of what a key can never do: a member logs in, and the password is read as those of users are. */
function asPerson(command: Command): Command {
  return command
    .argument('<draft>', 'its id', readId)
    .requiredOption('--as <address>', 'the member who decides; the password is read from the standard input')
    .option('--code <code>', 'of the second factor, where the account has one')
}

function readCount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be the number of an event, such as 17.')
}

function work() {
  return import('../remote/inboxes.ts')
}
