import { type EngineError, invalidField } from '../errors.ts'
import type { SnippetLinks } from '../ports/store/snippets.ts'
import { MAX_DEPTH, MAX_RENDERS, MAX_WHOLE, tooDeep, tooLong, tooMany, way } from './expand-snippets.ts'

/** The size of a snippet together with those in it. */
interface Sum {
  readonly renders: number
  readonly bytes: number
  /** The longest way down from it, itself first. */
  readonly path: readonly string[]
}

/**
 * Why the snippets of a project cannot stand in each other as they would after `changed` is written: a circle, or one
 * that would come to too much. Snippets that are not there count for nothing.
 */
export function graphProblem(
  all: readonly SnippetLinks[],
  changed: SnippetLinks,
  field: string,
): EngineError | undefined {
  const links = new Map([...all.filter(({ id }) => id !== changed.id), changed].map((each) => [each.name, each]))
  const sums = new Map<string, Sum>()
  const circle = circleFrom(changed.name, links, [changed.name])
  if (circle) return invalidField(field, 'custom', `would make a circle of snippets: ${way(circle)}`)
  for (const one of links.values()) {
    const { renders, bytes, path } = sumOf(one, links, sums)
    // one that was too large before is not made so by this change
    if (one !== changed && !reaches(one.name, changed.name, links, new Set())) continue
    const whose = one === changed ? '' : `: the snippet "${one.name}" would have more`
    if (path.length > MAX_DEPTH) return tooDeep(field, path)
    if (renders > MAX_RENDERS) return tooMany(field, whose)
    if (bytes > MAX_WHOLE) return tooLong(field, whose)
  }
  return undefined
}

type Links = ReadonlyMap<string, SnippetLinks>

/** The way from a snippet back to itself. */
function circleFrom(
  start: string,
  links: Links,
  path: readonly string[],
  seen = new Set<string>(),
): readonly string[] | undefined {
  for (const name of new Set(links.get(path.at(-1) ?? '')?.renders)) {
    if (name === start) return [...path, name]
    if (seen.has(name)) continue
    seen.add(name)
    const circle = circleFrom(start, links, [...path, name], seen)
    if (circle) return circle
  }
  return undefined
}

function reaches(from: string, to: string, links: Links, seen: Set<string>): boolean {
  if (from === to) return true
  if (seen.has(from)) return false
  seen.add(from)
  return links.get(from)?.renders.some((name) => reaches(name, to, links, seen)) ?? false
}

function sumOf({ name, renders, bytes }: SnippetLinks, links: Links, known: Map<string, Sum>): Sum {
  const before = known.get(name)
  if (before) return before
  let sum: Sum = { renders: renders.length, bytes, path: [name] }
  for (const each of renders) {
    const inner = links.get(each)
    if (inner === undefined) continue
    const { renders: more, bytes: size, path } = sumOf(inner, links, known)
    sum = {
      renders: sum.renders + more,
      bytes: sum.bytes + size,
      path: path.length >= sum.path.length ? [name, ...path] : sum.path,
    }
  }
  known.set(name, sum)
  return sum
}
