import { silentLog, systemClock } from 'mailwright'
import { languageModelContract, startModelEndpoint } from 'mailwright/contracts'
import { describe } from 'vitest'
import { ownAssistant } from '../own-assistant.ts'

const secret = 'key-of-the-test'

describe('assistant-own', () => {
  languageModelContract(async () => {
    const endpoint = await startModelEndpoint()
    const plugin = ownAssistant({ url: endpoint.url, apiKey: secret })
    const { assistant } = await plugin.open({ log: silentLog, clock: systemClock })
    return {
      model: assistant,
      secret,
      answers: (text, tokens) => endpoint.answer(text, tokens),
      fails: (how) =>
        endpoint.behave((response) => {
          if (how === 'silence') return
          if (how === 'error') return response.writeHead(500).end(`wrong: ${secret}`)
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          if (how === 'garbage') return response.end('data: {"choices": [{"del\n\n')
          const piece = `data: {"choices":[{"delta":{"content":"${'a'.repeat(1000)}"}}]}\n\n`
          if (how === 'broken') return response.write(piece, () => response.destroy())
          const more = () => {
            while (!response.destroyed && response.write(piece));
            response.once('drain', more)
          }
          more()
        }),
      arrived: () => endpoint.requests.map(({ body }) => JSON.stringify(body)),
      close: () => endpoint.close(),
    }
  })
})
