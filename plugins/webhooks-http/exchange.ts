import { type IncomingHttpHeaders, type IncomingMessage, request as makeRequest } from 'node:http'
import type { Socket } from 'node:net'
import type { WebhookAnswer, WebhookRequest } from '../../core/ports/webhook-sender.ts'
import { type Hop, nextHop } from './hop.ts'
import type { Limit } from './limit.ts'
import { failure, NoAnswer } from './no-answer.ts'

type Answered = Extract<WebhookAnswer, { outcome: 'answered' }>

/** The response to one hop: an answer, or a redirect that is followed. */
type Response = Answered | { readonly outcome: 'redirect'; readonly to: Hop }

const MAX_BODY_BYTES = 64 * 1024
const MAX_HEADER_BYTES = 16 * 1024

/**
 * Makes one HTTP/1.1 request over its own socket, which is closed afterwards. The first 64 KB of the body are read as
 * they come, without decompression. Throws NoAnswer `failed` when no whole response arrives, `forbidden` when a
 * redirect must not be followed.
 */
export async function exchange(
  socket: Socket,
  hop: Hop,
  limit: Limit,
  { redirect = 'whole', document }: Pick<WebhookRequest, 'redirect' | 'document'>,
): Promise<Response> {
  try {
    const response = await limit.within(ask(socket, hop))
    const { statusCode: status = 0, headers } = response
    const { location } = headers
    const to = location === undefined ? undefined : nextHop(hop, status, location, redirect)
    if (to !== undefined) return { outcome: 'redirect', to }
    const body = await limit.within(document ? readDocument(response, document) : readBody(response)).catch((error) => {
      throw new NoAnswer(
        'failed',
        `the answer with status ${status} was not complete: ${failure(error).message}`,
        status,
      )
    })
    const leadsTo = status >= 300 && status < 400 && location ? URL.parse(location, hop.url.href)?.href : undefined
    return {
      outcome: 'answered',
      status,
      headers: inOne(headers),
      body,
      ...(leadsTo === undefined ? {} : { leadsTo }),
    }
  } catch (error) {
    throw failure(error)
  } finally {
    socket.destroy()
  }
}

/** Sends the request, and answers the response once its header is there. */
function ask(socket: Socket, { url, method, headers, body }: Hop): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = makeRequest({
      createConnection: () => socket,
      method,
      path: `${url.pathname}${url.search}`,
      setHost: false,
      headers: {
        host: url.host,
        ...headers,
        'accept-encoding': 'identity',
        connection: 'close',
        ...(body === undefined && (method === 'GET' || method === 'HEAD')
          ? {}
          : { 'content-length': Buffer.byteLength(body ?? '') }),
      },
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    })
    request.once('response', resolve)
    request.on('error', reject)
    request.once('close', () => reject(new Error('the connection was closed without an answer')))
    // as bytes: with a string, Node would write the header fields in its encoding, but they are Latin-1
    request.end(body === undefined ? undefined : Buffer.from(body))
  })
}

/** The first 64 KB as text. NUL, which no database accepts, becomes the replacement character. */
function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    const text = () => {
      const bytes = Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES)
      // a character cut in two at the end is left out
      return new TextDecoder().decode(bytes, { stream: size > MAX_BODY_BYTES }).replaceAll('\0', '\ufffd')
    }
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size <= MAX_BODY_BYTES) return
      response.destroy()
      resolve(text())
    })
    response.once('end', () => resolve(text()))
    response.on('error', reject)
    response.once('close', () => reject(new Error('the connection was closed')))
  })
}

/**
 * The whole body in Base64, or in the encoding that its header or its XML declaration names, UTF-8 without one or for an
 * unknown one.
 */
async function readDocument(
  response: IncomingMessage,
  { maxBytes, asBase64 }: NonNullable<WebhookRequest['document']>,
): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`)
  }
  const bytes = Buffer.concat(chunks)
  if (asBase64) return bytes.toString('base64')
  const declared = /^\s*<\?xml[^>]*\sencoding=["']([\w.:-]{1,40})["']/.exec(
    bytes.subarray(0, 200).toString('latin1'),
  )?.[1]
  const named = /;\s*charset="?([\w.:-]{1,40})/i.exec(response.headers['content-type'] ?? '')?.[1]
  return decoded(bytes, named ?? declared).replaceAll('\0', '\ufffd')
}

function decoded(bytes: Buffer, encoding = 'utf-8'): string {
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

function inOne(headers: IncomingHttpHeaders): Record<string, string> {
  const fields = Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')] as const)
  return Object.fromEntries(fields)
}
