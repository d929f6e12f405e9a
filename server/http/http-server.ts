import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type H3, toNodeHandler as handlerOf } from 'h3'
import type { Log } from '../../core/ports/log.ts'
import { type ConnectionLimits, limitConnections } from './connections.ts'

/** Longer than the 60 s after which most load balancers drop an idle connection, so that we do not cut it first. */
const KEEP_ALIVE_MS = 65_000

/** Connections are checked for time-outs at least this often. */
const CHECK_EVERY_MS = 5_000

/** Limits for clients: times in seconds, and connections. */
export interface ClientLimits extends ConnectionLimits {
  /** For a request's header fields. Default 15. */
  readonly headersTimeout?: number
  /** For a whole request. Default 300. */
  readonly requestTimeout?: number
}

export interface ListenOptions extends ClientLimits {
  readonly host: string
  readonly port: number
}

/** An app listening on a TCP port. */
export interface HttpServer {
  readonly url: string
  /**
   * Takes no new connections, answers the requests under way, and closes. Connections still
   * open after `graceMs` are cut.
   */
  close(graceMs: number): Promise<void>
}

/** An app that answers web requests. It is an `H3` of h3, whose types a program that mounts it need not have. */
export interface App {
  fetch(request: Request): Response | Promise<Response>
  /** As `fetch`, of a path or a URL. */
  request(request: Request | URL | string, init?: RequestInit): Response | Promise<Response>
}

/** The app as a handler for `node:http` and Express. */
export function toNodeHandler(app: App): (request: IncomingMessage, response: ServerResponse) => unknown {
  const handler = handlerOf(app as H3)
  return (request, response) => {
    for (const [name, plain] of Object.entries(PLAIN)) {
      // a method of its own is one of a middleware before this one
      if (Object.hasOwn(response, name)) Object.assign(response, { [name]: plain(response) })
    }
    return handler(request, response)
  }
}

/**
 * Middlewares such as express-session and compression replace methods of the response by ones that take less than those of
 * Node: an `end` without a function, a `writeHead` without a flat list of fields (on-headers before 1.1). h3 uses both.
 */
const PLAIN = {
  end(response: ServerResponse) {
    const { end } = response
    return (...given: readonly unknown[]) => {
      const done = given.find((each) => typeof each === 'function') as (() => void) | undefined
      // an answer that is cut off never finishes
      if (done) for (const event of ['finish', 'close']) response.once(event, done)
      return Reflect.apply(
        end,
        response,
        given.filter((each) => each !== done),
      )
    }
  },
  writeHead(response: ServerResponse) {
    const { writeHead } = response
    return (status: number, ...more: readonly unknown[]) => {
      const fields = more.at(-1)
      if (!Array.isArray(fields)) return Reflect.apply(writeHead, response, [status, ...more])
      const names = fields.filter((_, i) => i % 2 === 0)
      for (const name of names) response.removeHeader(name)
      for (const [i, name] of names.entries()) response.appendHeader(name, fields[2 * i + 1])
      return Reflect.apply(writeHead, response, [status, ...more.slice(0, -1).filter((text) => text)])
    }
  },
}

/** Serves the app on a port; 0 takes a free one. Rejects with the system's error when it cannot listen. */
export async function listen(app: App, { host, port, ...limits }: ListenOptions, log: Log): Promise<HttpServer> {
  const answering = new Set<ServerResponse>()
  const times = { keepAliveTimeout: KEEP_ALIVE_MS, ...requestTimes(limits) }
  const server = createServer(times, safely(toNodeHandler(app), log))
  limitConnections(server, limits, log)
  server.prependListener('request', (_request, response: ServerResponse) => {
    if (!server.listening) response.shouldKeepAlive = false
    answering.add(response)
    response.once('close', () => answering.delete(response))
  })
  server.listen(port, host)
  await once(server, 'listening')
  // a connection that cannot be taken, as when files run out, must not end the process
  server.on('error', (error) => log.warn('a connection could not be taken', { error }))
  return {
    url: urlOf(server.address() as AddressInfo),
    async close(graceMs) {
      const closed = shut(server)
      for (const response of answering) response.shouldKeepAlive = false
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(timer)
    },
  }
}

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/** No request, however odd, may end the process. */
function safely(handler: Listener, log: Log) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await handler(request, response)
    } catch (error) {
      log.error('a request failed before it was understood', { error })
      if (!response.headersSent) response.writeHead(500)
      response.end()
    }
  }
}

/** Node itself cuts off slow clients, with 408. */
function requestTimes({ headersTimeout = 15, requestTimeout = 300 }: ClientLimits) {
  const request = requestTimeout * 1000
  // Node refuses a longer time for the fields than for the whole request
  const headers = Math.min(headersTimeout * 1000, request)
  const connectionsCheckingInterval = Math.min(CHECK_EVERY_MS, Math.ceil(headers / 4))
  return { headersTimeout: headers, requestTimeout: request, connectionsCheckingInterval }
}

function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

/** The address as a URL to call from this machine. */
function urlOf({ address, family, port }: AddressInfo): string {
  const anywhere = address === '0.0.0.0' || address === '::'
  const host = anywhere ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
  return `http://${host}:${port}`
}
