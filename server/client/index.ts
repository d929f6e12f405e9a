import createFetchClient, { type Client, type ClientOptions } from 'openapi-fetch'
import type { paths } from './schema.ts'

export type { components, operations, paths } from './schema.ts'

/** A client of a Mailwright server: `GET`, `POST` … take a path of the OpenAPI document, typed by it. */
export type MailwrightClient = Client<paths>

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
 * body of the error, and `response` in either case; they reject only when the server cannot be reached.
 */
export function createClient({ baseUrl, key, headers, ...rest }: MailwrightClientOptions): MailwrightClient {
  const client = createFetchClient<paths>({
    bodySerializer,
    ...rest,
    baseUrl,
    ...(headers === undefined ? {} : { headers }),
  })
  if (key === undefined) return client
  client.use({
    onRequest({ request }) {
      if (!request.headers.has('authorization')) request.headers.set('authorization', `Bearer ${key}`)
      return request
    },
  })
  return client
}
