import { keysIn } from '../mail/render/key-path.ts'
import { type Piece, scanTemplate, type TagPiece } from '../mail/render/scan-template.ts'
import { MAIL_VARIABLES } from '../mail/render/scope.ts'
import { SNIPPET_TAG } from '../mail/render/snippet-tags.ts'
import type { ContactFieldRepository, KindCounts } from '../ports/store/contact-fields.ts'
import type { ProjectId } from '../values/project-id.ts'
import { type CheckFinding, finding } from './check-sentences.ts'

/** How many different variables are looked up. */
const MOST_VARIABLES = 50
/** How many fields are read at once: those that most contacts have. */
const READ_FIELDS = 1000

/** How many open conditions, and how much of each, are looked at. */
const MOST_CONDITIONS = 50
const MOST_CONDITION = 2_000

/** Variables that a template may print although no contact has such a field. */
const GIVEN = new Set<string>([...MAIL_VARIABLES, 'event', 'forloop', 'tablerowloop', 'content'])
const CONDITIONS = new Set(['if', 'unless', 'case'])
const BRANCHES = new Set(['elsif', 'when'])
/** The name that a tag gives a value. */
const NAMED = /^\s*(?:assign|capture|for|tablerow|increment|decrement)\s+["']?([\p{L}_][\p{L}\p{N}_-]*)/u

/** A value of the recipient that a mail prints, as its path. */
type Printed = readonly string[]

/**
 * The values that these sources print as they are: without those that have a default, are asked for first by an `if`
 * around them, or are made by the template itself.
 */
export function printedIn(sources: readonly string[]): readonly Printed[] {
  const found = new Map<string, Printed>()
  // mails repeat their placeholders
  const paths = new Map<string, Printed>()
  for (const source of sources) {
    const pieces = scanTemplate(source)
    const made = new Set(pieces.flatMap((piece) => (piece.kind === 'tag' ? namesMade(piece) : [])))
    const asked: string[] = []
    for (const piece of pieces) {
      if (piece.kind === 'tag') follow(piece, asked)
      if (piece.kind !== 'output') continue
      const path = paths.get(piece.content) ?? pathOf(piece)
      paths.set(piece.content, path)
      const [root = ''] = path
      if (path.length === 0 || GIVEN.has(root) || root.startsWith('mailwright_') || made.has(root)) continue
      const isAsked = asked.slice(-MOST_CONDITIONS).some((condition) => mentions(condition, root))
      if (!isAsked) found.set(path.join('.'), path)
    }
  }
  return [...found.values()]
}

/** The path that a placeholder prints, without `data`; empty when it has a default, or is more than a path. */
function pathOf({ content, fallback }: Extract<Piece, { kind: 'output' }>): Printed {
  if (fallback !== undefined || /\|\s*default\b/.test(content)) return []
  const keys = keysIn(content.split('|', 1)[0] ?? '') ?? []
  return keys[0] === 'data' ? keys.slice(1) : keys
}

/** Keeps the conditions that are open. */
function follow({ name, content }: TagPiece, asked: string[]): void {
  if (CONDITIONS.has(name)) asked.push(content.slice(0, MOST_CONDITION))
  else if (BRANCHES.has(name)) asked.push(`${asked.pop() ?? ''} ${content}`.slice(0, MOST_CONDITION))
  else if (name.startsWith('end') && CONDITIONS.has(name.slice(3))) asked.pop()
}

function namesMade({ name, content }: TagPiece): readonly string[] {
  if (name === SNIPPET_TAG)
    return [...content.matchAll(/(?<![\p{L}\p{N}_-])([\p{L}_][\p{L}\p{N}_-]*)\s*:/gu)].map(([, key = '']) => key)
  return NAMED.exec(content)?.slice(1) ?? []
}

function mentions(condition: string, name: string): boolean {
  const at = condition.indexOf(name)
  if (at < 0) return false
  const [before = ' ', after = ' '] = [condition[at - 1], condition[at + name.length]]
  return !/[\p{L}\p{N}_-]/u.test(before + after) || mentions(condition.slice(at + 1), name)
}

/** The reads of contact fields that the check of variables needs. */
export type FieldReads = Pick<ContactFieldRepository, 'list' | 'find'>

/**
 * The variables that stay empty: for all contacts when none has such a field, or for those that lack it. The counts are
 * kept with every write of a contact, so that none is counted here.
 */
export async function variableFindings(
  fields: FieldReads,
  projectId: ProjectId,
  printed: readonly Printed[],
  isMarketing: boolean,
): Promise<readonly CheckFinding[]> {
  if (printed.length === 0) return []
  const { contacts, keys, fields: listed } = await fields.list(projectId, READ_FIELDS)
  const known = new Map(listed.map(({ key, kinds }) => [key, kinds]))
  const kindsOf = async (key: string) =>
    known.get(key) ?? (keys > listed.length ? await fields.find(projectId, key) : undefined)
  const findings: CheckFinding[] = []
  for (const path of printed.slice(0, MOST_VARIABLES)) {
    const name = path.join('.')
    const holders = holdersOf((await kindsOf(name)) ?? (await kindsOf(path[0] ?? '')))
    const shown = name.slice(0, 100).toWellFormed()
    if (holders === 0)
      findings.push(finding(isMarketing ? 'variable_unknown' : 'variable_of_request', 'body', { name: shown }))
    else if (isMarketing && holders < contacts)
      findings.push(finding('variable_lacking', 'body', { name: shown, count: contacts - holders, total: contacts }))
  }
  return findings
}

/** How many contacts have a value in the field. */
function holdersOf(kinds: KindCounts | undefined): number {
  const all = Object.values(kinds ?? {}).reduce((sum, count) => sum + count, 0)
  return all - (kinds?.null ?? 0)
}
