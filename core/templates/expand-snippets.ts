import { EngineError, type FieldProblem, invalidField } from '../errors.ts'
import { syntaxError } from '../mail/render/liquid-source.ts'
import { afterName, readRenderTag } from '../mail/render/render-tag.ts'
import { type Piece, scanTemplate, type TagPiece } from '../mail/render/scan-template.ts'
import { SNIPPET_END, SNIPPET_TAG } from '../mail/render/snippet-tags.ts'
import { writtenBody } from '../mail/render/written-body.ts'
import { refused } from '../values/parse.ts'

/** How deep snippets may stand in each other. */
export const MAX_DEPTH = 5
/** How many snippets a source may render, those in its snippets included. */
export const MAX_RENDERS = 1_000
/** How many characters a source may have with its snippets: a body with placeholders may have no more either. */
export const MAX_WHOLE = 2 * 1024 * 1024

/** The bodies of snippets by name, as they were written. */
export type SnippetBodies = ReadonlyMap<string, string>

/** Tags that give a name another value; in a snippet such a value stays inside. */
const SETTING = new Set(['assign', 'capture', 'increment', 'decrement', 'liquid'])

/**
 * Puts the snippets into a written source, each where it is rendered. One that is given values or assigns some becomes a
 * block with its own scope, any other is put in unchanged: so plain placeholders stay plain. Throws EngineError
 * `VALIDATION_ERROR` for `field`, with line and column, for snippets that are not there, and when the whole is too large.
 */
export function expandSnippets(source: string, bodies: SnippetBodies, field: string): string {
  const expansion = new Expansion(bodies, field)
  const { text } = expansion.put(source, [])
  expansion.refuseProblems()
  return text
}

interface Expanded {
  readonly text: string
  /** How many snippets were put in. */
  readonly renders: number
}

class Expansion {
  readonly #bodies: SnippetBodies
  readonly #field: string
  readonly #known = new Map<string, Expanded & { readonly sets: boolean }>()
  readonly #problems: FieldProblem[] = []

  constructor(bodies: SnippetBodies, field: string) {
    this.#bodies = bodies
    this.#field = field
  }

  refuseProblems(): void {
    if (this.#problems.length > 0) throw refused(this.#problems)
  }

  /** `within` are the snippets that this source stands in, from the outside in. */
  put(source: string, within: readonly string[]): Expanded {
    const parts: string[] = []
    let [length, renders, trimNext] = [0, 0, false]
    const add = (text: string) => {
      length += text.length
      if (length > MAX_WHOLE) throw tooLong(this.#field)
      parts.push(text)
    }
    for (const piece of scanTemplate(source)) {
      const written = source.slice(piece.from, piece.to)
      const text = trimNext && piece.kind === 'text' ? written.trimStart() : written
      trimNext = false
      if (piece.kind !== 'tag' || piece.name !== 'render') {
        add(text)
        continue
      }
      // what its marks trim is trimmed here, since the tag is gone afterwards
      if (piece.trimLeft) parts.push(parts.pop()?.trimEnd() ?? '')
      trimNext = piece.trimRight
      const snippet = this.#snippet(source, piece, within)
      renders += 1 + snippet.renders
      if (renders > MAX_RENDERS) throw tooMany(this.#field)
      add(snippet.text)
    }
    return { text: parts.join(''), renders }
  }

  #snippet(source: string, piece: TagPiece, within: readonly string[]): Expanded {
    const read = readRenderTag(afterName(piece.content))
    const found = read && this.#expanded(read.name, within)
    if (read === undefined || found === undefined) {
      const message = read ? missing(read.name, within) : 'render needs the name of a snippet in quotes'
      this.#problems.push(...syntaxError(source, piece.from, this.#field, message).fields)
      return { text: '', renders: 0 }
    }
    if (read.given === '' && !found.sets) return found
    const text = `{% ${SNIPPET_TAG} ${read.given} %}${found.text}{% ${SNIPPET_END} %}`
    return { text, renders: found.renders }
  }

  #expanded(name: string, within: readonly string[]) {
    const known = this.#known.get(name)
    if (known) return known
    const body = this.#bodies.get(name)
    if (body === undefined) return undefined
    const path = [...within, name]
    if (within.includes(name)) throw invalidField(this.#field, 'custom', `has a circle of snippets: ${way(path)}`)
    if (path.length > MAX_DEPTH) throw tooDeep(this.#field, path)
    const source = writtenBody(body)
    const expanded = { ...this.put(source, path), sets: scanTemplate(source).some(setsName) }
    this.#known.set(name, expanded)
    return expanded
  }
}

function setsName(piece: Piece): boolean {
  return piece.kind === 'tag' && SETTING.has(piece.name)
}

function missing(name: string, within: readonly string[]): string {
  const where = within.length === 0 ? '' : ` that ${way(within)} needs`
  return `there is no snippet "${name}"${where}`
}

/** How snippets stand in each other. */
export function way(path: readonly string[]): string {
  return path.join(' → ')
}

/** The error for snippets that stand too deep in each other. */
export function tooDeep(field: string, path: readonly string[]): EngineError {
  return invalidField(field, 'too_big', `must nest snippets at most ${MAX_DEPTH} deep, not ${way(path)}`)
}

/** The error for more snippets than a source may render. */
export function tooMany(field: string, whose = ''): EngineError {
  return invalidField(
    field,
    'too_big',
    `must render at most ${MAX_RENDERS} snippets, those in snippets included${whose}`,
  )
}

/** The error for a source that is too long with its snippets. */
export function tooLong(field: string, whose = ''): EngineError {
  return invalidField(field, 'too_big', `must have at most 2 MB with its snippets and its layout${whose}`)
}
