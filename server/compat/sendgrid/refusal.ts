import type { ForeignAnswer, ForeignProblem } from '../../../core/ports/foreign-api.ts'

/** SendGrid's words for errors that concern no field (https://www.twilio.com/docs/sendgrid/api-reference), by our codes. */
const BY_CODE: Readonly<Record<string, readonly [status: number, message: string]>> = {
  MISSING_AUTH: [401, 'Permission denied, wrong credentials'],
  INVALID_API_KEY: [401, 'The provided authorization grant is invalid, expired, or revoked'],
  FORBIDDEN: [403, 'access forbidden'],
  RATE_LIMIT_EXCEEDED: [429, 'too many requests'],
}
/** Our status by that of SendGrid, where they differ. */
const STATUSES: Readonly<Record<number, number>> = { 422: 400 }

/** An error as SendGrid writes it: `{ errors: [{ message, field, help }] }`. */
export function refusal({ status, code, message, fields, suggestion }: ForeignProblem): ForeignAnswer {
  const help = suggestion ?? null
  if (code === 'DOMAIN_NOT_VERIFIED') {
    return {
      status: 403,
      body: {
        errors: [
          { message: `The from address does not match a verified Sender Identity. ${message}`, field: 'from', help },
        ],
      },
    }
  }
  const known = BY_CODE[code]
  if (known !== undefined) {
    return { status: known[0], body: { errors: [{ message: known[1], field: null, help }] } }
  }
  const errors =
    fields.length === 0
      ? [{ message, field: code === 'TEMPLATE_NOT_FOUND' ? 'template_id' : null, help }]
      : fields.map((each) => ({ message: `The ${each.field || 'body'} ${each.message}`, field: each.field, help }))
  return { status: STATUSES[status] ?? status, body: { errors } }
}
