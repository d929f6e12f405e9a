import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { LanguageModel } from '../../core/ports/language-model.ts'
import { silentLog } from '../../core/ports/log.ts'
import { openAiAssistant } from '../../plugins/assistant-openai/index.ts'
import { guardedLookup } from '../../plugins/assistant-openai/reach.ts'
import { readAnswer } from '../../plugins/assistant-openai/read-answer.ts'
import { networksOf } from '../../plugins/kit/net/forbidden-range.ts'
import { languageModelContract } from '../contracts/language-model.ts'
import { type ModelEndpoint, startModelEndpoint, streamText } from '../contracts/model-endpoint.ts'

const NOW = new Date('2026-03-01T09:00:00Z')
const kit = { log: silentLog, clock: { now: () => NOW } }
const KEY = 'sk-local-0123456789'
const QUESTION = { instructions: 'Say ok.', material: '{}' }
const never = new AbortController().signal

let endpoint: ModelEndpoint | undefined
afterEach(async () => {
  await endpoint?.close()
  endpoint = undefined
})

async function started(options: object = {}): Promise<{ readonly model: LanguageModel; readonly at: ModelEndpoint }> {
  endpoint = await startModelEndpoint()
  const given = { url: endpoint.url, apiKey: KEY, model: 'small', timeout: 2, ...options }
  const { assistant } = await openAiAssistant(given).open(kit)
  return { model: assistant, at: endpoint }
}

const problems = (options: object) =>
  openAiAssistant({ url: 'https://api.example.com/v1', model: 'small', ...options }).problems()

