import { definePlugin } from '../../core/plugin/plugin.ts'
import { OpenAiModel } from './open-ai-model.ts'
import { AssistantOpenAiOptions } from './options.ts'

/**
 * The assistant's model behind any endpoint that speaks OpenAI's chat completions, also a local one:
 * `openAiAssistant({ url: 'http://127.0.0.1:11434/v1', model: 'qwen3:8b' })`.
 */
export const openAiAssistant = definePlugin({
  name: 'assistant-openai',
  provides: ['assistant'],
  options: AssistantOpenAiOptions,
  describe: ({ url, model }) => `${model} at ${new URL(url).host}`,
  open(options, { clock }) {
    return { assistant: new OpenAiModel(options, clock) }
  },
})
