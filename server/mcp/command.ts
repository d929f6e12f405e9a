import { readVariableFiles } from '../../config/variable-files.ts'
import { loadOptional } from '../../core/plugin/optional-packages.ts'
import { EX_CONFIG, McpProblem } from './problem.ts'
import type { Choice } from './serve-tools.ts'
import { lookAround } from './surroundings.ts'

/**
 * Serves the API of a running Mailwright to a model, until the client has enough. Answers the exit code; what is wrong is
 * told on stderr in one line, since stdout belongs to the protocol. Throws EngineError when the protocol's package is not
 * installed.
 */
export async function mcp(url: string | undefined, choice: Choice): Promise<number> {
  const { serveTools } = await loadOptional('mailwright mcp', 'mcp', () => import('./serve-tools.ts'))
  try {
    const { env, problems } = await readVariableFiles(process.env, ['MAILWRIGHT_API_KEY'], process.cwd())
    const [wrong] = problems
    if (wrong) throw new McpProblem(`${wrong.field} ${wrong.message}.`, EX_CONFIG)
    await serveTools(await lookAround(url, env), choice)
    return 0
  } catch (error) {
    if (!(error instanceof McpProblem)) throw error
    process.stderr.write(`mailwright mcp: ${error.message}\n`)
    return error.exitCode
  }
}
