import type { Refusal } from '../../core/ports/mail-transport.ts'
import { isJsonObject, type Json } from '../../core/values/json.ts'
import type { HttpMailOptions } from './options.ts'

type Judgement = Omit<Refusal, 'reason'>

/** This mail is refused for good. That says nothing about its recipients, so none of them is suppressed. */
const NEVER: Judgement = { permanent: true, stage: 'data', code: 554, enhancedCode: '5.6.0' }
const TOO_LARGE: Judgement = { permanent: true, stage: 'data', code: 552, enhancedCode: '5.3.4' }
const LATER: Judgement = { permanent: false, stage: 'data', code: 451 }
/** Nothing can be sent for now. The engine waits before it tries again. */
export const NOT_NOW: Judgement = { permanent: false, stage: 'mail', code: 421, enhancedCode: '4.7.0' }
/** The key is wrong; reported as a refused login. */
const NO_LOGIN: Judgement = { permanent: false, stage: 'connect', code: 535, enhancedCode: '5.7.8' }
/** Something that the operator must put right. */
export const OPERATOR: Judgement = { permanent: false, stage: 'connect', code: 454, enhancedCode: '4.7.0' }

/** Whether an answer with this status takes the mail. */
export function accepts({ statuses: { accepted } }: HttpMailOptions, status: number): boolean {
  return accepted === undefined ? status >= 200 && status <= 299 : accepted.includes(status)
}

/** The meaning of another status; undefined when it does not tell whether the mail was taken (500, 502, 504). */
export function judgeStatus({ statuses }: HttpMailOptions, status: number): Judgement | undefined {
  if (statuses.permanent.includes(status)) return status === 413 ? TOO_LARGE : NEVER
  if (statuses.rateLimited.includes(status)) return NOT_NOW
  if (statuses.temporary.includes(status)) return LATER
  if (status === 429 || status === 503) return NOT_NOW
  if (status === 401 || status === 403) return NO_LOGIN
  // 402: the account is not paid for; a redirect or no such path: the URL is wrong
  if (status === 402 || status === 404 || status === 405 || (status >= 300 && status <= 399)) return OPERATOR
  return status >= 400 && status <= 499 ? LATER : undefined
}

/** A value in the answer, by the names and places on the way there. */
export function valueAt(body: Json | undefined, path: string): Json | undefined {
  return path.split('.').reduce<Json | undefined>((at, key) => {
    if (Array.isArray(at)) return /^\d{1,6}$/.test(key) ? at[Number(key)] : undefined
    return isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }, body)
}

/** The answer as JSON; undefined for any other text. */
export function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const MAX_WAIT_SECONDS = 3600

/** The seconds that `Retry-After` says, of either form (RFC 9110, section 10.2.3): at most an hour, 0 without one. */
export function retryAfter(header: string | undefined, now: Date): number {
  if (header === undefined) return 0
  const text = header.trim()
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MAX_WAIT_SECONDS) : 0
}
