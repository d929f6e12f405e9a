import type { Command } from 'commander'
import type { FirstConfig, RelaySpf } from '../../config/write-config.ts'
import type { DomainRecord } from '../../core/domains/domain-record.ts'
import type { FieldProblem } from '../../core/errors.ts'
import { UNNAMED } from '../../core/projects/unnamed.ts'
import { isJsonObject } from '../../core/values/json.ts'
import { programName } from '../../core/values/program-name.ts'
import type { Questions } from '../process/terminal.ts'
import { type Begin, configOption } from './begin.ts'
import { exampleOption, writeExample } from './example.ts'

/** The answers; one that an option names is not asked for. */
type Answers = { readonly [Key in keyof FirstConfig]?: string | undefined }

interface InitCommand extends Answers {
  readonly config?: string
  readonly example?: string | true
}

interface Question {
  readonly key: keyof FirstConfig
  readonly option: string
  readonly text: string
  /** The meaning of an empty answer. */
  fallback(answers: Partial<FirstConfig>): string
}

const QUESTIONS: readonly Question[] = [
  { key: 'name', option: '--name', text: 'Name of the project', fallback: () => UNNAMED },
  { key: 'domain', option: '--domain', text: 'Domain it sends from, after the @', fallback: () => '' },
  {
    key: 'from',
    option: '--from',
    text: 'Sender of mails about accounts, and of mail that names none',
    fallback: ({ domain }) => (domain === undefined ? '' : `hello@${domain}`),
  },
  {
    key: 'publicUrl',
    option: '--public-url',
    text: 'Address of this server as recipients reach it',
    fallback: () => 'http://localhost:3000',
  },
  {
    key: 'smtp',
    option: '--smtp',
    text: 'SMTP server, smtp://user@host:587, the password is asked for next; nothing: mail is written to ./data/outbox',
    fallback: () => '',
  },
  {
    key: 'database',
    option: '--database',
    text: 'Database, a file or postgres://…',
    fallback: () => './data/mailwright.db',
  },
]

/** `mailwright init`. */
export function addInit(program: Command, begin: Begin): void {
  program
    .command('init')
    .description(
      'ask six questions, check each answer, write a configuration, try the SMTP server, print a key and the DNS records; answers may be piped in, one a line',
    )
    .option('--name <name>', 'of the first project')
    .option('--domain <domain>', 'the project sends from, after the @')
    .option('--from <address>', 'the sender of mails about accounts, at that domain')
    .option('--public-url <url>', 'of this server as recipients reach it')
    .option('--smtp <url>', 'of the next hop; SMTP_URL keeps the password out of the list of processes')
    .option('--database <database>', 'a file, or postgres://…; or DATABASE_URL')
    .addOption(configOption())
    .addOption(exampleOption())
    .action(({ example, ...options }: InitCommand, command: Command) =>
      begin(command, () => (example === undefined ? init(options) : writeExample(example))),
    )
}

/** Ends with 1 when the configuration is written and the SMTP server cannot be used. */
async function init({
  config: path = 'mailwright.config.json',
  ...given
}: Omit<InitCommand, 'example'>): Promise<number> {
  const { refuseConfig, writeConfig, spfOf } = await import('../../config/write-config.ts')
  await refuseConfig(path)
  const { SMTP_URL, DATABASE_URL } = process.env
  // an empty variable is as one that is not set
  const answers = await answered({ smtp: SMTP_URL || undefined, database: DATABASE_URL || undefined, ...given })
  const file = await writeConfig(path, answers)
  process.stdout.write(`Written to ${file}. If it contains a password, only you can read it.\n`)
  await makeProject(file, answers, spfOf(answers))
  const { examine } = await import('../../config/doctor/examine.ts')
  let exitCode = 0
  await examine({ config: file, timeServer: 'none' }, ({ part, state, says }) => {
    const isTransport = part.startsWith('transport')
    if (!isTransport && part !== 'account mail') return
    process.stdout.write(`${state}  ${part}: ${says}\n`)
    if (isTransport && state === 'problem') exitCode = 1
  })
  const program = programName()
  process.stdout.write(`Start the server with \`${program} serve\`, and look at it with \`${program} doctor\`.\n`)
  process.stdout.write(`Examples for your application: \`${program} init --example\`.\n`)
  return exitCode
}

/** Makes a key and adds the domain. What goes wrong leaves the configuration, since it has all the answers. */
async function makeProject(file: string, answers: FirstConfig, spf: RelaySpf): Promise<void> {
  const { withProject } = await import('../process/with-engine.ts')
  try {
    await withProject(file, answers.name, async ({ projects, domains }, project) => {
      const scopes = ['full' as const]
      const { key } = await projects.keys.create(project, { name: 'init', kind: 'secret', scopes, expiresAt: null })
      process.stdout.write(`\nA secret key of "${answers.name}", shown this once:\n  ${key}\n`)
      const known = (await domains.list(project)).find(({ domain }) => domain === project.trustedDomains[0])
      const { records } = known ?? (await domains.add(project, { domain: answers.domain }))
      process.stdout.write(`\n${recordsText(answers.domain, records, spf)}\n`)
    })
  } catch (error) {
    process.stderr.write(
      `The configuration is kept. Mend in ${file} what follows, then go on with \`${programName()} serve\`.\n`,
    )
    throw error
  }
}

