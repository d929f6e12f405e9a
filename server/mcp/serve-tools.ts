import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { FoundKey, FoundServer } from '../remote/find-server.ts'
import { EX_USAGE, RemoteProblem } from '../remote/problem.ts'
import { version } from '../version.ts'
import { problemResult, resultOf } from './answer.ts'
import { Api } from './api.ts'
import { ArgumentProblem } from './arguments.ts'
import { type Choice, instructions, offered, UnknownChoice } from './choice.ts'
import type { ApiTool } from './tools.ts'

/**
 * Speaks MCP on stdin and stdout until the client closes stdin or stops reading. Throws RemoteProblem for a name in `only`
 * that nothing has, or that the key does not allow.
 */
export async function serveTools({ url, document }: FoundServer, key: FoundKey, choice: Choice): Promise<void> {
  const api = new Api(url, key.secret)
  const { tools, left } = found(() => offered(document, key.scopes, choice))
  const server = new Server(
    { name: 'mailwright', version: version() },
    {
      capabilities: { tools: {} },
      instructions: instructions(key.projectId, left, 'the operator can add them with --only'),
    },
  )
  const running = new Set<Promise<CallToolResult>>()
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools.values()].map(({ name, description, inputSchema, annotations }) => {
      return { name, description, inputSchema, annotations }
    }),
  }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const call = callTool(api, tools, params, signal)
    running.add(call)
    return call.finally(() => running.delete(call))
  })
  server.onerror = (error) => process.stderr.write(`mailwright mcp: ${error.message.slice(0, 500)}\n`)
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', resolve)
    process.stdout.once('error', resolve)
  })
  await server.connect(new StdioServerTransport())
  const few = left.length > 0 ? `; not offered: ${left.join(', ')} (--only names what is)` : ''
  process.stderr.write(
    `mailwright mcp: ${tools.size} tools of ${api.url} for the key "${key.name}" (${key.scopes.join(', ')})${few}\n`,
  )
  await ended
  await Promise.allSettled(running)
  // the protocol writes an answer a few turns after the call has ended
  await new Promise(setImmediate)
}

/** A name on the command line that there is not is told like other wrong arguments. */
function found<T>(look: () => T): T {
  try {
    return look()
  } catch (error) {
    throw error instanceof UnknownChoice ? new RemoteProblem(`--only: ${error.message}`, EX_USAGE) : error
  }
}

async function callTool(
  api: Api,
  tools: ReadonlyMap<string, ApiTool>,
  { name, arguments: given = {} }: { readonly name: string; readonly arguments?: Record<string, unknown> | undefined },
  signal: AbortSignal,
): Promise<CallToolResult> {
  const tool = tools.get(name)
  if (!tool) return problemResult(`There is no tool ${name.slice(0, 100)}, or the key does not allow it.`)
  try {
    return resultOf(tool, await api.call(tool, given, signal))
  } catch (error) {
    if (error instanceof ArgumentProblem) return problemResult(error.message)
    return problemResult(unanswered(tool, error))
  }
}

function unanswered({ annotations: { readOnlyHint } }: ApiTool, error: unknown): string {
  const isLate = error instanceof Error && error.name === 'TimeoutError'
  const what = isLate ? 'Mailwright did not answer within 30 seconds.' : 'Mailwright cannot be reached.'
  return readOnlyHint ? what : `${what} It may have been done all the same: look before you call again.`
}
