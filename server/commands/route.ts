import { type Command, InvalidArgumentError, Option } from 'commander'
import * as v from 'valibot'
import type { RouteExplained } from '../../core/delivery/routing/explain.ts'
import { MAIL_CLASSES, type MailClass } from '../../core/settings/route-settings.ts'
import { addressFault, EmailAddress } from '../../core/values/email-address.ts'
import { type Begin, type Common, configOption, jsonOption, readId } from './begin.ts'

/** `mailwright route`. */
export function addRoute(program: Command, begin: Begin): void {
  const route = program.command('route').description('the way of mail through the transports')
  route
    .command('explain')
    .description('which rule decides on a mail, which transports it tries, and why no other rule fits; nothing is sent')
    .requiredOption('--from <address>', 'its sender', readAddress)
    .requiredOption('--to <address>', 'its recipient', readAddress)
    .addOption(new Option('--class <class>', 'its kind').choices(MAIL_CLASSES).default('transactional'))
    .option('-p, --project <project>', 'the id or the name of its project, for rules by project')
    .option('--template <id>', 'its template', readId)
    .option('--tag <name=value>', 'a tag; may be given again', pairOf('='), {})
    .option('--header <name:value>', 'a header field; may be given again', pairOf(':'), {})
    .addOption(configOption())
    .addOption(jsonOption())
    .action((options: Asked, command: Command) => begin(command, () => explain(options)))
}

interface Asked extends Common {
  readonly from: string
  readonly to: string
  readonly class: MailClass
  readonly template?: string
  readonly tag: Readonly<Record<string, string>>
  readonly header: Readonly<Record<string, string>>
}

async function explain({ config, json, tag: tags, header: headers, ...mail }: Asked): Promise<number> {
  const { explainRoute } = await import('../../config/explain-route.ts')
  const explained = await explainRoute(config, { ...mail, tags, headers })
  process.stdout.write(`${json ? JSON.stringify(explained) : linesOf(explained).join('\n')}\n`)
  return 0
}

function linesOf({ toSimulator, ...explained }: RouteExplained): readonly string[] {
  if (toSimulator) return ['It goes to the simulator, and leaves this server by no transport.']
  const { rule, transports, shares, notFitting, more, receiver } = explained
  const first =
    rule === undefined
      ? `No rule fits. It tries the transports in their order: ${transports.join(', then ')}.`
      : `${titleOf(rule)} decides: ${rule.because}. It tries ${transports.join(', then ')}.`
  return [
    first,
    ...(shares === undefined
      ? []
      : [
          `Which is first depends on the mail: ${Object.entries(shares)
            .map(([name, share]) => `${name} for ${share} %`)
            .join(', ')}.`,
        ]),
    ...(receiver === undefined ? [] : [`The mail of its recipient's domain is taken by ${receiver}.`]),
    ...notFitting.map((each) => `${titleOf(each)} does not fit: ${each.because}.`),
    ...(more === 0 ? [] : [`${more} rules before these do not fit either.`]),
  ]
}

function titleOf({ number, name }: { readonly number: number; readonly name: string }): string {
  return name === `rule ${number}` ? `Rule ${number}` : `Rule ${number} (${name})`
}

function readAddress(text: string): string {
  const read = v.safeParse(EmailAddress, text)
  if (read.success) return read.output
  throw new InvalidArgumentError(`It is no address: ${addressFault(text) ?? 'it is none'}.`)
}

/** Reads `name=value`, and adds it to those before. */
function pairOf(sign: '=' | ':') {
  return (text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
    const at = text.indexOf(sign)
    if (at < 1) throw new InvalidArgumentError(`It must be a name and a value: name${sign}value.`)
    return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1).trim() }
  }
}
