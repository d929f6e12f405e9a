import { type Command, Option } from 'commander'
import { type Begin, type Common, jsonOption, readId, urlOption } from './begin.ts'

interface RetryOptions extends Common {
  readonly mail?: string
}

interface HoldOptions extends Common {
  readonly all?: true
  readonly bounces?: 'accept' | 'retry'
}

/** `mailwright queue`. */
export function addQueue(program: Command, begin: Begin): void {
  const queue = program.command('queue').description('what waits in a running server, and what holds it up')
  queue
    .command('stats')
    .description(
      'count what waits, for how long, and what failed: with OPERATOR_KEY in the whole installation, otherwise in the project',
    )
    .addOption(urlOption())
    .addOption(jsonOption())
    .action((options: Common, command: Command) => begin(command, () => showStats(options)))
  queue
    .command('retry')
    .description('send again what failed')
    .argument('[campaign]', 'the id of a campaign: all of its mails that failed', readId)
    .addOption(new Option('--mail <id>', 'one mail, as a new one').argParser(readId))
    .addOption(urlOption())
    .addOption(jsonOption())
    .action((campaign: string | undefined, options: RetryOptions, command: Command) => {
      if ((campaign === undefined) === (options.mail === undefined))
        command.error('error: name a campaign, or a mail by --mail')
      else begin(command, () => retryFailed(campaign, options))
    })
  for (const action of ['pause', 'resume'] as const) {
    const command = queue
      .command(action)
      .description(action === 'pause' ? 'pause a campaign that is being sent' : 'resume a paused campaign')
      .argument('[campaign]', 'its id', readId)
      .option('--all', `every campaign of the project that is ${action === 'pause' ? 'being sent' : 'paused'}`)
      .addOption(urlOption())
      .addOption(jsonOption())
      .action((campaign: string | undefined, options: HoldOptions, command: Command) => {
        if ((campaign === undefined) === (options.all === undefined))
          command.error('error: name a campaign, or all of them by --all')
        else begin(command, () => holdOrLetGo(action, campaign, options))
      })
    if (action === 'resume')
      command.addOption(
        new Option(
          '--bounces <decision>',
          'what to do with the bounces of a campaign that was paused because of them',
        ).choices(['accept', 'retry']),
      )
  }
}

async function showStats({ url, json }: Common): Promise<number> {
  const { queueStats } = await import('../remote/queue-stats.ts')
  return queueStats(url, json === true)
}

async function retryFailed(campaign: string | undefined, { url, json, mail = '' }: RetryOptions): Promise<number> {
  const { withServer, answered } = await import('../remote/with-server.ts')
  return withServer(url, async (client) => {
    if (campaign !== undefined) {
      const done = await answered(client.POST('/campaigns/{id}/retry-failed', { params: { path: { id: campaign } } }))
      process.stdout.write(json ? `${JSON.stringify(done)}\n` : `${done.retried} mails are waiting again.\n`)
      return 0
    }
    const params = { path: { id: mail } }
    const made = await answered(client.POST('/emails/{id}/resend', { params, body: {} }))
    process.stdout.write(json ? `${JSON.stringify(made)}\n` : `${made.id}  is the new mail to ${made.to}\n`)
    return 0
  })
}

async function holdOrLetGo(
  action: 'pause' | 'resume',
  campaign: string | undefined,
  { url, json, bounces }: HoldOptions,
): Promise<number> {
  const [{ withServer }, { holdCampaigns }] = await Promise.all([
    import('../remote/with-server.ts'),
    import('../remote/hold-campaigns.ts'),
  ])
  return withServer(url, (client) => holdCampaigns(client, { action, bounces }, campaign, json === true))
}
