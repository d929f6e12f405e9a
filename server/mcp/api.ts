import { type ApiAnswer, ask, keyHeaders } from '../remote/ask.ts'
import type { ApiTool } from './tools.ts'

/** A problem with the arguments of a call, reported to the model. */
export class ArgumentProblem extends Error {}

/** A running Mailwright, asked over HTTP. */
export class Api {
  /** `url` is the address of the API, a sub-path included, without a slash at its end. */
  constructor(
    readonly url: string,
    private readonly key: string,
  ) {}

  /**
   * Calls what the tool stands for. Throws ArgumentProblem for arguments that cannot be sent; what is in them is for the
   * server to judge. Rejects when there is no answer, or when `signal` aborts.
   */
  async call(tool: ApiTool, given: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ApiAnswer> {
    requireKnown(tool, given)
    const headers: Record<string, string> = keyHeaders(this.key)
    for (const name of tool.places.header) if (given[name] !== undefined) headers[name] = headerText(name, given[name])
    const init: RequestInit = { method: tool.method, headers }
    if (tool.takesBody && given.body !== undefined) {
      headers['content-type'] = 'application/json'
      init.body = JSON.stringify(given.body)
    }
    return ask(`${this.url}${pathOf(tool, given)}${queryOf(tool, given)}`, init, signal)
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

function pathOf({ path, places }: ApiTool, given: Readonly<Record<string, unknown>>): string {
  return places.path.reduce((done, name) => done.replace(`{${name}}`, () => segment(name, given[name])), path)
}

/** One part of a path. Dots would lead to other places, even when they are escaped. */
function segment(name: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw new ArgumentProblem(`${name}: must be text`)
  const text = String(value)
  if (/^\.{0,2}$/.test(text)) throw new ArgumentProblem(`${name}: must not be empty, "." or ".."`)
  if (!text.isWellFormed()) throw new ArgumentProblem(`${name}: must be well-formed text`)
  return encodeURIComponent(text)
}

function queryOf({ places }: ApiTool, given: Readonly<Record<string, unknown>>): string {
  const pairs = places.query.flatMap((name) => {
    const value = given[name]
    if (value === undefined || value === null) return []
    return (Array.isArray(value) ? value : [value]).map((each) => [name, scalar(name, each)] as [string, string])
  })
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''
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
