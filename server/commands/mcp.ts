import { type Command, InvalidArgumentError, Option } from 'commander'
import { loadOptional } from '../../core/plugin/optional-packages.ts'
import type { Choice } from '../mcp/choice.ts'
import type { Begin } from './begin.ts'

interface McpOptions {
  readonly url?: string
  readonly only?: readonly string[]
  readonly readOnly?: true
}

/** `mailwright mcp`. */
export function addMcp(program: Command, begin: Begin): void {
  program
    .command('mcp')
    .description(
      'let a language model use a running server: MCP on stdin and stdout; the key is in MAILWRIGHT_API_KEY, since others can see arguments',
    )
    .option('--url <url>', 'the address of the server (default: MAILWRIGHT_URL)')
    .addOption(
      new Option('--only <names>', 'the groups and tools to offer, separated by commas, or all').argParser(readNames),
    )
    .option('--read-only', 'offer only tools that change nothing')
    .action(({ url, only, readOnly }: McpOptions, command: Command) =>
      begin(command, () => mcp(url, { only, readOnly: readOnly === true })),
    )
}

function readNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('It must name groups or tools, such as campaigns,contacts.')
  return names
}

/**
 * Serves the API of a running Mailwright to a model, until the client has enough. Answers the exit code; what is wrong is
 * told on stderr in one line, since stdout belongs to the protocol. Throws EngineError when the protocol's package is not
 * installed.
 */
async function mcp(url: string | undefined, choice: Choice): Promise<number> {
  const { serveTools } = await loadOptional('mailwright mcp', 'mcp', () => import('../mcp/serve-tools.ts'))
  const [{ findKey, findServer, readVariables, requireSettings }, { RemoteProblem }] = await Promise.all([
    import('../remote/find-server.ts'),
    import('../remote/problem.ts'),
  ])
  try {
    const env = await readVariables(['MAILWRIGHT_API_KEY'])
    const settings = requireSettings(url, env)
    const server = await findServer(settings)
    await serveTools(server, await findKey(server, settings.secret), choice)
    return 0
  } catch (error) {
    if (!(error instanceof RemoteProblem)) throw error
    process.stderr.write(`mailwright mcp: ${error.message}\n`)
    return error.exitCode
  }
}
