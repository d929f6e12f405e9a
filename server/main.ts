import { flushCompileCache } from 'node:module'
import { type Command, readCommand, USAGE } from './command-line.ts'
import { End } from './shutdown.ts'
import { startProblem } from './start-problem.ts'
import { version } from './version.ts'

/** EX_USAGE of sysexits.h. */
const USAGE_EXIT = 64

process.exit(await main(process.argv.slice(2)))

/**
 * Runs the command and answers the exit code. Modules are loaded only for the command that needs them, since the engine
 * takes most of a second.
 */
async function main(args: readonly string[]): Promise<number> {
  const command = readCommand(args)
  switch (command.kind) {
    case 'help':
      process.stdout.write(USAGE)
      return 0
    case 'version':
      process.stdout.write(`${version()}\n`)
      return 0
    case 'misused':
      process.stderr.write(`${command.problem}\n\n${USAGE}`)
      return USAGE_EXIT
    case 'check':
      return check(command.config)
    case 'copy':
      return copyAll(command)
    case 'user':
      return makeUser(command)
    case 'rebuild-stats':
      return rebuild(command)
    case 'mcp':
      return offerTools(command)
    case 'serve':
      return serve(command)
  }
}

async function check(path: string | undefined): Promise<number> {
  try {
    const { loadConfig } = await import('../config/index.ts')
    const { file } = await loadConfig({ path })
    process.stdout.write(`The configuration is in order (${file ?? 'no file; the environment and the defaults'}).\n`)
    return 0
  } catch (error) {
    return failed(error)
  }
}

async function copyAll({ from, to }: Extract<Command, { kind: 'copy' }>): Promise<number> {
  try {
    const { copy } = await import('./copy.ts')
    return await copy(from, to)
  } catch (error) {
    return failed(error)
  }
}

async function makeUser({ config, email }: Extract<Command, { kind: 'user' }>): Promise<number> {
  try {
    const { user } = await import('./user.ts')
    return await user(config, email)
  } catch (error) {
    return failed(error)
  }
}

async function rebuild({ config, checkOnly }: Extract<Command, { kind: 'rebuild-stats' }>): Promise<number> {
  try {
    const { rebuildStats } = await import('./rebuild-stats.ts')
    return await rebuildStats(config, checkOnly)
  } catch (error) {
    return failed(error)
  }
}

async function offerTools({ url, choice }: Extract<Command, { kind: 'mcp' }>): Promise<number> {
  try {
    const { mcp } = await import('./mcp/command.ts')
    return await mcp(url, choice)
  } catch (error) {
    return failed(error)
  }
}

/** Serves until a signal or a fatal error. */
async function serve({ config: path, role, listen }: Extract<Command, { kind: 'serve' }>): Promise<number> {
  const end = new End()
  try {
    const [{ loadConfig }, { startServer }] = await Promise.all([
      import('../config/index.ts'),
      import('./running-server.ts'),
    ])
    const config = await loadConfig({ path, role, listen })
    end.log = config.engine.log
    const server = await startServer(config, (text) => process.stdout.write(text))
    // kept now, since a server is often killed
    flushCompileCache()
    const exitCode = await end.come
    await server.stop()
    end.log?.info('Mailwright has ended', { exitCode, seconds: Math.round(process.uptime()) })
    return exitCode
  } catch (error) {
    return failed(error)
  }
}

function failed(error: unknown): number {
  const { text, exitCode } = startProblem(error)
  process.stderr.write(`${text}\n`)
  return exitCode
}
