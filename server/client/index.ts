import createFetchClient, { type Client, type ClientOptions } from 'openapi-fetch'
import { type ReactElement, reactRendered, type WithReact } from '../../core/values/react-element.ts'
import type { operations, paths } from './schema.ts'

export type { components, operations, paths } from './schema.ts'
export type { ReactElement, WithReact }

/** A client of a Mailwright server: `GET`, `POST` … take a path of the OpenAPI document, typed by it. */
export type MailwrightClient = Client<ClientPaths>

/** The paths of the document. Mails may have a React element for a body. */
export interface ClientPaths extends Omit<paths, '/v1/send' | '/v1/send/batch'> {
  '/v1/send': Posting<paths['/v1/send'], Json<'sendMail'> & WithReact>
  '/v1/send/batch': Posting<
    paths['/v1/send/batch'],
    Omit<Json<'sendBatch'>, 'messages'> & { messages: (Json<'sendBatch'>['messages'][number] & WithReact)[] }
  >
}

type Json<Id extends 'sendMail' | 'sendBatch'> = operations[Id]['requestBody']['content']['application/json']
type Posting<Path extends { post: unknown }, Body> = Omit<Path, 'post'> & {
  post: Omit<Path['post'], 'requestBody'> & { requestBody: { content: { 'application/json': Body } } }
}

/** Where the server is, and who asks. Everything else is as `openapi-fetch` takes it, such as `fetch` or `credentials`. */
export interface MailwrightClientOptions extends Omit<ClientOptions, 'baseUrl'> {
  /** The server's address: `https://mail.example.com`. */
  readonly baseUrl: string
  /** An API key. In a browser only a public one, or none: then the session of who is logged in counts. */
  readonly key?: string
}

/** A body with a file is sent as a form, any other as JSON. */
function bodySerializer(body: unknown): string | FormData {
  if (body instanceof FormData) return body
  const fields = Object.entries(Object(body))
  if (!fields.some(([, value]) => value instanceof Blob)) return JSON.stringify(body)
  const form = new FormData()
  for (const [name, value] of fields) {
    if (value instanceof Blob) form.append(name, value, value instanceof File ? value.name : name)
    else if (value !== undefined) form.append(name, String(value))
  }
  return form
}

/**
 * Makes a client, for Node and browsers. Calls answer `{ data }` or, for a status of 400 and above, `{ error }` with the
 * body of the error, and `response` in either case; they reject only when the server cannot be reached, and when a React
 * element cannot be rendered.
 */
export function createClient({ baseUrl, key, headers, ...rest }: MailwrightClientOptions): MailwrightClient {
  const client = createFetchClient<ClientPaths>({
    bodySerializer,
    ...rest,
    baseUrl,
    ...(headers === undefined ? {} : { headers }),
  })
  const { POST, request } = client
  client.POST = async (path, ...init) => POST(path, ...(await rendered(path, init)))
  client.request = async (method, path, ...init) => request(method, path, ...(await rendered(path, init)))
  if (key === undefined) return client
  client.use({
    onRequest({ request }) {
      if (!request.headers.has('authorization')) request.headers.set('authorization', `Bearer ${key}`)
      return request
    },
  })
  return client
}

/** The rest of a call after its path: its body may have React elements where it is that of mails. */
async function rendered<Init extends readonly unknown[]>(path: string, init: Init): Promise<Init> {
  const [options] = init
  if (!/^\/v1\/send(\/batch)?$/.test(path) || typeof options !== 'object' || options === null) return init
  const { body }: { body?: unknown } = options
  return Object.assign(init, [{ ...options, body: await reactRendered(body) }])
}
