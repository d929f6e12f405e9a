import { beforeAll, expect, it } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import type {
  ForeignAnswer,
  ForeignApi,
  ForeignEndpoint,
  ForeignProblem,
  ForeignRequest,
  OurApi,
  OurInput,
} from '../../core/ports/foreign-api.ts'
import type { JsonObject } from '../../core/values/json.ts'

/** The subject of the contract: one foreign API. */
export interface ForeignApiSubject {
  readonly api: ForeignApi
  /** The header fields, by lower-case names, in which the service's clients send this key. */
  keyHeaders(key: string): Readonly<Record<string, string>>
  /**
   * The request by which a client of the service sends a mail from `hello@example.com` to `to` with this subject and this
   * text, as its endpoint gets it.
   */
  sends(mail: {
    readonly to: string
    readonly subject: string
    readonly text: string
  }): Pick<ForeignRequest, 'body'> & { readonly method: string; readonly path: string }
  /** Our answer to a call that it makes before it sends, such as for suppressed addresses; undefined: it sends now. */
  before?(operation: string): JsonObject | undefined
}

const KEY = `sk_${'a'.repeat(48)}`
const NOW = new Date('2026-03-14T15:09:26Z')

/** Bodies that no client of a service would send. */
const HOSTILE: readonly (readonly [name: string, body: ForeignRequest['body']])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 1],
  ['a text', 'text'],
  ['a list of nulls', [null, null]],
  ['an object of wrong types', { to: 1, from: {}, subject: [], html: true, text: null, attachments: 'x', headers: 3 }],
  ['capitals of wrong types', { To: 1, From: {}, Subject: [], HtmlBody: true, TextBody: null, Attachments: 'x' }],
  ['parts of a form without a sense', [{ name: '__proto__', value: 'x' }]],
  ['names of prototypes', { constructor: 'x', toString: 'x', hasOwnProperty: 'x' }],
]

