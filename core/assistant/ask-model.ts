import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { LanguageModel, ModelAnswer, ModelQuestion, ModelSocket } from '../ports/language-model.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import { reserve } from './budget.ts'

/** A question as it goes to the model, and where. */
export interface SentQuestion {
  /** The host that it goes to. */
  readonly host: string
  /** The name of the model. */
  readonly model: string
  /** The whole request, as it is sent, without the key. */
  readonly request: string
}

/** The text of a model, and how many tokens were counted. */
export interface AskedModel {
  readonly text: string
  readonly tokens: number
}

/** The configured model. Throws EngineError `RESOURCE_NOT_FOUND` when the assistant is off. */
export function requireModel({ model }: ModelSocket): LanguageModel {
  if (model !== undefined) return model
  throw new EngineError('RESOURCE_NOT_FOUND', 'The assistant is off: this server has none.', {
    suggestion: 'The operator turns it on by the key assistant of the configuration.',
  })
}

/** The question as people see it. */
export function sentTo(model: LanguageModel, question: ModelQuestion): SentQuestion {
  return { host: model.host, model: model.model, request: model.shown(question) }
}

/**
 * Asks the model once, within the budget of the project. Throws EngineError `QUOTA_EXCEEDED`, `SERVICE_UNAVAILABLE` with the reason
 * when there is no whole answer.
 */
export async function askModel(
  {
    store,
    kit,
    model,
  }: { readonly store: Pick<Repositories, 'attempts'>; readonly kit: Kit; readonly model: LanguageModel },
  project: Pick<Project, 'id'>,
  question: ModelQuestion,
  signal: AbortSignal,
): Promise<AskedModel> {
  const asked = estimated(question.instructions) + estimated(question.material)
  const most = asked + model.maxAnswerTokens
  const reserved = await reserve(store, kit.now(), project.id, model.daily, most)
  let used = most
  try {
    const answer = await model.ask(question, signal)
    used = tokensOf(answer, asked, most)
    if (answer.outcome === 'answered' && !answer.isCut) return { text: answer.text, tokens: used }
    throw unanswered(answer, model)
  } finally {
    await reserved.settle(used)
  }
}

/**
 * Tokens of the endpoint; where it counts none, those that the texts have at most in most languages. An endpoint may have written, and
 * counted, a whole answer that never came here: then it is all that was put aside.
 */
function tokensOf(answer: ModelAnswer, asked: number, most: number): number {
  switch (answer.outcome) {
    case 'answered':
      return answer.tokens ?? (answer.isCut ? most : asked + estimated(answer.text))
    case 'refused':
      return 0
    case 'failed':
      return answer.unsent ? 0 : most
  }
}

function estimated(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3) + 8
}

function unanswered(answer: ModelAnswer, { maxAnswerTokens }: LanguageModel): EngineError {
  if (answer.outcome === 'answered') {
    const message = `The assistant has no whole answer: it is longer than ${maxAnswerTokens} tokens.`
    return new EngineError('SERVICE_UNAVAILABLE', message, { isTold: true, suggestion: 'Ask for less at once.' })
  }
  return new EngineError('SERVICE_UNAVAILABLE', `The assistant has no answer: ${answer.reason}.`, {
    isTold: true,
    ...(answer.outcome === 'refused' && answer.retryAfter !== undefined ? { retryAfter: answer.retryAfter } : {}),
  })
}
