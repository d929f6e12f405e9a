import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { onTestFinished } from 'vitest'

/** A request as a customer's server received it. */
export interface Received {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The header `webhook-id`. */
  readonly id: string
}

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly requests: readonly Received[]
  /** Verifies every request so far with the published library, and throws its errors. Answers the bodies. */
  verify(secret: string): readonly unknown[]
  close(): Promise<void>
}

/**
 * A customer's server. `handle` answers a request; `count` is its index in the order of arrival (from 0). It is closed
 * when the test ends.
 */
export async function startReceiver(
  handle: (request: Received, response: ServerResponse, count: number) => void = (_request, response) =>
    void response.end('ok'),
  { at = '127.0.0.1', port = 0 }: { at?: string; port?: number } = {},
): Promise<Receiver> {
  const requests: Received[] = []
  const server = createServer(async (request, response) => {
    response.on('error', () => {})
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method, url: path, headers } = request
    const body = Buffer.concat(chunks).toString()
    const received = { method, path, headers, body, id: String(headers['webhook-id']) }
    requests.push(received)
    handle(received, response, requests.length - 1)
  })
  server.listen(port, at)
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise((done) => server.close(done))
  }
  onTestFinished(close)
  const bound = (server.address() as AddressInfo).port
  const verify = (secret: string) => {
    const webhook = new Webhook(secret)
    return requests.map(({ body, headers }) => webhook.verify(body, headers as Record<string, string>))
  }
  return { url: `http://${at}:${bound}/hook`, port: bound, requests, verify, close }
}