function recordsText(domain: string, records: readonly DomainRecord[], spf: RelaySpf): string {
  const line = ({ type, name, value, purpose }: DomainRecord) =>
    purpose === 'spf' && spf.kind === 'ask'
      ? `  ${name}  ${type}  v=spf1 (what the provider of ${spf.host} says, such as include:…) ~all`
      : `  ${name}  ${type}  ${value}`
  const required = records.filter((record) => record.required)
  const wanted = records.filter((record) => !record.required)
  return [
    `Publish these DNS records for ${domain}. Required, for without it no mail is signed:`,
    ...required.map(line),
    'Not required here, but large receivers refuse or hide mail without them:',
    ...wanted.map(line),
    '',
    ...spfText(domain, spf),
    '',
  ].join('\n')
}

function spfText(domain: string, spf: RelaySpf): readonly string[] {
  const term = spf.kind === 'known' ? spf.mechanism : 'what is new in this one'
  const twice = `A domain has one SPF record: if ${domain} has one that begins with v=spf1 already, put ${term} into it, before its "all". Two count as none.`
  switch (spf.kind) {
    case 'known':
      return [`Mail leaves through ${spf.host}, and ${spf.mechanism} lets it.`, twice]
    case 'ask':
      return [
        `Mail leaves through ${spf.host}: ask its provider what to put into the SPF record, an include: or ip4:, and set it as domains.spf too, so that it is checked.`,
        twice,
      ]
    case 'own':
      return ['The SPF record lets this server send. When mail leaves through a relay, it must name the relay.', twice]
  }
}

/** Asks what is missing, and again with the reason what is wrong, as long as a person answers. */
async function answered(given: Answers): Promise<FirstConfig> {
  const { Questions } = await import('../process/terminal.ts')
  const questions = new Questions()
  const found: Partial<Record<keyof FirstConfig, string>> = {}
  const problems: FieldProblem[] = []
  try {
    for (const question of QUESTIONS) {
      const { key, option } = question
      const read = await answerTo(question, given[key], found, questions)
      if ('answer' in read) found[key] = read.answer
      else problems.push({ field: option, code: 'custom', message: read.problem })
    }
  } finally {
    questions.close()
  }
  if (problems.length > 0) {
    const { EngineError } = await import('../../core/errors.ts')
    throw new EngineError('VALIDATION_ERROR', problems.map(({ field, message }) => `${field} ${message}`).join('\n'), {
      fields: problems,
    })
  }
  return found as FirstConfig
}

type Read = { readonly answer: string } | { readonly problem: string }

async function answerTo(
  { key, text, fallback }: Question,
  given: string | undefined,
  found: Partial<FirstConfig>,
  questions: Questions,
): Promise<Read> {
  const { problemOf, trialOf } = await import('../../config/write-config.ts')
  const isUrl = key === 'smtp' || key === 'database'
  const usual = fallback(found)
  let said = given
  /** An answer that is written well, and did not work. */
  let tried: string | undefined
  for (;;) {
    const hint = tried === undefined ? usual : 'as it is'
    const question = `${text}${hint === '' ? '' : ` (${hint})`}: `
    const line = said ?? (await questions.ask(question, isUrl ? 'no-passwords' : 'all'))
    const isLast = line === undefined || (said !== undefined && !questions.isTerminal)
    said = undefined
    const typed = line?.trim() ?? ''
    if (typed === '' && tried !== undefined && key === 'smtp') return { answer: tried }
    const plain = typed === '' ? usual : typed
    const answer = key === 'smtp' ? await withPassword(plain, questions) : plain
    const problem = await problemOf(key, answer, found)
    if (problem !== undefined && isLast) return { problem }
    if (problem !== undefined) {
      questions.say(`  It ${problem}.`)
      tried = undefined
      continue
    }
    // a script sees it in the exit code, once the configuration is there
    const failure = key === 'smtp' && !questions.isTerminal ? undefined : await trialOf(key, answer)
    if (failure === undefined) return { answer }
    if (isLast) return { problem: `cannot be used: ${failure}` }
    questions.say(`  It cannot be used: ${failure}`)
    if (key === 'smtp') tried = answer
  }
}

/** The URL of an SMTP server in full: `smtp.example.com` is enough, and the password of a user is asked for. */
async function withPassword(text: string, questions: Questions): Promise<string> {
  if (text === '') return text
  const whole = text.includes('://') ? text : `smtp://${text}`
  const { readSmtpUrl } = await import('../../config/smtp-url.ts')
  const read = readSmtpUrl(whole)
  const [url, auth] = [URL.parse(whole), 'options' in read && isJsonObject(read.options.auth) ? read.options.auth : {}]
  if (url === null || !auth.user || auth.pass !== '') return whole
  const password = await questions.ask(`Password of ${auth.user}, which is not shown: `, 'nothing')
  if (!password) return whole
  url.password = encodeURIComponent(password)
  return url.href
}
