import * as v from 'valibot'
import { EngineError } from '../../core/errors.ts'
import type { ForeignAnswer, ForeignApi, ForeignProblem, ForeignRequest, OurApi } from '../../core/ports/foreign-api.ts'
import type { Json, JsonObject } from '../../core/values/json.ts'
import { problemBody, toProblem } from '../http/errors.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { version } from '../version.ts'
import { problemResult, resultOf } from './answer.ts'
import { ArgumentProblem, placed } from './arguments.ts'
import { type Choice, instructions, type Offer, offered, UnknownChoice } from './choice.ts'
import type { ApiTool } from './tools.ts'

/** The versions of the protocol that are spoken here, the newest first. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

/** The codes of errors (JSON-RPC 2.0, section 5.1). */
const INVALID_REQUEST = -32600
const UNKNOWN_METHOD = -32601
const INVALID_PARAMS = -32602
const INTERNAL = -32603

/** A mail with pictures fits. */
const BODY_LIMIT = 5 * 1024 * 1024

const Message = v.looseObject({
  jsonrpc: v.literal('2.0'),
  id: v.optional(v.union([v.string(), v.number()])),
  method: v.string(),
  params: v.optional(v.looseObject({})),
})

const Call = v.looseObject({ name: v.string(), arguments: v.optional(v.record(v.string(), v.any())) })

/**
 * The tools of `mailwright mcp` over HTTP: MCP's "Streamable HTTP" without sessions, so that any of several servers answers
 * (modelcontextprotocol.io, revision 2025-11-25, "Transports"). Each message is a request with a key, and its answer JSON;
 * nothing is sent by itself, so there is no stream to open. The official SDK would bring Express and its own HTTP.
 */
export function mcp(document: () => OpenApiDocument): ForeignApi {
  return {
    service: 'MCP',
    takesTokens: true,
    absent: [],
    endpoints: [
      {
        method: 'POST',
        path: '',
        methods: [],
        body: 'json',
        bodyLimit: BODY_LIMIT,
        keepsKey: true,
        answer: (request, ours) => answered(document(), request, ours),
      },
    ],
    keyOf: ({ authorization = '' }) => /^bearer +(\S.*)$/i.exec(authorization)?.[1],
    refusal,
  }
}

async function answered(document: OpenApiDocument, request: ForeignRequest, ours: OurApi): Promise<ForeignAnswer> {
  const refused = refusedHeaders(request)
  if (refused !== undefined) return { status: 400, body: failed(null, INVALID_REQUEST, refused) }
  const read = v.safeParse(Message, request.body)
  if (!read.success) {
    // an answer of the client to us, which asks nothing of it
    if (isAnswer(request.body)) return { status: 202 }
    const words = Array.isArray(request.body)
      ? 'one message a request, not a list of them'
      : 'a message of JSON-RPC 2.0: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    return { status: 400, body: failed(null, INVALID_REQUEST, `The body must be ${words}.`) }
  }
  const { id, method, params = {} } = read.output
  if (id === undefined) return { status: 202 }
  const answer = (result: object) => ({ status: 200, body: { jsonrpc: '2.0', id, result } })
  if (method === 'ping') return answer({})
  const offer = offerOf(document, request.query, request.scopes)
  if (typeof offer === 'string') return { status: 200, body: failed(id, INVALID_PARAMS, offer) }
  if (method === 'initialize') return answer(initialized(request, params, offer))
  if (method === 'tools/list') return answer({ tools: [...offer.tools.values()].map(listed) })
  if (method !== 'tools/call') {
    return { status: 200, body: failed(id, UNKNOWN_METHOD, `There is no method ${method.slice(0, 100)} here.`) }
  }
  const call = v.safeParse(Call, params)
  if (!call.success) return { status: 200, body: failed(id, INVALID_PARAMS, 'params: must have the name of a tool.') }
  return answer(await called(offer, call.output, request, ours))
}

