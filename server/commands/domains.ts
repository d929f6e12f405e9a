import { type Command, InvalidArgumentError } from 'commander'
import { type Begin, type Common, jsonOption, urlOption } from './begin.ts'

/** `mailwright domains`. */
export function addDomains(program: Command, begin: Begin): void {
  const domains = program.command('domains').description('the domains that a project sends from, in a running server')
  asking(domains.command('list').description('list them with their status')).action(
    (options: Common, command: Command) => begin(command, async () => (await work()).listDomains(options)),
  )
  asking(
    domains
      .command('records')
      .description('print the DNS records to publish, with what was last seen of each')
      .argument('<domain>', 'its name or its id', readDomain),
  ).action((domain: string, options: Common, command: Command) =>
    begin(command, async () => (await work()).printRecords(domain, options)),
  )
  asking(
    domains
      .command('check')
      .description('look its records up now; exits with 1 when it is not verified')
      .argument('<domain>', 'its name or its id', readDomain),
  ).action((domain: string, options: Common, command: Command) =>
    begin(command, async () => (await work()).checkDomain(domain, options)),
  )
}

function asking(command: Command): Command {
  return command.addOption(urlOption()).addOption(jsonOption())
}

function readDomain(text: string): string {
  const name = text.trim().toLowerCase()
  if (/^[^\s@/]{1,253}$/.test(name)) return name
  throw new InvalidArgumentError('It must be a domain such as acme.example, or its id.')
}

function work() {
  return import('../remote/domains.ts')
}
