import { definePlugin } from 'mailwright'
import { openAiAssistant } from 'mailwright/plugins/assistant-openai'

/** Begins as the built-in one for endpoints of chat completions. Put your own code into one method after another. */
export const ownAssistant = definePlugin({
  name: 'assistant-own',
  provides: ['assistant'],
  async open({ url, apiKey }: { readonly url: string; readonly apiKey: string }, kit) {
    const { assistant } = await openAiAssistant({ url, apiKey, model: 'small', timeout: 2 }).open(kit)
    const { host, model, maxAnswerTokens, daily } = assistant
    return {
      assistant: {
        host,
        model,
        maxAnswerTokens,
        daily,
        shown: (question) => assistant.shown(question),
        ask: (question, signal) => assistant.ask(question, signal),
      },
    }
  },
})
