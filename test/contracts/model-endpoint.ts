import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A request as the endpoint got it. */
export interface ModelRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body as JSON. */
  readonly body: { readonly [key: string]: unknown; readonly messages: readonly { role: string; content: string }[] }
}

/** The ways in which an endpoint fails. */
type Failure = 'silence' | 'garbage' | 'endless' | 'error' | 'broken'

/** An endpoint of chat completions on this machine, whose answers a test sets. */
export interface ModelEndpoint {
  /** Its base address, such as `http://127.0.0.1:4711/v1`. */
  readonly url: string
  /** The requests that came, in their order. */
  readonly requests: readonly ModelRequest[]
  /** How the next requests are answered. By default they are answered with `ok`, as a stream. */
  behave(how: (response: ServerResponse, request: ModelRequest) => unknown): void
  /** Answers with this text as a stream in pieces of so many characters, and with so many tokens. */
  answer(text: string, tokens?: number): void
  /** Answers with nothing, garbage, more and more for ever, an error that names `secret`, or a part that breaks off. */
  fail(how: Failure, secret: string): void
  close(): Promise<void>
}

/** Starts one. */
export async function startModelEndpoint(): Promise<ModelEndpoint> {
  const requests: ModelRequest[] = []
  const sockets = new Set<Socket>()
  let how: (response: ServerResponse, request: ModelRequest) => unknown = (response) => streamText(response, 'ok', 3)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}')
    const got = { path: request.url ?? '', headers: request.headers, body }
    requests.push(got)
    response.on('error', () => {})
    await how(response, got)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    behave(next) {
      how = next
    },
    answer(text, tokens) {
      how = (response) => streamText(response, text, tokens)
    },
    fail(failure, secret) {
      how = (response) => {
        if (failure === 'silence') return
        if (failure === 'error') return response.writeHead(500).end(`wrong: ${secret}`)
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        if (failure === 'garbage') return response.end('data: {"choices": [{"del\n\n')
        const piece = `data: {"choices":[{"delta":{"content":"${'a'.repeat(900)}"}}]}\n\n`
        if (failure === 'broken') return response.write(piece, () => response.destroy())
        const more = () => {
          while (!response.destroyed && response.write(piece));
          response.once('drain', more)
        }
        more()
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Writes a text as such endpoints stream it: in pieces, cut anywhere, with the usage at the end. */
export function streamText(response: ServerResponse, text: string, tokens?: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  response.write(': a comment\n\n')
  const pieces = text.match(/[\s\S]{1,7}/g) ?? []
  const events: object[] = [
    { choices: [{ delta: { role: 'assistant' }, finish_reason: null }] },
    ...pieces.map((content) => ({ choices: [{ delta: { content }, finish_reason: null }] })),
    { choices: [{ delta: {}, finish_reason: 'stop' }] },
    ...(tokens === undefined ? [] : [{ choices: [], usage: { total_tokens: tokens } }]),
  ]
  const bytes = Buffer.from(`${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`)
  // also in the middle of a character
  for (let at = 0; at < bytes.length; at += 61) response.write(bytes.subarray(at, at + 61))
  response.end()
}
