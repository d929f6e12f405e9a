import { type IncomingMessage, request as requestByHttp } from 'node:http'
import { request as requestByHttps } from 'node:https'
import type { Clock } from '../../core/ports/clock.ts'
import type { DailyBudget, LanguageModel, ModelAnswer, ModelQuestion } from '../../core/ports/language-model.ts'
import { networksOf } from '../kit/net/forbidden-range.ts'
import { type AssistantOpenAiOptions, hostOf, isWritten } from './options.ts'
import { Forbidden, guardedLookup } from './reach.ts'
import { type AnswerBounds, readAnswer, Unreadable } from './read-answer.ts'

/** The most that a token is counted as, in characters of text and in bytes of a stream with its frames. */
const CHARACTERS_PER_TOKEN = 24
const BYTES_PER_TOKEN = 1_000
const LEAST_BYTES = 64 * 1024
const MAX_HEADER_BYTES = 16 * 1024
/** How long an endpoint may ask to be left alone, in seconds. */
const MOST_RETRY_AFTER = 86_400

/** A model behind any endpoint that speaks OpenAI's chat completions. */
export class OpenAiModel implements LanguageModel {
  readonly host: string
  readonly model: string
  readonly maxAnswerTokens: number
  readonly daily: DailyBudget
  readonly #options: AssistantOpenAiOptions
  readonly #clock: Clock
  readonly #url: URL
  readonly #bounds: AnswerBounds

  constructor(options: AssistantOpenAiOptions, clock: Clock) {
    this.#options = options
    this.#clock = clock
    this.#url = new URL(`${options.url}/chat/completions`)
    this.host = this.#url.host
    this.model = options.model
    this.maxAnswerTokens = options.maxAnswerTokens
    this.daily = { requests: options.requestsPerDay, tokens: options.tokensPerDay }
    this.#bounds = {
      bytes: LEAST_BYTES + options.maxAnswerTokens * BYTES_PER_TOKEN,
      characters: options.maxAnswerTokens * CHARACTERS_PER_TOKEN,
    }
  }

  shown(question: ModelQuestion): string {
    return JSON.stringify(this.#body(question), undefined, 2)
  }

  async ask(question: ModelQuestion, signal: AbortSignal): Promise<ModelAnswer> {
    const { timeout } = this.#options
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeout * 1000)])
    const progress = { isSent: false }
    try {
      const response = await this.#post(JSON.stringify(this.#body(question)), limit, progress)
      try {
        return await this.#read(response)
      } finally {
        // also an endless one
        response.destroy()
      }
    } catch (error) {
      const reason = signal.aborted
        ? 'it was given up'
        : limit.aborted
          ? `${this.host} did not answer within ${timeout} seconds`
          : this.#reasonOf(error)
      return { outcome: 'failed', reason, ...(progress.isSent ? {} : { unsent: true }) }
    }
  }

  #body({ instructions, material }: ModelQuestion): Readonly<Record<string, unknown>> {
    const { body, model, maxAnswerTokens } = this.#options
    const own = {
      // newer endpoints have another name for it, which the options give
      ...('max_completion_tokens' in body ? {} : { max_tokens: maxAnswerTokens }),
      stream_options: { include_usage: true },
    }
    const fields = Object.entries({ ...own, ...body }).filter(([, value]) => value !== null)
    return {
      model,
      messages: [
        { role: 'system', content: instructions },
        { role: 'user', content: material },
      ],
      stream: true,
      ...Object.fromEntries(fields),
    }
  }

  /** One request over a connection of its own: no proxy of the environment, no redirect, no address that was not looked at. */
  #post(body: string, signal: AbortSignal, progress: { isSent: boolean }): Promise<IncomingMessage> {
    const { allow, apiKey } = this.#options
    const isSecure = this.#url.protocol === 'https:'
    const make = isSecure ? requestByHttps : requestByHttp
    return new Promise((resolve, reject) => {
      const request = make(this.#url, {
        method: 'POST',
        agent: false,
        signal,
        maxHeaderSize: MAX_HEADER_BYTES,
        ...(isWritten(hostOf(this.#url)) ? {} : { lookup: guardedLookup(networksOf(allow), isSecure) }),
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream, application/json',
          'accept-encoding': 'identity',
          'user-agent': 'Mailwright',
          'content-length': Buffer.byteLength(body),
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
      })
      request.once('response', resolve)
      request.once('socket', (socket) => {
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
          progress.isSent = true
        })
      })
      request.on('error', reject)
      request.end(body)
    })
  }

  async #read(response: IncomingMessage): Promise<ModelAnswer> {
    const { statusCode: status = 0, headers } = response
    if (status >= 300 && status < 400) {
      return {
        outcome: 'refused',
        status,
        reason: `${this.host} redirects, which is not followed: give its final address`,
      }
    }
    if (status < 200 || status > 299) {
      const retryAfter = secondsOf(headers['retry-after'], this.#clock.now())
      const reason = `${this.host} answered with the status ${status}${MEANINGS.get(status) ?? ''}`
      return { outcome: 'refused', status, reason, ...(retryAfter === undefined ? {} : { retryAfter }) }
    }
    const isStream = (headers['content-type'] ?? '').toLowerCase().includes('text/event-stream')
    return { outcome: 'answered', ...(await readAnswer(response, isStream, this.#bounds)) }
  }

  /** Words of the endpoint are not repeated: they may hold the key, or what a mail has put there. */
  #reasonOf(error: unknown): string {
    if (error instanceof Unreadable) return `${this.host}: ${error.message}`
    if (error instanceof Forbidden) return error.message
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    return `${this.host} could not be asked${code}`
  }
}

/** The meaning of the more common refusals for an operator. */
const MEANINGS: ReadonlyMap<number, string> = new Map([
  [400, ': it does not take the request, perhaps for a field that it does not know (option body)'],
  [401, ': the key is not right (option apiKey)'],
  [403, ': the key may not do this (option apiKey)'],
  [404, ': there is no such address or model (options url and model)'],
  [429, ': too many requests'],
])

/** `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3). */
function secondsOf(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  const at = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - now.getTime()) / 1000
  return Number.isFinite(at) ? Math.min(Math.max(1, Math.ceil(at)), MOST_RETRY_AFTER) : undefined
}
