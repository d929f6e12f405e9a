import type { HookRequest } from '../../core/ports/http-hook.ts'
import { isObject } from '../../core/values/json.ts'

/** A place of a request with its value, and the same request with another one there. */
interface Place {
  readonly name: string
  readonly value: string
  with(value: string): HookRequest
  without(): HookRequest
}

/** A shorter text may stand in any sentence. */
const SHORTEST_PROOF = 12
const PART = /[A-Za-z0-9+/_-]{12,}={0,2}/g

/** Ways to weaken a text: without anything, cut, or without its longest part, such as the value behind `v1=`. */
const WEAKER: readonly (readonly [string, (text: string) => string])[] = [
  ['empty', () => ''],
  ['one character', (text) => text.slice(0, 1)],
  ['half', (text) => text.slice(0, text.length / 2)],
  ['without its longest part', (text) => text.replace(longest(text), '')],
  ['with half of its longest part', (text) => text.replace(longest(text), (part) => part.slice(0, part.length / 2))],
]

/**
 * The request with each part of its proof weakened alone. What belongs to the proof is seen by what a caller with another
 * secret sends in its place.
 */
export function weakenedProofs(
  request: HookRequest,
  forged: readonly HookRequest[],
): readonly (readonly [string, HookRequest])[] {
  return proofsIn(request, forged).flatMap((place) => [
    [`${place.name} missing`, place.without()] as const,
    ...WEAKER.map(([how, weaken]) => [how, weaken(place.value)] as const)
      .filter(([, value]) => value !== place.value)
      .map(([how, value]) => [`${place.name} ${how}`, place.with(value)] as const),
  ])
}

/** The proofs of the request that must not be told to others. */
export function rightProofs(request: HookRequest, forged: readonly HookRequest[]): readonly string[] {
  const values = proofsIn(request, forged).flatMap(({ value }) => [value, ...(value.match(PART) ?? [])])
  return [...new Set(values)].filter((value) => value.length >= SHORTEST_PROOF)
}

function proofsIn(request: HookRequest, forged: readonly HookRequest[]): readonly Place[] {
  const others = forged.map((each) => new Map(placesOf(each).map(({ name, value }) => [name, value])))
  return placesOf(request).filter(({ name, value }) =>
    others.some((other) => other.has(name) && other.get(name) !== value),
  )
}

function placesOf(request: HookRequest): readonly Place[] {
  const { headers, query } = request
  return [
    ...Object.entries(headers).map(([name, value]) => ({
      ...{ name: `header ${name}`, value },
      with: (other: string) => ({ ...request, headers: { ...headers, [name]: other } }),
      without() {
        const { [name]: _, ...others } = headers
        return { ...request, headers: others }
      },
    })),
    ...[...query].map(([name, value]) => ({
      ...{ name: `query ${name}`, value },
      with: (other: string) => {
        const changed = new URLSearchParams(query)
        changed.set(name, other)
        return { ...request, query: changed }
      },
      without() {
        const changed = new URLSearchParams(query)
        changed.delete(name)
        return { ...request, query: changed }
      },
    })),
    ...textsIn(jsonOf(request.body)).map(([path, value]) => ({
      ...{ name: `body ${path.join('.')}`, value },
      with: (other: string) => withBody(request, path, other),
      without: () => withBody(request, path, undefined),
    })),
  ]
}

function withBody(request: HookRequest, path: readonly string[], text: string | undefined): HookRequest {
  return { ...request, body: Buffer.from(JSON.stringify(put(jsonOf(request.body), path, text))) }
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

function textsIn(value: unknown, path: readonly string[] = []): readonly (readonly [readonly string[], string])[] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => textsIn(each, [...path, name]))
}

function put(value: unknown, [name, ...path]: readonly string[], text: string | undefined): unknown {
  // what is undefined is left out of JSON
  if (name === undefined) return text
  if (Array.isArray(value)) return value.map((each, i) => (String(i) === name ? put(each, path, text) : each))
  return isObject(value) ? { ...value, [name]: put(value[name], path, text) } : value
}

function longest(text: string): string {
  return (text.match(PART) ?? ['']).reduce((most, part) => (part.length > most.length ? part : most))
}
