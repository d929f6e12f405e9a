import { type ServerProcess, startServerProcess } from '../support/server-process.ts'

/** The key of the project of these servers. */
export const SECRET = `sk_${'c'.repeat(48)}`

/** The processes, one after the other, over one folder. */
export class Life {
  readonly output: string[] = []
  readonly #folder: string
  readonly #config: object
  #server: ServerProcess | undefined

  constructor(folder: string, config: object) {
    this.#folder = folder
    this.#config = config
  }

  async begin(): Promise<void> {
    this.#server = await startServerProcess(this.#folder, this.#config)
  }

  /** Where the process of now answers. */
  get url(): string {
    return this.#server?.url ?? ''
  }

  /** By SIGKILL. */
  async end(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    await server.kill()
    this.output.push(server.output())
  }

  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  async ask(method: string, path: string, body?: object | FormData): Promise<{ status: number; body: any }> {
    const isForm = body instanceof FormData
    const headers = { authorization: `Bearer ${SECRET}`, ...(isForm ? {} : { 'content-type': 'application/json' }) }
    const sent = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }
    const response = await fetch(`${this.#server?.url}${path}`, { method, headers, ...sent })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}
