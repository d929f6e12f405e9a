import type { ForeignProblem } from '../../../core/ports/foreign-api.ts'

/** An error in the body of an answer. */
export interface PostmarkError {
  readonly ErrorCode: number
  readonly Message: string
}

/** Postmark's status and code of errors (https://postmarkapp.com/developer/api/overview), by our codes. */
const BY_CODE: Readonly<Record<string, readonly [status: number, code: number]>> = {
  FORBIDDEN: [401, 10],
  PROJECT_DISABLED: [422, 405],
  DOMAIN_NOT_VERIFIED: [422, 400],
  INVALID_JSON: [422, 402],
  TEMPLATE_NOT_FOUND: [422, 1101],
  EMAIL_NOT_FOUND: [422, 701],
  QUOTA_EXCEEDED: [422, 405],
  RATE_LIMIT_EXCEEDED: [429, 429],
}
const BY_STATUS: Readonly<Record<number, readonly [status: number, code: number]>> = {
  404: [404, 404],
  405: [405, 405],
  413: [413, 300],
  500: [500, 500],
  503: [503, 100],
}
/** The answer to a request without a key of this server. */
const TOKEN: PostmarkError = {
  ErrorCode: 10,
  Message: 'Bad or missing API token: send a key of this server (sk_…) as X-Postmark-Server-Token.',
}
/** Codes of single fields. */
const BY_FIELD: Readonly<Record<string, number>> = {
  MessageStream: 1235,
  Messages: 410,
  count: 700,
  offset: 700,
  bounceid: 1001,
}

/** An error as Postmark writes it: `{ ErrorCode, Message }`. */
export function refusal({ status, code, message, fields, suggestion }: ForeignProblem) {
  if (code === 'MISSING_AUTH' || code === 'INVALID_API_KEY') return { status: 401, body: TOKEN }
  const [first] = fields
  const ofField = first && Object.hasOwn(BY_FIELD, first.field) ? BY_FIELD[first.field] : undefined
  const [given, ErrorCode] =
    ofField === undefined ? (BY_CODE[code] ?? BY_STATUS[status] ?? [422, codeOf(fields)]) : [422, ofField]
  const said =
    fields.length === 0 || ofField === BY_FIELD.MessageStream
      ? message
      : fields.map((each) => `'${each.field}' ${each.message}`).join('; ')
  const body: PostmarkError = {
    ErrorCode,
    Message: suggestion === undefined ? said : `${said.replace(/\.$/, '')}. ${suggestion}`,
  }
  return { status: given, body }
}

/** Values of another type than the field's are another error than values that are wrong. */
function codeOf(fields: ForeignProblem['fields']): number {
  return fields.some(({ code }) => code === 'invalid_type') ? 403 : 300
}
