import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'

/** A request as it arrived. */
interface Arrived {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** The address it was sent to. */
  readonly at: string | undefined
}

export type Handle = (request: Arrived, response: ServerResponse, base: string) => void

/** A server on loopback that notes what arrives, and answers it by `handle`. */
export async function startWebServer(handle: Handle, at = '127.0.0.1', port = 0) {
  const arrived: Arrived[] = []
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method, url: path, headers } = request
    const seen = { method, path, headers, body: Buffer.concat(chunks).toString(), at: request.socket.localAddress }
    arrived.push(seen)
    handle(seen, response, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
  server.listen(port, at)
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port
  const close = async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
  return { arrived, port: bound, base: `http://${at}:${bound}`, close }
}

/** The answers to a name's questions, one after the other, the last one for ever; none at all is a failure. */
export type Names = Readonly<Record<string, readonly (readonly string[])[]>>

/** Answers questions for these names alone. */
export function resolver(names: Names): DnsResolver {
  const turns = new Map<string, number>()
  const answer = async (name: string, isWanted: (address: string) => boolean) => {
    const answers = names[name.replace(/\.$/, '')]
    if (answers === undefined) return []
    if (answers.length === 0) throw new Error('SERVFAIL')
    const key = `${name} ${isWanted(':')}`
    const turn = turns.get(key) ?? 0
    turns.set(key, turn + 1)
    return (answers[turn] ?? answers.at(-1) ?? []).filter(isWanted)
  }
  const none = async () => []
  return {
    mx: none,
    txt: none,
    ns: none,
    cname: none,
    ipv4: (name) => answer(name, (address) => !address.includes(':')),
    ptr: async () => [],
    ipv6: (name) => answer(name, (address) => address.includes(':')),
  }
}

/** Sends a byte now and then, for ever. */
export function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), 20)
  response.once('close', () => clearInterval(timer))
}