/** Refusals of a key or of too many requests, which the service words in its own way. */
const UNTOLD: ReadonlySet<string> = new Set(['MISSING_AUTH', 'INVALID_API_KEY', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'])

/** Thrown by the API that the contract gives, in place of an answer. */
class Called extends Error {}

/** The promises of every foreign API. */
export function foreignApiContract(setup: () => Promise<ForeignApiSubject>) {
  let subject: ForeignApiSubject
  beforeAll(async () => {
    subject = await setup()
  })

  const requestOf = (given: Partial<ForeignRequest>): ForeignRequest => ({
    params: {},
    query: new URLSearchParams(),
    headers: {},
    body: undefined,
    project: { id: '01900000-0000-7000-8000-00000000aaaa', name: 'Test' },
    scopes: ['full'],
    now: NOW,
    url: 'https://mail.example.com/compat/test',
    api: 'test',
    ...given,
  })

  it('finds the key where clients send it, and none where there is none', () => {
    const { api } = subject
    expect(api.keyOf(subject.keyHeaders(KEY))).toBe(KEY)
    expect(api.keyOf({})).toBeUndefined()
    for (const authorization of ['', 'x', 'Bearer', 'Bearer ', 'Basic', 'Basic %%%', 'Basic eA==', 'Digest a="b"']) {
      expect(api.keyOf({ authorization }) || undefined).toBeUndefined()
    }
  })

  it('names each path once, and no method of the package as here and as absent', () => {
    const { endpoints, absent } = subject.api
    const all = [...endpoints, ...absent]
    expect(endpoints.length).toBeGreaterThan(0)
    for (const { path } of all) expect(path).toMatch(/^\/(?:[\w.~:@-]+|\*\*)(?:\/(?:[\w.~:@-]+|\*\*))*$/)
    const here = new Set(endpoints.flatMap((each) => each.methods))
    expect(absent.flatMap((each) => each.methods).filter((each) => here.has(each))).toEqual([])
    const paths = endpoints.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`)
    expect(paths.filter((each, at) => paths.indexOf(each) < at)).toEqual([])
    for (const { reason } of absent) expect(reason).toMatch(/\S \S/)
    for (const { difference } of endpoints) if (difference !== undefined) expect(difference).toMatch(/\S \S/)
  })

  it('writes every error as one, with its sentence or its fields', () => {
    const errors: readonly (readonly [number, string])[] = [
      [400, 'BAD_REQUEST'],
      [401, 'MISSING_AUTH'],
      [401, 'INVALID_API_KEY'],
      [403, 'FORBIDDEN'],
      [403, 'DOMAIN_NOT_VERIFIED'],
      [404, 'RESOURCE_NOT_FOUND'],
      [405, 'METHOD_NOT_ALLOWED'],
      [409, 'CONFLICT'],
      [413, 'PAYLOAD_TOO_LARGE'],
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
      [422, 'VALIDATION_ERROR'],
      [429, 'RATE_LIMIT_EXCEEDED'],
      [500, 'INTERNAL_SERVER_ERROR'],
      [503, 'SERVICE_UNAVAILABLE'],
      [422, 'A_CODE_OF_LATER'],
    ]
    for (const [status, code] of errors) {
      for (const fields of [[], [{ field: 'subject', code: 'required', message: 'is required' }]]) {
        const problem: ForeignProblem = {
          status,
          code,
          message: `Sentence of ${code}.`,
          fields,
          requestId: 'request-1',
        }
        const answer = subject.api.refusal(problem)
        expect(answer.status, code).toBeGreaterThanOrEqual(400)
        expect(answer.status, code).toBeLessThan(600)
        // a server that is away must not look like a wrong request, or clients give up what they should try again
        if (status >= 500) expect(answer.status, code).toBeGreaterThanOrEqual(500)
        else expect(answer.status, code).toBeLessThan(500)
        const said = JSON.stringify(answer.body)
        if (status !== 500 && !UNTOLD.has(code))
          expect(said, code).toMatch(fields.length === 0 ? /Sentence of/ : /subject|Sentence of/)
      }
    }
  })

  it('sends a text as it stands, to its recipient, by our own endpoint', async () => {
    const text = 'Hi {{ name }}, {% if x %}\n100 % ünïcode'
    const { method, path, body } = subject.sends({ to: 'ada@example.org', subject: 'Hi {{ name }}', text })
    const endpoint = endpointOf(subject.api, method, path)
    const calls: (readonly [string, OurInput])[] = []
    await answerOf(endpoint, requestOf({ body }), async (operation, input = {}) => {
      calls.push([operation, input])
      const answer = subject.before?.(operation)
      if (answer === undefined) throw new Called()
      return answer
    })
    const said = calls.flatMap(([, input]) => [JSON.stringify(input)]).join('\n')
    expect(said).toContain('ada@example.org')
    expect(said).toContain(JSON.stringify(text).slice(1, -1))
    // what looks like a placeholder means nothing to the service's clients
    expect(said).toContain('"placeholders":false')
  })

  it.each(HOSTILE)('refuses %s with an error that names what is wrong, and never breaks', async (_name, body) => {
    for (const endpoint of subject.api.endpoints) {
      if (endpoint.body === undefined || (endpoint.body === 'form' && !isForm(body))) continue
      const params = Object.fromEntries([...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, 'x']))
      const outcome = await answerOf(endpoint, requestOf({ body, params }), async () => {
        throw new Called()
      })
      if (outcome === 'called') continue
      const where = `${endpoint.method} ${endpoint.path}`
      if ('status' in outcome) expect(typeof outcome.status, where).toBe('number')
      else
        expect(['malformed', 'invalid', 'missing', 'conflict', 'forbidden', 'wrong-media-type'], where).toContain(
          outcome.kind,
        )
    }
  })
}

/** Whether a body may come from a form: the server reads one into its parts. */
function isForm(body: ForeignRequest['body']): boolean {
  return Array.isArray(body) && body.every((part) => typeof part === 'object' && part !== null && 'name' in part)
}

function endpointOf(api: ForeignApi, method: string, path: string): ForeignEndpoint {
  const found = api.endpoints.find((each) => each.method === method && each.path === path)
  if (found === undefined) throw new Error(`There is no endpoint ${method} ${path}.`)
  return found
}

/** The answer of an endpoint, the EngineError that it threw, or that it called our API. Rejects with any other error. */
async function answerOf(
  endpoint: ForeignEndpoint,
  request: ForeignRequest,
  call: OurApi['call'],
): Promise<ForeignAnswer | EngineError | 'called'> {
  try {
    return await endpoint.answer(request, { call })
  } catch (error) {
    if (error instanceof Called) return 'called'
    if (EngineError.is(error)) return error
    throw error
  }
}
