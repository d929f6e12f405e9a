import { type Command, InvalidArgumentError, Option } from 'commander'
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
      'offer a running server to a language model: MCP on stdin and stdout; the key is in MAILWRIGHT_API_KEY, since others see arguments',
    )
    .option('--url <url>', 'the address of the server (default: MAILWRIGHT_URL)')
    .addOption(
      new Option('--only <names>', 'the groups and tools to offer, with commas between, or all').argParser(readNames),
    )
    .option('--read-only', 'offer only tools that change nothing')
    .action(({ url, only, readOnly }: McpOptions, command: Command) =>
      begin(command, async () => (await import('../mcp/command.ts')).mcp(url, { only, readOnly: readOnly === true })),
    )
}

function readNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('It must name groups or tools, such as campaigns,contacts.')
  return names
}
