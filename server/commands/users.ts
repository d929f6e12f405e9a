import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { type Begin, type Common, configOption, jsonOption } from './begin.ts'

/** `mailwright users`. */
export function addUsers(program: Command, begin: Begin): void {
  const users = program
    .command('users')
    .description('people who log in; the password is the first line of the standard input, since others see arguments')
  users
    .command('create')
    .description('make a user, whose address counts as confirmed')
    .argument('<address>', 'the e-mail address to log in with')
    .addOption(configOption())
    .addOption(jsonOption())
    .action((email: string, options: Common, command: Command) => begin(command, () => make('new', email, options)))
  users
    .command('reset-password')
    .description('give a user another password, without a second factor; all sessions end')
    .argument('<address>', 'the e-mail address to log in with')
    .addOption(configOption())
    .addOption(jsonOption())
    .action((email: string, options: Common, command: Command) => begin(command, () => make('known', email, options)))
}

async function make(who: 'new' | 'known', email: string, { config, json }: Common): Promise<number> {
  const { withEngine } = await import('../with-engine.ts')
  if (process.stdin.isTTY) process.stderr.write('Password (it is shown): ')
  const password = await firstLine()
  const { id, email: address } = await withEngine(
    config,
    ({ accounts }) => accounts.make({ email, password }, who),
    who === 'new' ? 'made' : 'kept',
  )
  const text = json ? JSON.stringify({ id, email: address }) : `${address} can log in with this password; user ${id}.`
  process.stdout.write(`${text}\n`)
  return 0
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line
  return ''
}
