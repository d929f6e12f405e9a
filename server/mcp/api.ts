import { type ApiAnswer, ask, keyHeaders } from '../remote/ask.ts'
import { placed } from './arguments.ts'
import type { ApiTool } from './tools.ts'

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
    const { path, query, header, body } = placed(tool, given)
    const headers: Record<string, string> = { ...keyHeaders(this.key), ...header }
    const init: RequestInit = { method: tool.method, headers }
    if (body !== undefined) {
      headers['content-type'] = 'application/json'
      init.body = JSON.stringify(body)
    }
    const at = tool.places.path.reduce(
      (done, name) => done.replace(`{${name}}`, () => encodeURIComponent(path[name] ?? '')),
      tool.path,
    )
    const asked =
      query.length > 0 ? `?${new URLSearchParams(query.map(([name, text]): [string, string] => [name, text]))}` : ''
    return ask(`${this.url}${at}${asked}`, init, signal)
  }
}
