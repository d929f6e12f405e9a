import { STATUS_CODES } from 'node:http'
import { EngineError, ERROR_KINDS, type ErrorCode, type ErrorKind, type FieldProblem } from '../../core/errors.ts'

/** The HTTP status of each kind of error. */
const STATUSES: Readonly<Record<ErrorKind, number>> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  'wrong-method': 405,
  spent: 406,
  conflict: 409,
  'too-large': 413,
  'wrong-media-type': 415,
  invalid: 422,
  limited: 429,
  internal: 500,
  startup: 500,
  bug: 500,
  unavailable: 503,
}

/** Every status an error may have. */
export const STATUSES_OF_ERRORS: readonly number[] = [...new Set(Object.values(STATUSES))].sort((a, b) => a - b)

/** The codes an error body of this status may have. */
export function codesOf(status: number): readonly ErrorCode[] {
  // of these, only the fact that they happened is reported
  if (status === 500) return ['INTERNAL_SERVER_ERROR']
  const codes = Object.keys(ERROR_KINDS) as ErrorCode[]
  return codes.filter((code) => STATUSES[ERROR_KINDS[code]] === status)
}

/** The status of an error with this code. */
export function statusOf(code: ErrorCode): number {
  return STATUSES[ERROR_KINDS[code]]
}

/** An error in the form the caller sees. */
export interface Problem {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly fields: readonly FieldProblem[]
  readonly suggestion?: string
  /** It is already in the log. */
  readonly isTold?: boolean
  /** In seconds. */
  readonly retryAfter?: number
  /** Of the record that was changed meanwhile. */
  readonly currentVersion?: number
  /** For 401; without it, an API key is required. */
  readonly challenge?: string
}

/** Turns whatever was thrown into a problem. Nothing is revealed of errors that are not the caller's doing. */
export function toProblem(error: unknown): Problem {
  if (!EngineError.is(error)) return UNEXPECTED
  const status = STATUSES[error.kind] ?? 500
  const { code, message, fields, suggestion, retryAfter, currentVersion, challenge } = error
  if (status === 503) {
    const given = {
      ...(error.isTold ? { message, isTold: true } : {}),
      ...(suggestion === undefined ? {} : { suggestion }),
    }
    return { ...UNAVAILABLE, ...given, retryAfter: retryAfter ?? UNAVAILABLE.retryAfter }
  }
  if (status === 500) return UNEXPECTED
  return {
    status,
    code,
    message,
    fields,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(currentVersion === undefined ? {} : { currentVersion }),
    ...(challenge === undefined ? {} : { challenge }),
  }
}

/** The header fields that go with a problem. */
export function problemHeaders({ status, retryAfter, challenge = 'Bearer' }: Problem): Record<string, string> {
  return {
    ...(status === 401 ? { 'www-authenticate': challenge } : {}),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  }
}

export interface BodyOptions {
  /** Whether 400 and 401 have the flat form. */
  readonly flat: boolean
  /** Absent where no request of its own failed. */
  readonly requestId?: string
  readonly now: Date
}

/** An error's body: flat or envelope (docs/api.md). `message` is at the top of both. */
export function problemBody(problem: Problem, { flat, requestId, now }: BodyOptions): object {
  const { status, code, message, fields, suggestion, currentVersion } = problem
  if (flat && (status === 400 || status === 401)) {
    return { code: status, error: STATUS_CODES[status], message, time: now.getTime() }
  }
  return {
    success: false,
    error: {
      code,
      message,
      statusCode: status,
      requestId,
      ...(fields.length > 0 ? { errors: fields.map(named) } : {}),
      ...(suggestion === undefined ? {} : { suggestion }),
      ...(currentVersion === undefined ? {} : { currentVersion }),
    },
    timestamp: now,
    message,
  }
}

/** The name that the sentence has, too, where the whole body is meant. */
function named(problem: FieldProblem): FieldProblem {
  return problem.field === '' ? { ...problem, field: 'body' } : problem
}

const UNEXPECTED: Problem = {
  status: 500,
  code: 'INTERNAL_SERVER_ERROR',
  message: 'Something went wrong here; the error has been logged.',
  fields: [],
  suggestion: 'Give the requestId to the operator of this server.',
}

const UNAVAILABLE = {
  status: 503,
  code: 'SERVICE_UNAVAILABLE',
  message: 'The service is temporarily unavailable.',
  fields: [],
  suggestion: 'Send the same request again a little later.',
  retryAfter: 5,
} as const
