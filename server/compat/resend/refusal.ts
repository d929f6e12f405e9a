import type { ForeignAnswer, ForeignProblem } from '../../../core/ports/foreign-api.ts'

type Named = readonly [status: number, name: string]

/** Resend's names of errors with their status (https://resend.com/docs/api-reference/errors), by our codes. */
const BY_CODE: Readonly<Record<string, Named>> = {
  MISSING_AUTH: [401, 'missing_api_key'],
  INVALID_API_KEY: [403, 'invalid_api_key'],
  FORBIDDEN: [401, 'restricted_api_key'],
  DOMAIN_NOT_VERIFIED: [403, 'validation_error'],
  METHOD_NOT_ALLOWED: [405, 'method_not_allowed'],
  IDEMPOTENCY_KEY_REUSED: [409, 'invalid_idempotent_request'],
  IDEMPOTENCY_IN_PROGRESS: [409, 'concurrent_idempotent_requests'],
  QUOTA_EXCEEDED: [429, 'daily_quota_exceeded'],
  RATE_LIMIT_EXCEEDED: [429, 'rate_limit_exceeded'],
}
const BY_STATUS: Readonly<Record<number, Named>> = {
  400: [400, 'validation_error'],
  403: [403, 'validation_error'],
  404: [404, 'not_found'],
  406: [409, 'validation_error'],
  409: [409, 'validation_error'],
  413: [413, 'validation_error'],
  415: [415, 'validation_error'],
  500: [500, 'internal_server_error'],
  503: [503, 'application_error'],
}

/** Names of errors that are about one field alone. */
const BY_FIELD: Readonly<Record<string, Named>> = {
  'Idempotency-Key': [400, 'invalid_idempotency_key'],
  from: [422, 'invalid_from_address'],
  attachments: [422, 'invalid_attachment'],
  permission: [422, 'invalid_access'],
}

/** An error as Resend writes it: `{ statusCode, name, message }`. */
export function refusal({ status, code, message, fields, suggestion }: ForeignProblem): ForeignAnswer {
  const known = /^Idempotency-Key:/.test(message) ? BY_FIELD['Idempotency-Key'] : BY_CODE[code]
  const [statusCode, name] = known ?? BY_STATUS[status] ?? nameOf(fields)
  const said = fields.length === 0 ? message : fields.map(worded).join(' ')
  const more = fields.length === 0 && suggestion !== undefined ? ` ${suggestion}` : ''
  return {
    status: statusCode,
    body: { statusCode, name, message: more === '' ? said : `${said.replace(/\.$/, '')}.${more}` },
  }
}

type Field = ForeignProblem['fields'][number]

function nameOf(fields: readonly Field[]): Named {
  if (fields.length > 0 && fields.every(({ code }) => code === 'required')) return [422, 'missing_required_field']
  const about = new Set(fields.map(({ field }) => field.split('.').find((part) => !/^\d*$/.test(part)) ?? ''))
  const [first = ''] = about
  return (about.size === 1 && Object.hasOwn(BY_FIELD, first) && BY_FIELD[first]) || [422, 'validation_error']
}

function worded({ field, code, message }: Field): string {
  if (field === '') return `The body ${message}.`
  return code === 'required' ? `Missing \`${field}\` field.` : `Invalid \`${field}\` field: ${message}.`
}
