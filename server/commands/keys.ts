import { type Command, Option } from 'commander'
import { KEY_SCOPES, type KeyScope } from '../../core/ports/store/projects.ts'
import { type Begin, type Common, configOption, jsonOption, projectOption } from './begin.ts'

/** `mailwright keys`. */
export function addKeys(program: Command, begin: Begin): void {
  const keys = program.command('keys').description('the API keys of a project')
  keys
    .command('list')
    .description('list the keys that are not revoked, newest first')
    .addOption(projectOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .action((options: Common, command: Command) => begin(command, () => list(options)))
  keys
    .command('create')
    .description('make a key; it is printed once, alone on the standard output')
    .argument('<name>', 'its name in lists')
    .addOption(new Option('-s, --scope <scope...>', 'what it may do; a public key only tracks').choices(KEY_SCOPES))
    .option('--public', 'make a public key, which may be used in a web page')
    .option('--test', 'make a test key, which sends and reads: what it sends is caught')
    .option('--expires <date>', 'when it expires (ISO 8601); never by default')
    .addOption(projectOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .action((name: string, options: NewKey, command: Command) => {
      if (options.public || options.test || options.scope) begin(command, () => create(name, options))
      else command.error(`--scope is missing: ${KEY_SCOPES.join(', ')}, or several of them`)
    })
  keys
    .command('revoke')
    .description('revoke a key permanently')
    .argument('<id>', 'its id, as keys list shows it')
    .addOption(projectOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .action((id: string, options: Common, command: Command) => begin(command, () => revoke(id, options)))
}

interface NewKey extends Common {
  readonly scope?: readonly KeyScope[]
  readonly public?: true
  readonly test?: true
  readonly expires?: string
}

async function list({ config, project, json }: Common): Promise<number> {
  const [{ withProject }, { printRecords }, { ApiKeyAnswer }] = await Promise.all([
    import('../process/with-engine.ts'),
    import('../process/print-records.ts'),
    import('../answers/keys.ts'),
  ])
  const found = await withProject(config, project, (engine, project) => engine.projects.keys.list(project), 'kept')
  const columns = ['id', 'name', 'kind', 'prefix', 'scopes', 'lastUsedAt', 'expiresAt'] as const
  printRecords(found.map(ApiKeyAnswer.of), columns, json === true)
  return 0
}

async function create(name: string, options: NewKey): Promise<number> {
  const [{ withProject }, { ApiKeyAnswer }] = await Promise.all([
    import('../process/with-engine.ts'),
    import('../answers/keys.ts'),
  ])
  const usual = options.test ? (['send', 'read'] as const) : (['track'] as const)
  const scopes = options.scope ?? usual
  const wanted = {
    name,
    kind: options.public ? 'public' : 'secret',
    scopes,
    test: options.test ?? false,
    expiresAt: options.expires ?? null,
  } as const
  const { record, key } = await withProject(options.config, options.project, ({ projects }, project) =>
    projects.keys.create(project, wanted),
  )
  if (options.json) process.stdout.write(`${JSON.stringify({ ...ApiKeyAnswer.of(record), key })}\n`)
  else {
    process.stdout.write(`${key}\n`)
    process.stderr.write(`Key ${record.id} "${record.name}" (${record.scopes.join(', ')}). It is shown this once.\n`)
  }
  return 0
}

async function revoke(id: string, { config, project, json }: Common): Promise<number> {
  const { withProject } = await import('../process/with-engine.ts')
  await withProject(config, project, (engine, project) => engine.projects.keys.revoke(project, id), 'kept')
  process.stdout.write(json ? `${JSON.stringify({ id, revoked: true })}\n` : `Key ${id} is revoked.\n`)
  return 0
}
