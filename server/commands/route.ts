import { type Command, InvalidArgumentError, Option } from 'commander'
import type { RouteExplained } from '../../core/delivery/routing/explain.ts'
import type { Engine } from '../../core/engine.ts'
import type { MailRoute, RouteWay } from '../../core/installation/routes.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import { MAIL_CLASSES, type MailClass } from '../../core/settings/route-settings.ts'
import { type Begin, type Common, configOption, jsonOption, readAddress, readId } from './begin.ts'

/** `mailwright route`. */
export function addRoute(program: Command, begin: Begin): void {
  const route = program.command('route').description('the way of mail through the transports')
  route
    .command('explain')
    .description('which rule decides on a mail, which transports it tries, and why no other rule fits; nothing is sent')
    .option('--mail <id>', 'a mail of the database, instead of all that follows but --project', readId)
    .option('--from <address>', 'its sender', readAddress)
    .option('--to <address>', 'its recipient', readAddress)
    .addOption(new Option('--class <class>', 'its kind').choices(MAIL_CLASSES).default('transactional'))
    .option('-p, --project <project>', 'the id or the name of its project, for rules by project')
    .option('--template <id>', 'its template', readId)
    .option('--tag <name=value>', 'a tag; may be given again', pairOf('='), {})
    .option('--header <name:value>', 'a header field; may be given again', pairOf(':'), {})
    .option('--transport <name>', 'the transport that its request names')
    .addOption(configOption())
    .addOption(jsonOption())
    .action((options: Asked, command: Command) => {
      const { mail, from, to } = options
      if (mail !== undefined && (from !== undefined || to !== undefined))
        command.error('error: name a mail by --mail, or describe one by --from and --to')
      else if (mail !== undefined) begin(command, () => explainMail(mail, options))
      else if (from === undefined || to === undefined)
        command.error('error: describe a mail by --from and --to, or name one by --mail')
      else begin(command, () => explain({ ...options, from, to }))
    })
}

interface Asked extends Common {
  readonly mail?: string
  readonly from?: string
  readonly to?: string
  readonly class: MailClass
  readonly template?: string
  readonly transport?: string
  readonly tag: Readonly<Record<string, string>>
  readonly header: Readonly<Record<string, string>>
}

async function explain({
  config,
  json,
  tag: tags,
  header: headers,
  ...mail
}: Asked & { readonly from: string; readonly to: string }): Promise<number> {
  const { explainRoute } = await import('../../config/explain-route.ts')
  const explained = await explainRoute(config, { ...mail, tags, headers })
  process.stdout.write(`${json ? JSON.stringify(explained) : linesOf(explained).join('\n')}\n`)
  return 0
}

async function explainMail(id: string, { config, project, json }: Asked): Promise<number> {
  const { withProject } = await import('../process/with-engine.ts')
  const ask = (engine: Engine, found: Project) => engine.installation.routes.explain(found, id, { isOperator: true })
  const route = await withProject(config, project, ask, 'kept')
  process.stdout.write(`${json ? JSON.stringify(route) : mailLines(route).join('\n')}\n`)
  return 0
}

function mailLines({ way, class: kind, tried, transports = [], notFitting = [], more = 0, ...rest }: MailRoute) {
  const { named } = rest
  const about = [
    `The mail is ${kind}.`,
    tried.length === 0 ? 'No transport has had it yet.' : `It was handed to ${tried.join(', ')}.`,
  ]
  const isElsewhere = way !== 'installation' && way !== 'folder'
  if (isElsewhere && named?.counts !== true)
    return [...about, ...(named === undefined ? [] : [notThere(named.transport)]), WAYS[way](transports)]
  return [...about, ...linesOf({ ...rest, transports, notFitting, more }, true)]
}

/** The ways on which rules have no say. */
const WAYS: Readonly<Record<Exclude<RouteWay, 'installation' | 'folder'>, (transports: readonly string[]) => string>> =
  {
    own: (transports) => `It goes through the mail servers of its project: ${transports.join(', then ')}.`,
    nowhere: () => 'It waits: its project has no mail server that it may use.',
    simulator: () => TO_SIMULATOR,
    sandbox: () => 'It is caught in the sandbox, and leaves this server by no transport.',
  }

const TO_SIMULATOR = 'It goes to the simulator, and leaves this server by no transport.'

/** `isKnown`: of a mail that is stored, whose part of the shares is known. */
function linesOf({ toSimulator, ...explained }: RouteExplained, isKnown = false): readonly string[] {
  if (toSimulator) return [TO_SIMULATOR]
  const { rule, transports, shares, ramp, notFitting, more, receiver, named } = explained
  if (named?.counts)
    return [`Its request names ${named.transport}. It tries that alone, and waits while it cannot go there.`]
  const first =
    rule === undefined
      ? `No rule fits. It tries the transports in their order: ${transports.join(', then ')}.`
      : `${titleOf(rule)} decides: ${rule.because}. It tries ${transports.join(', then ')}.`
  return [
    ...(named === undefined ? [] : [notThere(named.transport)]),
    first,
    ...(shares === undefined
      ? []
      : [
          `${isKnown ? 'The shares are' : 'Which is first depends on the mail:'} ${Object.entries(shares)
            .map(([name, share]) => `${name} for ${share} %`)
            .join(', ')}.`,
        ]),
    ...(ramp === undefined ? [] : [rampLine(ramp)]),
    ...(receiver === undefined ? [] : [`The mail of its recipient's domain is taken by ${receiver}.`]),
    ...notFitting.map((each) => `${titleOf(each)} does not fit: ${each.because}.`),
    ...(more === 0 ? [] : [`${more} rules before these do not fit either.`]),
  ]
}

function rampLine({ transport, share, isBack, from, add, backAt }: NonNullable<RouteExplained['ramp']>): string {
  if (isBack) return `Its ramp went back: of the mail through ${transport} more than ${backAt} % was refused.`
  if (share === 0) return `Its ramp begins on ${from}: then a part tries ${transport} first.`
  return `Its ramp: today ${share} % tries ${transport} first${share < 100 && add > 0 ? `, each day ${add} % more` : ''}.`
}

function notThere(transport: string): string {
  return `Its request names ${transport}, which is not there, or which its project may not name: that does not count.`
}

function titleOf({ number, name }: { readonly number: number; readonly name: string }): string {
  return name === `rule ${number}` ? `Rule ${number}` : `Rule ${number} (${name})`
}

/** Reads `name=value`, and adds it to those before. */
function pairOf(sign: '=' | ':') {
  return (text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
    const at = text.indexOf(sign)
    if (at < 1) throw new InvalidArgumentError(`It must be a name and a value: name${sign}value.`)
    return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1).trim() }
  }
}
