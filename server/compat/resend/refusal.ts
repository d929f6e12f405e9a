import type { ForeignAnswer, ForeignProblem } from '../../../core/ports/foreign-api.ts'

/** Resend's names of errors with their status (https://resend.com/docs/api-reference/errors), by our codes. */
const BY_CODE: Readonly<Record<string, readonly [status: number, name: string]>> = {
  MISSING_AUTH: [401, 'missing_api_key'],
  INVALID_API_KEY: [403, 'invalid_api_key'],
  FORBIDDEN: [401, 'restricted_api_key'],
  DOMAIN_NOT_VERIFIED: [403, 'validation_error'],
  METHOD_NOT_ALLOWED: [405, 'method_not_allowed'],
  IDEMPOTENCY_KEY_REUSED: [409, 'invalid_idempotent_request'],
  RATE_LIMIT_EXCEEDED: [429, 'rate_limit_exceeded'],
}
const BY_STATUS: Readonly<Record<number, readonly [status: number, name: string]>> = {
  404: [404, 'not_found'],
  409: [409, 'validation_error'],
  413: [413, 'validation_error'],
  500: [500, 'internal_server_error'],
  503: [503, 'application_error'],
}

/** An error as Resend writes it: `{ statusCode, name, message }`. */
export function refusal({ status, code, message, fields, suggestion }: ForeignProblem): ForeignAnswer {
  const [statusCode, name] = BY_CODE[code] ?? BY_STATUS[status] ?? [422, nameOf(fields)]
  const said = fields.length === 0 ? message : fields.map((each) => `\`${each.field}\` ${each.message}`).join('; ')
  const more = fields.length === 0 && suggestion !== undefined ? ` ${suggestion}` : ''
  return { status: statusCode, body: { statusCode, name, message: `${said}${more}` } }
}

function nameOf(fields: ForeignProblem['fields']): string {
  return fields.length > 0 && fields.every(({ code }) => code === 'required')
    ? 'missing_required_field'
    : 'validation_error'
}
