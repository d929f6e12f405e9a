import { loadOptional } from '../../core/plugin/optional-packages.ts'
import { findKey, findServer, requireSettings } from '../remote/find-server.ts'
import { RemoteProblem } from '../remote/problem.ts'
import { readVariables } from '../remote/variables.ts'
import type { Choice } from './serve-tools.ts'

/**
 * Serves the API of a running Mailwright to a model, until the client has enough. Answers the exit code; what is wrong is
 * told on stderr in one line, since stdout belongs to the protocol. Throws EngineError when the protocol's package is not
 * installed.
 */
export async function mcp(url: string | undefined, choice: Choice): Promise<number> {
  const { serveTools } = await loadOptional('mailwright mcp', 'mcp', () => import('./serve-tools.ts'))
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
