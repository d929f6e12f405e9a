import { type ErrorCode, FIELD_CODES, type FieldCode } from '../../../core/errors.ts'

type Answered = Exclude<
  ErrorCode,
  'CONFIG_INVALID' | 'PLUGIN_INVALID' | 'STORE_LOCKED' | 'STORE_NEWER' | 'STORE_NESTED'
>

/** The meaning of each code of an error. Those that stop a start, or show a fault of ours, are never answered. */
const CODES: Readonly<Record<Answered, string>> = {
  BAD_REQUEST: 'The request is malformed, such as a damaged cursor.',
  INVALID_JSON: 'The body is not JSON.',
  INVALID_TOKEN: 'The token of the link is wrong, used or too old.',
  MISSING_AUTH: 'There is neither a key nor a session.',
  INVALID_API_KEY: 'The key is unknown, revoked or expired.',
  INVALID_SIGNATURE: "The provider's signature is missing or wrong.",
  INVALID_CREDENTIALS: 'The address, the password or the code is wrong.',
  INVALID_SESSION: 'The session has ended: log in again.',
  FORBIDDEN: 'The key or the member may not do this; the message names the scope or role.',
  PROJECT_DISABLED: 'The project is disabled.',
  DOMAIN_NOT_VERIFIED: "The sender's domain is not verified for the project.",
  RESOURCE_NOT_FOUND: 'There is nothing at this path.',
  PROJECT_NOT_FOUND: 'There is no such project, or you are not a member of it.',
  CONTACT_NOT_FOUND: 'There is no such contact in the project.',
  TEMPLATE_NOT_FOUND: 'There is no such template in the project.',
  SNIPPET_NOT_FOUND: 'There is no such snippet in the project.',
  LAYOUT_NOT_FOUND: 'There is no such layout in the project.',
  TOPIC_NOT_FOUND: 'There is no such topic in the project.',
  FORM_NOT_FOUND: 'The project has no form with this id, or it was deleted.',
  SEGMENT_NOT_FOUND: 'There is no such segment in the project.',
  CAMPAIGN_NOT_FOUND: 'There is no such campaign in the project.',
  JOB_NOT_FOUND: 'There is no such job in the project.',
  WORKFLOW_NOT_FOUND: 'There is no such workflow in the project.',
  STEP_NOT_FOUND: 'There is no such step in the workflow.',
  TRANSITION_NOT_FOUND: 'There is no such transition in the workflow.',
  EXECUTION_NOT_FOUND: 'There is no such execution of the workflow.',
  WEBHOOK_NOT_FOUND: 'There is no such endpoint in the project.',
  DELIVERY_NOT_FOUND: 'There is no such request in the project.',
  EMAIL_NOT_FOUND: 'There is no such mail in the project.',
  SUPPRESSION_NOT_FOUND: 'The address is not on the suppression list.',
  DOMAIN_NOT_FOUND: 'There is no such domain in the project.',
  MEMBER_NOT_FOUND: 'There is no such member or invitation.',
  KEY_NOT_FOUND: 'There is no such key in the project.',
  INBOX_NOT_FOUND: 'There is no such inbox in the project.',
  THREAD_NOT_FOUND: 'There is no such thread in the project.',
  DRAFT_NOT_FOUND: 'There is no such draft in the project.',
  METHOD_NOT_ALLOWED: 'The path does not take this method; `Allow` names those it takes.',
  CONFLICT: 'The current state does not allow it; the message says why.',
  VERSION_CONFLICT:
    'The record was changed since the `version` that the request names: `currentVersion` is the one it has. Nothing was changed.',
  ALREADY_USED: 'It was used before.',
  IDEMPOTENCY_IN_PROGRESS:
    'The first request with this `Idempotency-Key` is still under way: send it again a little later.',
  IDEMPOTENCY_KEY_REUSED: 'The `Idempotency-Key` was used for another request.',
  PAYLOAD_TOO_LARGE: 'The body is larger than this endpoint accepts.',
  UNSUPPORTED_MEDIA_TYPE: 'The body has a type that this endpoint does not accept.',
  VALIDATION_ERROR: 'Fields were refused; `errors` names each.',
  RATE_LIMIT_EXCEEDED: 'There were too many requests; `Retry-After` says when to come back.',
  QUOTA_EXCEEDED: 'The project has used up its quota of mails; `Retry-After` says when it renews.',
  INTERNAL_SERVER_ERROR: 'Something went wrong here; it is logged under the `requestId`.',
  SERVICE_UNAVAILABLE: 'The service is temporarily unavailable: send the same request again a little later.',
}

const FIELDS: Readonly<Record<FieldCode, string>> = {
  required: 'It is missing.',
  invalid_type: 'It has the wrong type.',
  invalid_string: 'The text has the wrong form.',
  invalid_enum_value: 'It is not one of the allowed values.',
  invalid_date: 'It is not an ISO 8601 date.',
  too_small: 'It is below the least value, or too short.',
  too_big: 'It is above the greatest value, or too long.',
  reserved_event: 'The name belongs to an event of the service.',
  header_injection: 'It contains a line break or NUL, which could begin another header field.',
  custom: 'Another rule is broken; the message says which.',
}

/** The codes that an answer may have, as a list of Markdown with the meaning of each. */
export function meaningsOf(codes: readonly ErrorCode[]): string {
  const answered = codes.filter((code): code is Answered => Object.hasOwn(CODES, code))
  return listed('What went wrong, for programs:', answered, CODES)
}

/** The codes of a refused field, in the same form. */
export const FIELD_MEANINGS: string = listed('What is wrong with it, for programs:', FIELD_CODES, FIELDS)

function listed<Code extends string>(title: string, codes: readonly Code[], words: Readonly<Record<Code, string>>) {
  return [title, '', ...codes.map((code) => `- \`${code}\`: ${words[code]}`)].join('\n')
}
