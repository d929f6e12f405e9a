import { once } from 'node:events'
import { createServer, type Server } from 'node:http'

interface Told {
  readonly type: string
  readonly data: { readonly eventId: string; readonly contact?: { readonly email: string } }
}

/** A customer's server that webhooks go to. It keeps who each kind of event was about, by the event's id. */
export class Listener {
  readonly told = new Map<string, Map<string, string>>()
  /** How many requests came, repeats included. */
  requests = 0
  #server: Server | undefined

  /** Answers the URL to register. */
  async start(): Promise<string> {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      this.#note(JSON.parse(Buffer.concat(chunks).toString()) as Told)
      response.end('ok')
    }).listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hook`
  }

  /** The addresses that events of this kind were about. */
  people(type: string): ReadonlySet<string> {
    return new Set(this.told.get(type)?.values())
  }

  stop(): void {
    this.#server?.closeAllConnections()
    this.#server?.close()
  }

  #note({ type, data }: Told): void {
    this.requests++
    const known = this.told.get(type) ?? new Map<string, string>()
    this.told.set(type, known.set(data.eventId, data.contact?.email ?? ''))
  }
}
