import { Command, CommanderError } from 'commander'
import { nearest } from '../../core/values/nearest.ts'
import { programName } from '../../core/values/program-name.ts'
import { addBackup } from '../commands/backup.ts'
import type { Begin } from '../commands/begin.ts'
import { addBringOver } from '../commands/bring-over.ts'
import { addCheck } from '../commands/check.ts'
import { addCopy } from '../commands/copy.ts'
import { addDemo } from '../commands/demo.ts'
import { addDoctor } from '../commands/doctor.ts'
import { addDomains } from '../commands/domains.ts'
import { addExamples } from '../commands/examples.ts'
import { addExport } from '../commands/export.ts'
import { addImport } from '../commands/import.ts'
import { addInboxes } from '../commands/inboxes.ts'
import { addInit } from '../commands/init.ts'
import { addKeys } from '../commands/keys.ts'
import { addMcp } from '../commands/mcp.ts'
import { addMigrate } from '../commands/migrate.ts'
import { addPlugin } from '../commands/plugin.ts'
import { addProjects } from '../commands/projects.ts'
import { addQueue } from '../commands/queue.ts'
import { addRebuildStats } from '../commands/rebuild-stats.ts'
import { addRestore } from '../commands/restore.ts'
import { addRoute } from '../commands/route.ts'
import { addSandbox } from '../commands/sandbox.ts'
import { addSeeds } from '../commands/seeds.ts'
import { addSend } from '../commands/send.ts'
import { addServe } from '../commands/serve.ts'
import { addUsers } from '../commands/users.ts'
import { version } from '../version.ts'

/** The request of the command line. */
export type Reading =
  | {
      readonly kind: 'run'
      /** The command's name: `keys create`. */
      readonly command: string
      readonly options: Readonly<Record<string, unknown>>
      /** Does it, and answers the exit code. Rejects with what went wrong. */
      run(): Promise<number>
    }
  /** A text to print, such as the help. */
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'misused'; readonly problem: string }

/** In the order of the help. They load what they need when they are run, since the engine takes most of a second. */
const COMMANDS = [
  addServe,
  addInit,
  addCheck,
  addDoctor,
  addRoute,
  addMigrate,
  addProjects,
  addKeys,
  addUsers,
  addSend,
  addQueue,
  addInboxes,
  addSandbox,
  addDomains,
  addSeeds,
  addImport,
  addBringOver,
  addExport,
  addBackup,
  addRestore,
  addCopy,
  addRebuildStats,
  addDemo,
  addMcp,
  addPlugin,
]

/** Reads the arguments after the program's name. Nothing is done yet. */
export function readCommand(args: readonly string[]): Reading {
  let asked: Reading | undefined
  let out = ''
  let problem = ''
  const begin: Begin = (command, run) => {
    asked = { kind: 'run', command: nameOf(command), options: command.opts(), run }
  }
  const program = new Command(programName())
    .description('An e-mail engine. Without a command it runs serve; COMMAND --help shows the options of each.')
    .version(version(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .configureOutput({ writeOut: (text) => (out += text), writeErr: (text) => (problem += text) })
    .exitOverride()
  for (const add of COMMANDS) add(program, begin)
  addExamples(program)
  const unknown = unknownCommand(program, args)
  if (unknown !== undefined) return { kind: 'misused', problem: unknown }
  try {
    program.parse([...args], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return { kind: 'answer', text: out }
    return { kind: 'misused', problem: problem.trim().replace(/^error: /, '') + hint(error, program, args) }
  }
  return asked ?? { kind: 'misused', problem: program.helpInformation() }
}

/** The default command would take it for an argument too many. */
function unknownCommand({ commands }: Command, [word]: readonly string[]): string | undefined {
  const names = [...commands.map((command) => command.name()), 'help']
  if (word === undefined || word.startsWith('-') || names.includes(word)) return undefined
  const near = nearest(word, names)
  return `unknown command '${word}'${near === undefined ? `; ${programName()} --help lists them` : `\n(Did you mean ${near}?)`}`
}

/** Where the missing word stands; the near name that was meant is said already. */
function hint({ code, message }: CommanderError, program: Command, args: readonly string[]): string {
  const words = { 'commander.missingArgument': 'shows it', 'commander.unknownCommand': 'lists them' }
  const said = Object.entries(words).find(([each]) => each === code)?.[1]
  if (said === undefined || message.includes('Did you mean')) return ''
  let command = program
  for (const word of args) {
    const below = command.commands.find((each) => each.name() === word)
    if (below === undefined) break
    command = below
  }
  return `; ${programName()} ${command === program ? '' : `${nameOf(command)} `}--help ${said}`
}

function nameOf(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name()
}
