import { similarFields } from '../contacts/field-meanings.ts'
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

/** With a default, a field is mentioned only when fewer than one contact of as many has it. */
const FEW = 10

/** How many open conditions, and how much of each, are looked at. */
const MOST_CONDITIONS = 50
const MOST_CONDITION = 2_000

/** Variables that a template may print although no contact has such a field. */
const GIVEN = new Set<string>([...MAIL_VARIABLES, 'event', 'forloop', 'tablerowloop', 'content'])
const CONDITIONS = new Set(['if', 'unless', 'case'])
const BRANCHES = new Set(['elsif', 'when'])
/** The name that a tag gives a value. */
const NAMED = /^\s*(?:assign|capture|for|tablerow|increment|decrement)\s+["']?([\p{L}_][\p{L}\p{N}_-]*)/u

type Path = readonly string[]

/** A value of the recipient that a mail prints. */
export interface Printed {
  /** Without `data`. */
  readonly path: Path
  /** Whether no place stays empty without it: it has a default everywhere, or an `if` around it asks for it first. */
  readonly isCovered: boolean
}

/** The values that these sources print, without those that the template itself makes. */
export function printedIn(sources: readonly string[]): readonly Printed[] {
  const found = new Map<string, Printed>()
  // mails repeat their placeholders
  const outputs = new Map<string, Printed>()
  for (const source of sources) {
    const pieces = scanTemplate(source)
    const made = new Set(pieces.flatMap((piece) => (piece.kind === 'tag' ? namesMade(piece) : [])))
    const asked: string[] = []
    for (const piece of pieces) {
      if (piece.kind === 'tag') follow(piece, asked)
      if (piece.kind !== 'output') continue
      const output = outputs.get(piece.content) ?? printedBy(piece)
      outputs.set(piece.content, output)
      const { path } = output
      const [root = ''] = path
      if (path.length === 0 || GIVEN.has(root) || root.startsWith('mailwright_') || made.has(root)) continue
      const name = path.join('.')
      if (found.get(name)?.isCovered === false) continue
      const isAsked = () => asked.slice(-MOST_CONDITIONS).some((condition) => mentions(condition, root))
      found.set(name, { path, isCovered: output.isCovered || isAsked() })
    }
  }
  return [...found.values()]
}

/** The value that a placeholder prints; its path is empty when it is more than a path. */
function printedBy({ content, fallback }: Extract<Piece, { kind: 'output' }>): Printed {
  const keys = keysIn(content.split(/\||\?\?/, 1)[0] ?? '') ?? []
  const isCovered = fallback !== undefined || /\|\s*default\b/.test(content)
  return { path: keys[0] === 'data' ? keys.slice(1) : keys, isCovered }
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
 * The variables that stay empty, for all contacts or for those that lack them, and those whose default nearly all get.
 * Fields that may be meant instead are offered. The counts are kept with every write of a contact, so that none is
 * counted here.
 */
export async function variableFindings(
  fields: FieldReads,
  projectId: ProjectId,
  printed: readonly Printed[],
  isMarketing: boolean,
): Promise<readonly CheckFinding[]> {
  if (printed.length === 0) return []
  const { contacts: total, keys, fields: listed } = await fields.list(projectId, READ_FIELDS)
  const known = new Map(listed.map(({ key, kinds }) => [key, kinds]))
  const kindsOf = async (key: string) =>
    known.get(key) ?? (keys > listed.length ? await fields.find(projectId, key) : undefined)
  const findings: CheckFinding[] = []
  // those that stay empty first: as many are looked up
  const looked = printed.toSorted((a, b) => Number(a.isCovered) - Number(b.isCovered)).slice(0, MOST_VARIABLES)
  for (const { path, isCovered } of looked) {
    const name = path.join('.')
    const holders = holdersOf((await kindsOf(name)) ?? (await kindsOf(path[0] ?? '')))
    const shown = name.slice(0, 100).toWellFormed()
    if (!isMarketing) {
      if (holders === 0 && !isCovered) findings.push(finding('variable_of_request', 'body', { name: shown }))
      continue
    }
    const lacking = { name: shown, count: total - holders, total }
    const better = listed.filter(({ kinds }) => holdersOf(kinds) > holders).map(({ key }) => key)
    const similar = holders * 2 < total ? similarFields(name, better) : []
    if (similar.length > 0) {
      const offered = similar.map((key) => JSON.stringify(key.slice(0, 100).toWellFormed())).join(', ')
      findings.push(finding('variable_similar', 'body', { ...lacking, similar: offered }))
    } else if (isCovered) {
      if (holders * FEW < total) findings.push(finding('variable_default', 'body', lacking))
    } else if (holders === 0) findings.push(finding('variable_unknown', 'body', { name: shown }))
    else if (holders < total) findings.push(finding('variable_lacking', 'body', lacking))
  }
  return findings
}

/** How many contacts have a value in the field. */
function holdersOf(kinds: KindCounts | undefined): number {
  const all = Object.values(kinds ?? {}).reduce((sum, count) => sum + count, 0)
  return all - (kinds?.null ?? 0)
}
