/** A problem with one field of what was sent. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
  readonly code: string
}

/** A refusal of the API, in its own words. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly fields: readonly FieldProblem[]
  readonly suggestion: string | undefined
  readonly requestId: string | undefined

  constructor(status: number, body: unknown) {
    const { error, message } = (isObject(body) ? body : {}) as { error?: unknown; message?: unknown }
    const detail = (isObject(error) ? error : {}) as Partial<Record<string, unknown>>
    super(textOf(detail.message) ?? textOf(message) ?? `The server answered ${status}.`)
    this.status = status
    this.code = textOf(detail.code) ?? String(status)
    this.fields = Array.isArray(detail.errors) ? (detail.errors as FieldProblem[]) : []
    this.suggestion = textOf(detail.suggestion)
    this.requestId = textOf(detail.requestId)
  }
}

/** The server could not be reached at all. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