describe('the assistant at an endpoint of chat completions', () => {
  languageModelContract(async () => {
    const { model, at } = await started({ maxAnswerTokens: 200 })
    return {
      model,
      secret: KEY,
      answers: (text, tokens) => at.answer(text, tokens),
      fails: (how) => at.fail(how, KEY),
      arrived: () => at.requests.map(({ body }) => JSON.stringify(body)),
      close: () => at.close(),
    }
  })

  it('sends its key, its model and the bound of the answer, and asks for a stream', async () => {
    const { model, at } = await started({ body: { temperature: 0.2, stream_options: null } })
    expect(await model.ask(QUESTION, never)).toMatchObject({ outcome: 'answered', text: 'ok', tokens: 3 })
    expect(at.requests).toMatchObject([
      { path: '/v1/chat/completions', headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' } },
    ])
    expect(at.requests[0]?.body).toEqual({
      model: 'small',
      messages: [
        { role: 'system', content: 'Say ok.' },
        { role: 'user', content: '{}' },
      ],
      stream: true,
      max_tokens: 1500,
      temperature: 0.2,
    })
  })

  it('bounds the answer by the name that newer endpoints have for it', async () => {
    const { model, at } = await started({ body: { max_completion_tokens: 700 } })
    await model.ask(QUESTION, never)
    expect(at.requests[0]?.body).toMatchObject({ max_completion_tokens: 700 })
    expect(at.requests[0]?.body).not.toHaveProperty('max_tokens')
  })

  it('reads an answer that is no stream, and one that was cut', async () => {
    const { model, at } = await started()
    const whole = { choices: [{ message: { content: 'Gern.' }, finish_reason: 'stop' }], usage: { total_tokens: 9 } }
    at.behave((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole)))
    expect(await model.ask(QUESTION, never)).toEqual({ outcome: 'answered', text: 'Gern.', tokens: 9 })
    const cut = { choices: [{ message: { content: 'Ger' }, finish_reason: 'length' }] }
    at.behave((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(cut)))
    expect(await model.ask(QUESTION, never)).toEqual({ outcome: 'answered', text: 'Ger', isCut: true })
  })

  it('ends with the answer, also where the endpoint leaves the stream open', async () => {
    const { model, at } = await started({ timeout: 30 })
    at.behave((response) => {
      response.end = (() => response) as typeof response.end
      streamText(response, 'done')
    })
    const begun = performance.now()
    expect(await model.ask(QUESTION, never)).toMatchObject({ outcome: 'answered', text: 'done' })
    expect(performance.now() - begun).toBeLessThan(5_000)
  })

  it.each([
    ['an error in the stream', 'data: {"error":{"message":"overloaded"}}\n\n', /broke its answer off/],
    ['JSON of another kind', 'data: {"choices":"none"}\n\n', /not that of a chat-completions endpoint/],
    ['a page', '<html>Sign in</html>', /not whole|before it was whole/],
  ])('refuses %s', async (_what, body, reason) => {
    const { model, at } = await started()
    at.behave((response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body))
    expect(await model.ask(QUESTION, never)).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(reason) })
  })

  it('refuses a document that is too large, before it is there', async () => {
    const { model, at } = await started({ maxAnswerTokens: 50 })
    let sent = 0
    at.behave((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        while (!response.destroyed && sent < 50_000_000 && response.write(' '.repeat(10_000))) sent += 10_000
        response.once('drain', more)
      }
      more()
    })
    const answer = await model.ask(QUESTION, never)
    expect(answer).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('longer than 115536 bytes') })
    expect(sent).toBeLessThan(20_000_000)
  })

  it('reads a line that comes byte by byte in a time that grows with its length, and halves of line ends', async () => {
    const bounds = { bytes: 1_000_000, characters: 1_000_000 }
    async function* bytesOf(text: string) {
      for (const byte of Buffer.from(text)) yield Buffer.of(byte)
    }
    const event = 'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}'
    for (const end of ['\r\n', '\n', '\r'])
      expect(await readAnswer(bytesOf(`: hi${end}${event}${end}${end}data: [DONE]${end}{`), true, bounds)).toEqual({
        text: 'a',
      })
    const begun = performance.now()
    await expect(readAnswer(bytesOf(': '.repeat(100_000)), true, bounds)).rejects.toThrow('before it was whole')
    // a search of all that came, for each byte, takes half a minute
    expect(performance.now() - begun).toBeLessThan(5_000)
  })

  it('says when it may be asked again', async () => {
    const { model, at } = await started()
    at.behave((response) => response.writeHead(429, { 'retry-after': '17' }).end())
    expect(await model.ask(QUESTION, never)).toMatchObject({ outcome: 'refused', status: 429, retryAfter: 17 })
    const later = new Date(NOW.getTime() + 90_000).toUTCString()
    at.behave((response) => response.writeHead(503, { 'retry-after': later }).end())
    expect(await model.ask(QUESTION, never)).toMatchObject({ outcome: 'refused', status: 503, retryAfter: 90 })
    at.behave((response) => response.writeHead(401).end(`the key ${KEY} is wrong`))
    const answer = await model.ask(QUESTION, never)
    expect(answer).toMatchObject({ outcome: 'refused', status: 401, reason: expect.stringContaining('option apiKey') })
    expect(JSON.stringify(answer)).not.toContain(KEY)
  })

  it('follows no redirect', async () => {
    const { model, at } = await started()
    const elsewhere = await startModelEndpoint()
    at.behave((response) => response.writeHead(307, { location: `${elsewhere.url}/chat/completions` }).end())
    expect(await model.ask(QUESTION, never)).toMatchObject({ outcome: 'refused', status: 307 })
    expect(elsewhere.requests).toEqual([])
    await elsewhere.close()
  })

  it('says that nothing was sent when nothing listens there', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const { model } = await started({ url: `http://127.0.0.1:${port}/v1` })
    const answer = await model.ask(QUESTION, never)
    expect(answer).toMatchObject({ outcome: 'failed', unsent: true, reason: expect.stringContaining('ECONNREFUSED') })
  })

  it('reaches localhost where the operator has written it, but no name that leads there', async () => {
    const { at } = await started()
    const { port } = new URL(at.url)
    const { assistant } = await openAiAssistant({ url: `http://localhost:${port}/v1`, model: 'small' }).open(kit)
    expect(await assistant.ask(QUESTION, never)).toMatchObject({ outcome: 'answered' })
    // the one name that every system leads to loopback
    const found = (allow: readonly string[], isSecure: boolean) =>
      new Promise((resolve) =>
        guardedLookup(networksOf(allow), isSecure)('localhost', { all: true, family: 4 }, (error, addresses) =>
          resolve(error?.message ?? addresses),
        ),
      )
    expect(await found([], true)).toBe(
      'localhost is at an address that may not be reached (loopback); the option allow decides',
    )
    expect(await found(['10.0.0.0/8'], false)).toMatch(/may not be reached/)
    expect(await found(['127.0.0.0/8'], false)).toEqual([{ address: '127.0.0.1', family: 4 }])
  })

  it('refuses options that would leak or cannot work', () => {
    expect(problems({})).toEqual([])
    expect(problems({ url: 'http://10.0.0.5:8000/v1' })).toEqual([])
    expect(problems({ url: 'http://93.184.216.34/v1' })).toMatchObject([
      { field: 'url', message: expect.stringContaining('begin with https') },
    ])
    for (const url of ['ftp://a.example', 'https://user:pass@a.example/v1', 'https://a.example/v1?key=1', 'nothing'])
      expect(problems({ url }), url).toMatchObject([{ field: 'url' }])
    expect(problems({ body: { messages: [] } })).toMatchObject([{ field: 'body' }])
    expect(problems({ allow: ['everything'] })).toMatchObject([{ field: 'allow.0' }])
    expect(problems({ apiKey: 'two words' })).toMatchObject([{ field: 'apiKey' }])
    expect(problems({ requestsperday: 1 })).toMatchObject([
      { field: 'requestsperday', message: expect.stringContaining('requestsPerDay') },
    ])
  })
})
