import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type GarbledAnswer, writeGarbled } from '../contracts/garbled-answers.ts'
import { type SigningScope, signatureProblem } from './sigv4.ts'

/** A mail as Amazon receives it. */
export interface SesMail {
  readonly messageId: string
  readonly raw: Buffer
  readonly to: readonly string[]
  readonly from: string
  readonly configurationSet: string | undefined
  readonly feedback: string | undefined
  readonly tags: Readonly<Record<string, string>>
}

/** An error answer: its status, name and message. */
export interface SesError {
  readonly status: number
  readonly name: string
  readonly message: string
}

/**
 * Another end of a request: the connection is cut before or after the mail was taken, there is no
 * answer, or that of a gateway.
 */
export type SesFate = 'cut' | 'take and cut' | 'take and hang' | 'bad gateway'

export interface FakeSes {
  readonly endpoint: string
  readonly port: number
  readonly mails: readonly SesMail[]
  /** `METHOD /path` of every request with a valid signature. */
  readonly requests: readonly string[]
  /** How many requests had an invalid one. */
  readonly refused: number
  /** The answer of `GetAccount`. */
  account: Record<string, unknown>
  /** The fates of the next mails, one each; all after them succeed. */
  next(...ends: (SesError | SesFate)[]): void
  /** From now on mails are taken, and answered so. */
  garble(answer: GarbledAnswer): void
  /** Answers this to every request of the operation; undefined ends it. */
  always(operation: string, error: SesError | undefined): void
  close(): Promise<void>
}

/** The key whose signatures are valid. */
export const SES_KEY = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
export const SES_REGION = 'eu-central-1'

type Answer = { readonly status: number; readonly body: unknown; readonly name?: string }
/** Answers a request of the API; undefined for any other request. */
export type SesRoute = (method: string, path: string, body: Record<string, unknown>) => Answer | undefined

const QUOTA = { Max24HourSend: 50_000, MaxSendRate: 5_000, SentLast24Hours: 12 }

/**
 * A fake Amazon SES (API v2) on a free port of this machine, as far as mail needs it. Every signature is computed
 * again; a wrong one gets 403.
 */
export async function startFakeSes(
  more: SesRoute = () => undefined,
  taken: (mail: SesMail) => void = () => {},
): Promise<FakeSes> {
  const mails: SesMail[] = []
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const ends: (SesError | SesFate)[] = []
  let garbled: GarbledAnswer | undefined
  const permanent = new Map<string, SesError>()
  const scope: SigningScope = { ...SES_KEY, region: SES_REGION, service: 'ses' }

  const fake = {
    account: { SendQuota: QUOTA, SendingEnabled: true, ProductionAccessEnabled: true, EnforcementStatus: 'HEALTHY' },
    refused: 0,
  }
  const sent = (body: Record<string, unknown>): Answer => {
    const mail = mailOf(body, mails.length)
    if (typeof mail === 'string') return errorOf({ status: 400, name: 'BadRequestException', message: mail })
    mails.push(mail)
    taken(mail)
    return { status: 200, body: { MessageId: mail.messageId } }
  }
  const answerTo = (method: string, path: string, body: Record<string, unknown>): Answer => {
    const operation = `${method} ${path}`
    requests.push(operation)
    const error = permanent.get(operation)
    if (error) return errorOf(error)
    if (operation === 'GET /v2/email/account') return { status: 200, body: fake.account }
    if (operation === 'POST /v2/email/outbound-emails') return sent(body)
    return more(method, path, body) ?? errorOf({ status: 404, name: 'NotFoundException', message: `No ${operation}` })
  }
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request)
    const signed = { method: request.method ?? '', target: request.url ?? '', headers: fieldsOf(request), body }
    const problem = signatureProblem(signed, scope, new Date())
    if (problem !== undefined) {
      fake.refused++
      const message = 'The request signature we calculated does not match the signature you provided.'
      return void reply(response, errorOf({ status: 403, name: problem, message }))
    }
    const path = decodeURIComponent(signed.target)
    const given = body.length === 0 ? {} : JSON.parse(body.toString())
    const end = path === '/v2/email/outbound-emails' ? ends.shift() : undefined
    if (typeof end === 'object') return void reply(response, errorOf(end))
    if (end === 'cut') return void request.socket.destroy()
    if (end === 'bad gateway') return void response.writeHead(502, HTML).end('<html>502 Bad Gateway</html>')
    const answer = answerTo(signed.method, path, given)
    if (end === 'take and hang') return
    if (garbled && path === '/v2/email/outbound-emails') return writeGarbled(response, garbled)
    if (end === 'take and cut') return void request.socket.destroy()
    reply(response, answer)
  }
  const server = createServer((request, response) => void handle(request, response).catch(() => request.destroy()))
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(fake, {
    ...{ endpoint: `http://127.0.0.1:${port}`, port, mails, requests },
    next: (...given: (SesError | SesFate)[]) => void ends.push(...given),
    garble: (answer: GarbledAnswer) => {
      garbled = answer
    },
    always: (operation: string, error: SesError | undefined) =>
      void (error ? permanent.set(operation, error) : permanent.delete(operation)),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      if (server.listening) await new Promise((done) => server.close(done))
    },
  })
}

const HTML = { 'content-type': 'text/html' }
const ADDRESS = /^[\x21-\x7e]+@[A-Za-z0-9.-]+$/

/** The mail a request describes, or what Amazon would say is wrong with it. */
function mailOf(body: Record<string, unknown>, count: number): SesMail | string {
  const content = body.Content as { readonly Raw?: { readonly Data?: string } } | undefined
  const destination = (body.Destination ?? {}) as Record<string, readonly string[] | undefined>
  const to = ['ToAddresses', 'CcAddresses', 'BccAddresses'].flatMap((kind) => destination[kind] ?? [])
  const tags = (body.EmailTags ?? []) as readonly { readonly Name: string; readonly Value: string }[]
  const raw = Buffer.from(content?.Raw?.Data ?? '', 'base64')
  if (raw.length === 0) return 'The raw message is empty'
  if (to.length === 0 || to.length > 50) return `Recipient count must be between 1 and 50: ${to.length}`
  const bad = [...to, String(body.FromEmailAddress)].find((address) => !ADDRESS.test(address))
  if (bad !== undefined) return `Illegal address: ${bad}`
  if (tags.some(({ Name, Value }) => !/^[\w-]{1,256}$/.test(Name) || !/^[\w.@-]{1,256}$/.test(Value))) return 'Bad tag'
  return {
    messageId: `0102018c${String(count).padStart(8, '0')}-5f3c-000000`,
    ...{ raw, to, from: String(body.FromEmailAddress) },
    configurationSet: textOf(body.ConfigurationSetName),
    feedback: textOf(body.FeedbackForwardingEmailAddress),
    tags: Object.fromEntries(tags.map(({ Name, Value }) => [Name, Value])),
  }
}

function textOf(given: unknown): string | undefined {
  return typeof given === 'string' ? given : undefined
}

/** In the SES v2 protocol (REST, JSON), a header field names the error. */
function errorOf({ status, name, message }: SesError): Answer {
  return { status, name, body: { message } }
}

function reply(response: ServerResponse, { status, body, name }: Answer): void {
  const fields = { 'content-type': 'application/json', ...(name === undefined ? {} : { 'x-amzn-errortype': name }) }
  response.writeHead(status, fields).end(JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function fieldsOf({ rawHeaders }: IncomingMessage): readonly (readonly [string, string])[] {
  return rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? ''] as const] : []))
}
