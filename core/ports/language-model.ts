/**
 * Writes texts by a language model, for the assistant. It only answers: it knows nothing of mails or projects, keeps nothing, and
 * acts on nothing that it reads. What may be done with an answer is decided by the room that asked.
 */
export interface LanguageModel {
  /** Where questions are sent to, for people: a host such as `api.example.com`, or `127.0.0.1:11434`. Never a secret. */
  readonly host: string
  /** The name of the model. */
  readonly model: string
  /** How many tokens an answer has at most. */
  readonly maxAnswerTokens: number
  /** The most that one project may use in a day (UTC). The engine counts, over all processes. */
  readonly daily: DailyBudget

  /** The request that `ask` would make, as text for people: whole, without the key. It sends nothing. */
  shown(question: ModelQuestion): string

  /**
   * Asks once, and answers within `timeout` of the model or when the signal is aborted. Expected outcomes are answered,
   * however wrong, slow or long the answer of the endpoint is; a throw means a fault of ours. It tries nothing again, follows
   * no redirects, and never reads more than an answer of `maxAnswerTokens` can have.
   */
  ask(question: ModelQuestion, signal: AbortSignal): Promise<ModelAnswer>
}

/** The model that is configured; absent: the assistant is off. */
export interface ModelSocket {
  readonly model?: LanguageModel
}
export const ModelSocket = Symbol('ModelSocket')

/** The most that one project may use in a day. */
export interface DailyBudget {
  /** Requests to the endpoint, answered or not. */
  readonly requests: number
  /** Of questions and answers together, as the endpoint counts them. */
  readonly tokens: number
}

/** A question to a model. */
export interface ModelQuestion {
  /** The task: words of this server and of the people who may instruct it. */
  readonly instructions: string
  /** The data that it is about, of which parts may come from outside. It is never joined with the instructions. */
  readonly material: string
}

export type ModelAnswer =
  /** Text, as the model wrote it: as untrusted as what it has read. */
  | {
      readonly outcome: 'answered'
      readonly text: string
      /** Tokens of question and answer, where the endpoint counts them. */
      readonly tokens?: number
      /** True: the model stopped at the most tokens that an answer may have, so that its end is missing. */
      readonly isCut?: true
    }
  /** The endpoint answered that it will not: a wrong key, too many requests, trouble of its own, a redirect. */
  | {
      readonly outcome: 'refused'
      readonly status: number
      /** One sentence for people, without secrets. */
      readonly reason: string
      /** After how many seconds it may be asked again, where it says so. */
      readonly retryAfter?: number
    }
  /** No whole answer: unreachable, forbidden, too slow, too long, or unreadable. */
  | {
      readonly outcome: 'failed'
      /** One sentence for people, without secrets. */
      readonly reason: string
      /** Certainly nothing was sent. */
      readonly unsent?: true
    }
