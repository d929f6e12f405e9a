import { parse } from 'yaml'
import { knownKeys } from '../../config/unknown-keys.ts'
import { STEP_TYPES } from '../../core/workflows/steps/registry.ts'
import { allBlocks, type Block } from './run-page.ts'

/** Blocks of data that no program of ours reads or answers in this form, by their first line, and why. */
const SHOWN_ONLY: Readonly<Record<string, string>> = {
  'docs/campaigns.md: { "to": "not-opened"': 'the body for a campaign that was sent: test/http/campaigns-again.test.ts',
  'docs/contacts.md: { "Kontakt": "email"': 'the columns of an import: test/http/contact-import.test.ts',
  'docs/filters.md: "operator": "AND",': 'a filter: the commands below it try each operator',
  'docs/mails.md: "success": true,': 'the answer to a batch: test/http/send-batch.test.ts',
  'docs/mcp.md: "mcpServers": {': 'the configuration of other programs',
  'docs/production.md: # litestream.yml': 'the configuration of Litestream',
  'docs/sandbox.md: "type": "email.caught",': 'what a webhook receives: test/http/sandbox.test.ts',
  'docs/ses.md: "Version": "2012-10-17",': 'a policy of AWS',
  'docs/webhooks.md: "type": "email.open",': 'what a webhook receives: test/http/webhooks.test.ts',
  'docs/workflows.md: {"name": "Welcome", "triggerConfig"':
    'the body of a workflow of one topic: test/http/workflow-triggers.test.ts',
  'docs/workflows.md: {"name": "Trial ends"':
    'the body of a workflow that starts by dates: test/http/workflow-triggers.test.ts',
}

const CONFIG_KEYS = new Set(knownKeys().map((key) => key.split('.', 1)[0]))

/** A block of JSON or YAML, read. */
export interface DataBlock extends Block {
  /** The kind of block: a configuration, a step of a workflow, or the answer to the commands above it. */
  readonly kind: 'config' | 'step' | 'answer'
  readonly value: unknown
  /** The place of the block of commands above it, among those of its page. */
  readonly after: number
}

/** All blocks of JSON and YAML of the documentation but those that are only shown. Throws for one of no known kind. */
export function dataBlocks(): readonly DataBlock[] {
  const blocks = allBlocks()
  return blocks.flatMap((block, at) => {
    if (!['json', 'jsonc', 'yaml'].includes(block.language)) return []
    if (Object.keys(SHOWN_ONLY).some((start) => block.name.startsWith(start))) return []
    const value = read(block)
    const before = blocks.slice(0, at).filter(({ page }) => page === block.page)
    const after = before.filter(({ language }) => language === 'sh').length - 1
    const isBelowCommands = before.findLast(({ language }) => language !== 'csv')?.language === 'sh'
    const kind = kindOf(value) ?? (isBelowCommands ? 'answer' : undefined)
    if (kind === undefined) throw new Error(`${block.name}: neither configuration, step nor answer; see SHOWN_ONLY`)
    return [{ ...block, kind, value, after }]
  })
}

/** The blocks that are only shown and are not there any more. */
export function goneBlocks(): readonly string[] {
  return Object.keys(SHOWN_ONLY).filter((start) => !allBlocks().some(({ name }) => name.startsWith(start)))
}

/** YAML is JSON with more; a part of a file of JSON has no braces of its own, and comments. */
function read({ language, text }: Block): unknown {
  return language === 'jsonc' ? JSON.parse(`{${text.replace(/ \/\/ .*$/gm, '')}}`) : parse(text)
}

function kindOf(value: unknown): DataBlock['kind'] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  if (Object.keys(value).every((key) => CONFIG_KEYS.has(key))) return 'config'
  return 'type' in value && STEP_TYPES.some((type) => type === value.type) ? 'step' : undefined
}
