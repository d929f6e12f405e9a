import type { Refusal } from '../../core/ports/mail-transport.ts'

type Judgement = Omit<Refusal, 'reason'>

/** Nothing can be sent for now, from any sender. The engine waits before it tries again. */
const NOT_NOW: Judgement = { permanent: false, stage: 'mail', code: 421, enhancedCode: '4.7.0' }
/** The same for what the operator must fix; only the log says what it is. */
const OPERATOR: Judgement = { permanent: false, stage: 'connect', code: 454, enhancedCode: '4.7.0' }
/** The same for bad keys, reported as a refused login. */
const NO_LOGIN: Judgement = { permanent: false, stage: 'connect', code: 535, enhancedCode: '5.7.8' }
/** This sender may not send for now. */
const NOT_THIS_SENDER: Judgement = { permanent: false, stage: 'mail', code: 450 }
/** This mail is permanently refused. That says nothing about its recipients, so none of them is suppressed. */
const NOT_THIS_MAIL: Judgement = { permanent: true, stage: 'data', code: 554, enhancedCode: '5.6.0' }
const TOO_LARGE: Judgement = { permanent: true, stage: 'data', code: 552, enhancedCode: '5.3.4' }

/** By the API's error names (SES v2, "SendEmail", "Common errors"). */
const BY_NAME: Readonly<Record<string, Judgement>> = {
  AccountSuspendedException: NOT_NOW,
  SendingPausedException: NOT_NOW,
  LimitExceededException: NOT_NOW,
  TooManyRequestsException: NOT_NOW,
  ThrottlingException: NOT_NOW,
  Throttling: NOT_NOW,
  ServiceUnavailable: NOT_NOW,
  ServiceUnavailableException: NOT_NOW,
  // the configuration set is missing
  NotFoundException: OPERATOR,
  // a policy may be about one identity only; three in a row are the account's trouble
  AccessDeniedException: { permanent: false, stage: 'mail', code: 450, enhancedCode: '4.7.0' },
  MailFromDomainNotVerifiedException: NOT_THIS_SENDER,
  // its sender, or in the sandbox its recipient, is not verified; or it contains a virus
  MessageRejected: { permanent: true, stage: 'mail', code: 554, enhancedCode: '5.7.1' },
  BadRequestException: NOT_THIS_MAIL,
  RequestEntityTooLargeException: TOO_LARGE,
}

/**
 * The meaning of a refusal by Amazon. Undefined when it does not tell whether the mail was sent (500, 504, and whatever
 * else a confused server says).
 */
export function judgeRefusal(name: string, status: number, reason: string): Judgement | undefined {
  const known = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined
  if (known === NOT_THIS_MAIL && LENGTH.test(reason)) return TOO_LARGE
  if (known) return known
  // 408: the request took too long on its way
  if (status === 408 || status === 429 || status === 503) return NOT_NOW
  if (status === 413) return TOO_LARGE
  // a key that is unknown, revoked or expired, a wrong signature, or a wrong clock
  if (status === 401 || status === 403) return NO_LOGIN
  if (status === 404) return OPERATOR
  // Amazon answers 400 for tokens and clocks, too
  if (status === 400 && /Token|Signature|Credential|RequestExpired|ClientToken|AuthFailure|OptInRequired/.test(name))
    return NO_LOGIN
  return status >= 400 && status < 500 ? NOT_THIS_MAIL : undefined
}

/** How a bad request says that the message is too large. */
const LENGTH = /\b(?:message|length|size)\b.*\b(?:more than|exceed\w*|too (?:large|long))\b/i

/** The refusal for a mail larger than Amazon accepts. */
export const TOO_LARGE_HERE = TOO_LARGE
/** The refusal for a mail with header fields that give Amazon orders. */
export const ORDERS = NOT_THIS_MAIL