/** The reason that the header fields of a message are refused; undefined: they are right. */
function refusedHeaders({ headers, url }: ForeignRequest): string | undefined {
  const { origin, 'mcp-protocol-version': spoken } = headers
  // a page of another site has no key, but the protocol asks for this, too
  if (origin !== undefined && origin !== new URL(url).origin)
    return `Origin: pages of ${origin.slice(0, 200)} may not call this server.`
  if (spoken === undefined || VERSIONS.some((each) => each === spoken)) return undefined
  return `MCP-Protocol-Version: must be ${VERSIONS.join(', ')}, or be left out.`
}

/** Which tools the address names: `/mcp?only=inboxes,sendMail&readOnly=true`. Answers the reason when it cannot be read. */
function offerOf(document: OpenApiDocument, query: URLSearchParams, scopes: readonly string[]): Offer | string {
  const wrong = [...query.keys()].find((name) => name !== 'only' && name !== 'readOnly')
  if (wrong !== undefined) return `${wrong.slice(0, 100)}: the address takes only and readOnly.`
  const readOnly = query.get('readOnly') ?? 'false'
  if (readOnly !== 'true' && readOnly !== 'false') return 'readOnly: must be true or false.'
  const only = query
    .get('only')
    ?.split(',')
    .map((name) => name.trim())
  const choice: Choice = { only, readOnly: readOnly === 'true' }
  try {
    const { tools, left } = offered(document, scopes, choice)
    return { tools: new Map([...tools].filter(([, tool]) => tool.isJson)), left }
  } catch (error) {
    if (error instanceof UnknownChoice) return `only: ${error.message}.`
    throw error
  }
}

function initialized({ project }: ForeignRequest, params: object, { left }: Offer) {
  const asked = 'protocolVersion' in params ? params.protocolVersion : undefined
  return {
    protocolVersion: VERSIONS.find((each) => each === asked) ?? VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'mailwright', version: version() },
    instructions: instructions(project.id, left, 'the operator can add them to the address: ?only=all'),
  }
}

function listed({ name, description, inputSchema, annotations }: ApiTool) {
  return { name, description, inputSchema, annotations }
}

/** Errors that the model can mend are the result of the tool; of others the request fails. */
async function called(
  { tools }: Offer,
  { name, arguments: given = {} }: v.InferOutput<typeof Call>,
  { now }: ForeignRequest,
  ours: OurApi,
) {
  const tool = tools.get(name)
  if (!tool) return problemResult(`There is no tool ${name.slice(0, 100)}, or the key does not allow it.`)
  try {
    const { path, query, header, body } = placed(tool, given)
    const { 'Idempotency-Key': idempotencyKey } = header
    const answer = await ours.call(name, {
      path,
      query: Object.fromEntries(query),
      ...(body === undefined ? {} : { body: body as JsonObject }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    })
    const text = Object.keys(answer).length === 0 ? '' : JSON.stringify(answer)
    return resultOf(tool, { status: text === '' ? 204 : 200, text, isCut: false })
  } catch (error) {
    if (error instanceof ArgumentProblem) return problemResult(error.message)
    const problem = toProblem(error)
    if (!EngineError.is(error) || problem.status >= 500) throw error
    const text = JSON.stringify(problemBody(problem, { flat: false, now }))
    return resultOf(tool, { status: problem.status, text, isCut: false })
  }
}

function failed(id: string | number | null, code: number, message: string) {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

function isAnswer(body: ForeignRequest['body']): boolean {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && ('result' in body || 'error' in body)
}

/** A request that never became a call: its status says what clients look at first, such as 401. */
function refusal({ status, message, suggestion }: ForeignProblem): ForeignAnswer {
  const text = suggestion === undefined ? message : `${message} ${suggestion}`
  return { status, body: failed(null, status < 500 ? INVALID_REQUEST : INTERNAL, text) satisfies Json | object }
}
