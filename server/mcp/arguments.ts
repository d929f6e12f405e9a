import type { ApiTool } from './tools.ts'

/** A problem with the arguments of a call, reported to the model. */
export class ArgumentProblem extends Error {}

/** The arguments of a call by where they go. */
interface PlacedArguments {
  readonly path: Readonly<Record<string, string>>
  readonly query: readonly (readonly [name: string, text: string])[]
  readonly header: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Puts them there. Throws ArgumentProblem for arguments that cannot be sent; what is in them is for the API to judge. */
export function placed(tool: ApiTool, given: Readonly<Record<string, unknown>>): PlacedArguments {
  requireKnown(tool, given)
  const { path, query, header } = tool.places
  const isGiven = (name: string) => given[name] !== undefined && given[name] !== null
  return {
    path: Object.fromEntries(path.map((name) => [name, segment(name, given[name])])),
    query: query.filter(isGiven).flatMap((name) => {
      const value = given[name]
      return (Array.isArray(value) ? value : [value]).map((each) => [name, scalar(name, each)] as const)
    }),
    header: Object.fromEntries(header.filter(isGiven).map((name) => [name, headerText(name, given[name])])),
    body: tool.takesBody ? given.body : undefined,
  }
}

function requireKnown({ name, places, required, takesBody }: ApiTool, given: Readonly<Record<string, unknown>>): void {
  const known = [...places.path, ...places.query, ...places.header, ...(takesBody ? ['body'] : [])]
  const missing = required.find((each) => given[each] === undefined || given[each] === null)
  if (missing !== undefined) throw new ArgumentProblem(`${missing}: is missing`)
  const unknown = Object.keys(given).find((each) => !known.includes(each))
  if (unknown === undefined) return
  const place = takesBody ? `; fields of the request belong into body` : ''
  throw new ArgumentProblem(`${unknown}: ${name} has no such argument (${known.join(', ') || 'it takes none'})${place}`)
}

/** One part of a path. Dots would lead to other places, even when they are escaped. */
function segment(name: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw new ArgumentProblem(`${name}: must be text`)
  const text = String(value)
  if (/^\.{0,2}$/.test(text)) throw new ArgumentProblem(`${name}: must not be empty, "." or ".."`)
  if (!text.isWellFormed()) throw new ArgumentProblem(`${name}: must be well-formed text`)
  return text
}

function scalar(name: string, value: unknown): string {
  // such as a filter, which the query has as JSON
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new ArgumentProblem(`${name}: must be text, a number or a boolean`)
}

function headerText(name: string, value: unknown): string {
  const text = scalar(name, value)
  if (!/^[\x20-\x7e]{1,255}$/.test(text)) throw new ArgumentProblem(`${name}: must be 1 to 255 characters of ASCII`)
  return text
}
