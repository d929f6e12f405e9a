import type { Command } from 'commander'
import type { Engine } from '../../core/engine.ts'
import { programName } from '../../core/values/program-name.ts'
import { type Begin, type Common, configOption, jsonOption } from './begin.ts'

/** `mailwright users`. */
export function addUsers(program: Command, begin: Begin): void {
  const users = program
    .command('users')
    .description('people who log in; the password is the first line of the standard input, since others see arguments')
  users
    .command('create')
    .description('make a user, whose address counts as confirmed; the first one owns the projects there are')
    .argument('<address>', 'the e-mail address to log in with')
    .addOption(configOption())
    .addOption(jsonOption())
    .action((email: string, options: Common, command: Command) => begin(command, () => make('new', email, options)))
  users
    .command('setup-link')
    .description('print a link that makes the first user, once and within 24 hours, while there is none')
    .addOption(configOption())
    .addOption(jsonOption())
    .action((options: Common, command: Command) => begin(command, () => setUpLink(options)))
  users
    .command('reset-password')
    .description('give a user a new password and remove the second factor; all sessions end')
    .argument('<address>', 'the e-mail address to log in with')
    .addOption(configOption())
    .addOption(jsonOption())
    .action((email: string, options: Common, command: Command) => begin(command, () => make('known', email, options)))
  for (const [name, description, trusted] of TRUST) {
    users
      .command(name)
      .description(description)
      .argument('<address>', 'the e-mail address to log in with')
      .addOption(configOption())
      .addOption(jsonOption())
      .action((email: string, options: Common, command: Command) =>
        begin(command, () => trust(email, trusted, options)),
      )
  }
}

const TRUST = [
  ['trust', 'let a user run this server, with the page Operator, as one made on the command line does', true],
  ['distrust', 'take that back; the user and the projects of the user stay', false],
] as const

async function make(who: 'new' | 'known', email: string, { config, json }: Common): Promise<number> {
  const [{ withEngine }, { givenPassword }] = await Promise.all([
    import('../process/with-engine.ts'),
    import('../process/passwords.ts'),
  ])
  const password = await givenPassword()
  const { id, email: address } = await withEngine(
    config,
    ({ accounts }) => accounts.make({ email, password }, who, { owns: true }),
    who === 'new' ? 'made' : 'kept',
  )
  const done =
    who === 'new'
      ? `${address} can log in with this password; user ${id}.`
      : `${address} can log in with this password; user ${id}. All sessions have ended, and no second factor is asked for.`
  const text = json ? JSON.stringify({ id, email: address }) : done
  process.stdout.write(`${text}\n`)
  return 0
}

async function trust(email: string, trusted: boolean, { config, json }: Common): Promise<number> {
  const { withEngine } = await import('../process/with-engine.ts')
  const look = async ({ accounts }: Engine) => {
    const user = await accounts.trust({ email }, trusted)
    const operator = await accounts.members.isOperator(user)
    const foreign = trusted && !operator ? await accounts.members.ownedByOthers(user) : []
    return { id: user.id, email: user.email, trusted, operator, foreign }
  }
  const { foreign, ...found } = await withEngine(config, look, 'kept')
  const names = foreign.slice(0, MOST_NAMED).map(({ name }) => `"${name}"`)
  const all =
    foreign.length > MOST_NAMED ? `${names.join(', ')} and ${foreign.length - MOST_NAMED} more` : names.join(', ')
  const where = 'Operator in the menu of the person in the dashboard'
  const text = !trusted
    ? `${found.email} does not run this server. The user and the projects of the user stay.`
    : found.operator
      ? `${found.email} runs this server: ${where}. A page that is open shows it when it is loaded again.`
      : `${found.email} is trusted, but does not see the page Operator yet, since others alone own ${all}.\nMake ${found.email} an OWNER there, too: Settings, Members.`
  process.stdout.write(`${json ? JSON.stringify(found) : text}\n`)
  return 0
}

/** Of how many projects the names are printed. */
const MOST_NAMED = 10

async function setUpLink({ config, json }: Common): Promise<number> {
  const [{ withEngine }, { EngineError }] = await Promise.all([
    import('../process/with-engine.ts'),
    import('../../core/errors.ts'),
  ])
  const url = await withEngine(
    config,
    ({ accounts, publicUrl }) => accounts.firstUser.link(publicUrl ?? 'http://localhost:3000'),
    'kept',
  )
  if (url === undefined) {
    throw new EngineError('CONFLICT', 'There is a user already, so there is nothing to set up.', {
      suggestion: `Make more with \`${programName()} users create\`, or let one of them invite others.`,
    })
  }
  process.stdout.write(`${json ? JSON.stringify({ url }) : url}\n`)
  return 0
}
