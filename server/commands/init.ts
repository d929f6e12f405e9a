import type { Command } from 'commander'
import type { FirstConfig } from '../../config/write-config.ts'
import type { FieldProblem } from '../../core/errors.ts'
import { type Begin, configOption } from './begin.ts'

/** What is asked for; what an option names is not asked. */
interface Answers {
  readonly name?: string | undefined
  readonly domain?: string | undefined
  readonly publicUrl?: string | undefined
  readonly smtp?: string | undefined
  readonly database?: string | undefined
}

interface InitCommand extends Answers {
  readonly config?: string
}

const QUESTIONS: readonly {
  readonly key: keyof FirstConfig
  readonly text: string
  readonly fallback: string
}[] = [
  { key: 'name', text: 'Name of the project', fallback: 'My project' },
  { key: 'domain', text: 'Domain it sends from, after the @', fallback: '' },
  { key: 'publicUrl', text: 'Address of this server as recipients reach it', fallback: 'http://localhost:3000' },
  {
    key: 'smtp',
    text: 'SMTP server, smtp://user:password@host:587; nothing: mail is written to ./data/outbox',
    fallback: '',
  },
  { key: 'database', text: 'Database, a file or postgres://…', fallback: './data/mailwright.db' },
]

/** `mailwright init`. */
export function addInit(program: Command, begin: Begin): void {
  program
    .command('init')
    .description('ask five questions, write a configuration, try the SMTP server, print a key and the DNS records')
    .option('--name <name>', 'of the first project')
    .option('--domain <domain>', 'the project sends from, after the @')
    .option('--public-url <url>', 'of this server as recipients reach it')
    .option('--smtp <url>', 'of the next hop; SMTP_URL keeps the password out of the list of processes')
    .option('--database <database>', 'a file, or postgres://…; or DATABASE_URL')
    .addOption(configOption())
    .action((options: InitCommand, command: Command) => begin(command, () => init(options)))
}

/** Ends with 1 when the configuration is written and the SMTP server cannot be used. */
async function init({ config: path = 'mailwright.config.json', ...given }: InitCommand): Promise<number> {
  const { writeConfig } = await import('../../config/write-config.ts')
  const { SMTP_URL, DATABASE_URL } = process.env
  // an empty variable is as one that is not set
  const answers = await answered({ smtp: SMTP_URL || undefined, database: DATABASE_URL || undefined, ...given })
  const file = await writeConfig(path, answers)
  const [{ withProject }, { examine }] = await Promise.all([
    import('../with-engine.ts'),
    import('../../config/doctor/examine.ts'),
  ])
  const { key, records } = await withProject(file, undefined, async ({ apiKeys, domains }, project) => {
    const scopes = ['full' as const]
    const { key } = await apiKeys.create(project, { name: 'init', kind: 'secret', scopes, expiresAt: null })
    const { records } = await domains.add(project, { domain: answers.domain })
    return { key, records }
  })
  const lines = [
    `Written to ${file}, for your eyes only if it has a password.`,
    '',
    `A secret key of "${answers.name}", shown this once:`,
    `  ${key}`,
    '',
    `Publish these DNS records for ${answers.domain}:`,
    ...records.map(({ type, name, value }) => `  ${name}  ${type}  ${value}`),
    '',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  let exitCode = 0
  await examine({ config: file, timeServer: 'none' }, ({ part, state, says }) => {
    if (!part.startsWith('transport')) return
    process.stdout.write(`${state}  ${part}: ${says}\n`)
    if (state === 'problem') exitCode = 1
  })
  process.stdout.write(
    'Start the server with `mailwright serve`, and look at it with `mailwright doctor`; in a clone, write `npx mailwright`.\n',
  )
  return exitCode
}

/** Asks what is missing on a terminal; elsewhere what has an answer of its own gets that. */
async function answered(given: Answers): Promise<FirstConfig> {
  const { stdin, stdout } = process
  const found: Partial<Record<keyof FirstConfig, string>> = {}
  const problems: FieldProblem[] = []
  const isAsked = stdin.isTTY && stdout.isTTY
  const lines = isAsked ? (await import('node:readline/promises')).createInterface(stdin, stdout) : undefined
  try {
    for (const { key, text, fallback } of QUESTIONS) {
      const hint = fallback === '' ? '' : ` (${fallback})`
      const said = given[key] ?? (await lines?.question(`${text}${hint}: `))?.trim()
      const answer = said === undefined || said === '' ? fallback : said
      if (answer === '' && key === 'domain') {
        problems.push({ field: '--domain', code: 'required', message: 'is required: the domain mail is sent from' })
      }
      found[key] = answer
    }
  } finally {
    lines?.close()
  }
  if (problems.length > 0) {
    const { EngineError } = await import('../../core/errors.ts')
    throw new EngineError('VALIDATION_ERROR', 'Not all is known.', { fields: problems })
  }
  return found as FirstConfig
}
