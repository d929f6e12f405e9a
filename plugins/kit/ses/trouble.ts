/**
 * How a request failed.
 * - `answered`: the service refused; `name` is its error code.
 * - `unsent`: it never got there: no name, no connection, no TLS, no credentials.
 * - `lost`: it may have been carried out: no answer came, or an unreadable one.
 */
export type SesTrouble =
  | { readonly kind: 'answered'; readonly name: string; readonly status: number; readonly reason: string }
  | { readonly kind: 'unsent' | 'lost'; readonly reason: string }

/** Reads what the SDK threw. */
export function troubleOf(error: unknown): SesTrouble {
  if (!(error instanceof Error)) return { kind: 'lost', reason: String(error) }
  const { status, isFault } = answerIn(error)
  const reason = publicText(error.message)
  if (status !== undefined && isFault) return { kind: 'answered', name: error.name, status, reason }
  if (status !== undefined) return { kind: 'lost', reason: `an answer that means nothing (${status})` }
  if (isUnsent(error)) return { kind: 'unsent', reason: explained(error) }
  return { kind: 'lost', reason: explained(error) }
}

/** Whether the service took the request, and only the rest of its answer could not be read. */
export function hasTaken(error: unknown): boolean {
  const { status } = error instanceof Error ? answerIn(error) : { status: undefined }
  return status !== undefined && status >= 200 && status <= 299
}

/** Removes names of accounts and users, which are the operator's affair. What they may not do stays readable. */
function publicText(text: string): string {
  return text
    .replace(/arn:[\w-]+:(?:iam|sts):[^\s'"`,]*/g, 'this server')
    .replace(/arn:[\w-]+:[\w-]+:[\w-]*:\d*:/g, '')
    .replace(/\b\d{12}\b/g, '…')
    .replace(/\s+/g, ' ')
    .trim()
}

/** An answer of the service has a status. For one that is no JSON, the SDK throws another kind of error. */
function answerIn(error: Error): { readonly status: number | undefined; readonly isFault: boolean } {
  const metadata: unknown = Reflect.get(error, '$metadata')
  const status: unknown =
    typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'httpStatusCode') : undefined
  const response: unknown = Reflect.get(error, '$response')
  const given: unknown =
    typeof response === 'object' && response !== null ? Reflect.get(response, 'statusCode') : undefined
  const known = typeof status === 'number' ? status : typeof given === 'number' ? given : undefined
  return { status: known, isFault: Reflect.get(error, '$fault') !== undefined && known !== undefined && known >= 400 }
}

/** Whether it failed before there was a connection. */
function isUnsent(error: Error): boolean {
  const { code, syscall } = systemOf(error)
  if (/Credentials|^TokenProvider/.test(error.name) || /^Region is missing/.test(error.message)) return true
  if (error.name === 'TimeoutError' && /did not establish a connection/.test(error.message)) return true
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true
  if (/before secure TLS connection was established/.test(error.message)) return true
  return /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPROTO)$|^ERR_(?:TLS|SSL)|CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/.test(
    code,
  )
}

function explained(error: Error): string {
  const { code } = systemOf(error)
  if (/Credentials/.test(error.name)) return `no credentials: ${publicText(error.message)}`
  const text = error.message === '' ? code || error.name : publicText(error.message)
  return text.replace(/^@smithy\/node-http-handler - (?:\[ERROR\] )?/, '')
}

function systemOf(error: Error): { readonly code: string; readonly syscall: unknown } {
  return { code: String(Reflect.get(error, 'code') ?? ''), syscall: Reflect.get(error, 'syscall') }
}
