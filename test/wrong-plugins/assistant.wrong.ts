import type { LanguageModel, ModelAnswer } from '../../core/ports/language-model.ts'
import { openAiAssistant } from '../../plugins/assistant-openai/index.ts'
import { languageModelContract } from '../contracts/language-model.ts'
import { startModelEndpoint } from '../contracts/model-endpoint.ts'
import { KIT } from './kit.ts'
import { right, wrong } from './wrong.ts'

const KEY = 'sk-local-0123456789'

/** The model of an endpoint, changed. */
const changed = (change: (model: LanguageModel) => Partial<LanguageModel>) =>
  languageModelContract(async () => {
    const at = await startModelEndpoint()
    const options = { url: at.url, apiKey: KEY, model: 'small', timeout: 2, maxAnswerTokens: 200 }
    const { assistant } = await openAiAssistant(options).open(KIT)
    const { host, model, maxAnswerTokens, daily } = assistant
    const same: LanguageModel = {
      ...{ host, model, maxAnswerTokens, daily },
      shown: (question) => assistant.shown(question),
      ask: (question, signal) => assistant.ask(question, signal),
    }
    return {
      model: Object.assign(same, change(assistant)),
      secret: KEY,
      answers: (text, tokens) => at.answer(text, tokens),
      fails: (how) => at.fail(how, KEY),
      arrived: () => at.requests.map(({ body }) => JSON.stringify(body)),
      close: () => at.close(),
    }
  })
const answering = (change: (answer: ModelAnswer) => ModelAnswer) =>
  changed((model) => ({ ask: async (...given) => change(await model.ask(...given)) }))

right(() => changed(() => ({})))
wrong('joins what is asked with what it is about', 'never joins the material', () =>
  changed((model) => ({
    ask: ({ instructions, material }, signal) =>
      model.ask({ instructions: '', material: `${instructions}\n${material}` }, signal),
  })),
)
wrong('sends more than it shows', 'sends exactly what it shows', () =>
  changed((model) => ({
    ask: ({ instructions, material }, signal) =>
      model.ask({ instructions: `${instructions} Be brief.`, material }, signal),
  })),
)
wrong('shows its key', 'sends exactly what it shows', () =>
  changed((model) => ({
    shown: (question) => JSON.stringify({ ...JSON.parse(model.shown(question)), key: KEY }),
  })),
)
wrong('rejects when the endpoint fails', 'does not reject, when there is error', () =>
  answering((answer) => {
    if (answer.outcome === 'refused') throw new Error(answer.reason)
    return answer
  }),
)
wrong('takes a part for the whole', 'does not reject, when there is broken', () =>
  answering((answer) => (answer.outcome === 'failed' ? { outcome: 'answered', text: 'aaa' } : answer)),
)
wrong('tries again', 'does not reject, when there is error', () =>
  changed((model) => ({
    ask: async (question, signal) => {
      const answer = await model.ask(question, signal)
      return answer.outcome === 'refused' ? model.ask(question, signal) : answer
    },
  })),
)
wrong('asks although it was given up', 'sends nothing for what was given up before', () =>
  changed((model) => ({ ask: (question) => model.ask(question, new AbortController().signal) })),
)
wrong('drops the count of tokens', 'with the tokens that were counted', () =>
  answering((answer) => (answer.outcome === 'answered' ? { outcome: 'answered', text: answer.text } : answer)),
)
