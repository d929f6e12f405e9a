/**
 * Every error the engine raises on purpose: a table of codes, each with its kind. `server/http/errors.ts` turns a kind into
 * an HTTP status.
 */
export const ERROR_KINDS = {
  BAD_REQUEST: 'malformed',
  INVALID_JSON: 'malformed',
  INVALID_TOKEN: 'malformed',
  MISSING_AUTH: 'unauthenticated',
  INVALID_API_KEY: 'unauthenticated',
  INVALID_SIGNATURE: 'unauthenticated',
  INVALID_CREDENTIALS: 'unauthenticated',
  INVALID_SESSION: 'unauthenticated',
  FORBIDDEN: 'forbidden',
  PROJECT_DISABLED: 'forbidden',
  DOMAIN_NOT_VERIFIED: 'forbidden',
  RESOURCE_NOT_FOUND: 'missing',
  PROJECT_NOT_FOUND: 'missing',
  CONTACT_NOT_FOUND: 'missing',
  TEMPLATE_NOT_FOUND: 'missing',
  SNIPPET_NOT_FOUND: 'missing',
  LAYOUT_NOT_FOUND: 'missing',
  TOPIC_NOT_FOUND: 'missing',
  FORM_NOT_FOUND: 'missing',
  SEGMENT_NOT_FOUND: 'missing',
  CAMPAIGN_NOT_FOUND: 'missing',
  JOB_NOT_FOUND: 'missing',
  WORKFLOW_NOT_FOUND: 'missing',
  STEP_NOT_FOUND: 'missing',
  TRANSITION_NOT_FOUND: 'missing',
  EXECUTION_NOT_FOUND: 'missing',
  WEBHOOK_NOT_FOUND: 'missing',
  DELIVERY_NOT_FOUND: 'missing',
  EMAIL_NOT_FOUND: 'missing',
  SUPPRESSION_NOT_FOUND: 'missing',
  DOMAIN_NOT_FOUND: 'missing',
  MEMBER_NOT_FOUND: 'missing',
  KEY_NOT_FOUND: 'missing',
  INBOX_NOT_FOUND: 'missing',
  THREAD_NOT_FOUND: 'missing',
  DRAFT_NOT_FOUND: 'missing',
  METHOD_NOT_ALLOWED: 'wrong-method',
  CONFLICT: 'conflict',
  VERSION_CONFLICT: 'conflict',
  ALREADY_USED: 'spent',
  IDEMPOTENCY_IN_PROGRESS: 'conflict',
  IDEMPOTENCY_KEY_REUSED: 'invalid',
  PAYLOAD_TOO_LARGE: 'too-large',
  UNSUPPORTED_MEDIA_TYPE: 'wrong-media-type',
  VALIDATION_ERROR: 'invalid',
  RATE_LIMIT_EXCEEDED: 'limited',
  QUOTA_EXCEEDED: 'limited',
  INTERNAL_SERVER_ERROR: 'internal',
  SERVICE_UNAVAILABLE: 'unavailable',
  CONFIG_INVALID: 'startup',
  PLUGIN_INVALID: 'startup',
  STORE_LOCKED: 'startup',
  STORE_NEWER: 'startup',
  STORE_NESTED: 'bug',
} as const

export type ErrorCode = keyof typeof ERROR_KINDS
export type ErrorKind = (typeof ERROR_KINDS)[ErrorCode]

/** Machine-readable reasons why one field was refused. */
export const FIELD_CODES = [
  'required',
  'invalid_type',
  'invalid_string',
  'invalid_enum_value',
  'invalid_date',
  'too_small',
  'too_big',
  'reserved_event',
  'header_injection',
  'custom',
] as const
export type FieldCode = (typeof FIELD_CODES)[number]

/** One refused field: `field` is a dotted path such as `attachments.0.contentId`. */
export interface FieldProblem {
  /** The place in the input, such as `to.0.email`. */
  readonly field: string
  /** The problem, worded to follow the name of the field: `must be an address`. */
  readonly message: string
  /** The kind of problem, for programs. */
  readonly code: FieldCode
}

export interface ErrorDetails {
  /** The invalid fields of the input, and why. */
  readonly fields?: readonly FieldProblem[]
  /** One sentence on how to fix it. */
  readonly suggestion?: string
  /** The error underneath. */
  readonly cause?: unknown
  /** After how many seconds the same call may succeed. */
  readonly retryAfter?: number
  /** For `VERSION_CONFLICT`: the version that the record has now. */
  readonly currentVersion?: number
  /** For `unavailable`: the message is meant for the caller, and its cause is logged. Otherwise HTTP hides it. */
  readonly isTold?: boolean
  /**
   * For `unauthenticated`: the HTTP challenge that says how to authenticate (RFC 9110, section 11.6.1), when it is not
   * an API key.
   */
  readonly challenge?: string
}

/** The one error class of the engine. `code` is stable and documented; `message` is for people. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  /** Which kind of mistake or trouble it is, such as `VALIDATION_ERROR`: the same over HTTP, and stable. */
  readonly code: ErrorCode
  /** The invalid fields of the input, and why; empty when it is about no field. */
  readonly fields: readonly FieldProblem[]
  /** One sentence on how to fix it. */
  readonly suggestion: string | undefined
  /** After how many seconds the same call may succeed. */
  readonly retryAfter: number | undefined
  /** For `VERSION_CONFLICT`: the version that the record has now. */
  readonly currentVersion: number | undefined
  /** For `unavailable`: the message is meant for the caller of the API, and not hidden. */
  readonly isTold: boolean
  /** For `unauthenticated`: the HTTP challenge that says how to authenticate. */
  readonly challenge: string | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.fields = details.fields ?? []
    this.suggestion = details.suggestion
    this.retryAfter = details.retryAfter
    this.currentVersion = details.currentVersion
    this.isTold = details.isTold ?? false
    this.challenge = details.challenge
  }

  /** The kind that several codes share, such as `missing`; HTTP makes the status of it. */
  get kind(): ErrorKind {
    return ERROR_KINDS[this.code]
  }

  /** True for an EngineError of this or another copy of the package. */
  static is(error: unknown): error is EngineError {
    return error instanceof Error && error.name === 'EngineError' && 'code' in error
  }
}

/** A VALIDATION_ERROR that names one field. */
export function invalidField(field: string, code: FieldCode, message: string): EngineError {
  return new EngineError('VALIDATION_ERROR', `${field}: ${message}`, { fields: [{ field, code, message }] })
}
