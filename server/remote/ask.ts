/** How long a call may take, in milliseconds. */
const PATIENCE = 30_000

/** Of an answer, at most this many bytes are read. */
const MAX_BYTES = 16 * 1024 * 1024

/** An answer of the server, its text read as far as the bound. */
export interface ApiAnswer {
  readonly status: number
  readonly text: string
  /** Whether there was more than could be read. */
  readonly isCut: boolean
  /** Where the server sends readers who asked at this address. */
  readonly location: string | null
}

/** Asks a server once. Rejects when there is no answer, or when `signal` aborts. */
export async function ask(url: string, init: RequestInit, signal?: AbortSignal): Promise<ApiAnswer> {
  const response = await patientFetch(url, init, signal)
  const { text, isCut } = await bounded(response)
  return { status: response.status, text, isCut, location: response.headers.get('location') }
}

/** `fetch` with the bounds of a command: it follows nothing, and does not wait for ever. */
export function patientFetch(input: string | Request, init: RequestInit = {}, signal?: AbortSignal): Promise<Response> {
  const patience = AbortSignal.timeout(PATIENCE)
  return fetch(input, {
    ...init,
    // another address would get the key, and none of the API redirects
    redirect: 'manual',
    signal: signal ? AbortSignal.any([signal, patience]) : patience,
  })
}

/** The header fields of a request with the key. */
export function keyHeaders(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, accept: 'application/json, */*;q=0.5' }
}

/** The reason that fetch hides in the cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}

async function bounded({ body }: Response): Promise<Pick<ApiAnswer, 'text' | 'isCut'>> {
  if (!body) return { text: '', isCut: false }
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    text += decoder.decode(chunk, { stream: true })
    // leaving the loop ends the connection
    if (size > MAX_BYTES) return { text, isCut: true }
  }
  return { text: text + decoder.decode(), isCut: false }
}
