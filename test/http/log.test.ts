import { beforeAll, describe, expect, it } from 'vitest'
import { MAIL, SECRET, type TestApp, testApp } from '../support/app.ts'
import { ANY } from '../support/matrix.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { ID } from './endpoints.ts'

const TOKEN = 'dG9rZW4tb2YtYWRh.c2lnbmF0dXJl'

/** No address and no token may stand in the log, however the path is written. The store does not matter. */
describe('the line of a request in the log', () => {
  let test: TestApp
  beforeAll(async () => {
    test = await testApp(ANY)
  })

  it.each([
    // routes
    ['GET', `/contacts/${ID}`, `/contacts/${ID}`],
    ['GET', `/workflows/${ID}/executions/x`, `/workflows/${ID}/executions/:executionId`],
    ['GET', '/contacts/ada@example.org', '/contacts/:id'],
    ['DELETE', '/suppressions/ada@example.org', '/suppressions/:idOrEmail'],
    ['DELETE', '/suppressions/ada%40example.org/', '/suppressions/:idOrEmail'],
    ['GET', '/events/ada@example.org/usage', '/events/:eventName/usage'],
    ['GET', '/emails?to=ada@example.org', '/emails'],
    ['GET', `/unsubscribe/${TOKEN}`, '/unsubscribe/:token'],
    ['POST', `/manage/${TOKEN}/`, '/manage/:token'],
    ['GET', `/subscribe/${ID}`, '/subscribe/:token'],
    ['GET', `/t/o/${TOKEN}`, '/t/o/:token'],
    ['GET', `/t/c/${TOKEN}/${ID}`, '/t/c/:token/:link'],
    // another method
    ['DELETE', `/unsubscribe/${TOKEN}`, '/unsubscribe/:token'],
    ['PUT', '/suppressions/ada@example.org', '/suppressions/:idOrEmail'],
    ['OPTIONS', `/t/c/${TOKEN}/0`, '/t/c/:token/:link'],
    // no route
    ['GET', `/u/${TOKEN}/x`, '(unmatched)'],
    ['GET', `/unsubscribe/${TOKEN}/x`, '/unsubscribe/(unmatched)'],
    ['GET', `/unsubscribe/${TOKEN}//`, '/unsubscribe/(unmatched)'],
    ['GET', `/t/${TOKEN}`, '/t/(unmatched)'],
    ['GET', `/unsubscribe%2F${TOKEN}`, '(unmatched)'],
    ['GET', `/UNSUBSCRIBE/${TOKEN}`, '(unmatched)'],
    ['GET', `//unsubscribe/${TOKEN}`, '(unmatched)'],
    ['GET', `/contacts/a/../../unsubscribe/${TOKEN}/x`, '/unsubscribe/(unmatched)'],
    ['GET', `/contacts;${TOKEN}`, '(unmatched)'],
    ['GET', '/ada@example.org', '(unmatched)'],
    ['GET', '/contacts/ada@example.org/%zz', '/contacts/(unmatched)'],
    ['GET', `/?token=${TOKEN}`, '/'],
  ])('%s %s says %s', async (method, path, said) => {
    const before = test.lines.length
    await test.ask(method, path, { key: SECRET })
    const lines = test.lines.slice(before)
    const about = lines.filter(({ message }) => message === 'request')
    expect(about.map(({ fields }) => fields.path)).toEqual([said])
    expect(JSON.stringify(lines)).not.toMatch(/ada(@|%40)|dG9rZW4|c2lnbmF0/)
  })
})

describe('the log of the work behind', () => {
  it('has a line for each mail handed over, and a warning for each webhook that failed, but no flood of them', async () => {
    const egress = { allow: ['127.0.0.0/8'] }
    const test = await testApp(ANY, {}, { egress, webhooks: { retryDelays: [] } })
    const receiver = await startReceiver((_request, response) => response.writeHead(500).end())
    const url = `${receiver.url}/token/${TOKEN}`
    const { id: endpointId } = (await test.ask('POST', '/webhooks', { json: { url, events: ['seen'] } })).body
    await test.engine.start()
    await test.ask('POST', '/v1/send', { json: MAIL })
    const lines = (message: string) => test.lines.filter((line) => line.message === message)
    await until('the mail is handed over', () => lines('a mail was handed over').length > 0)
    const track = (i: number) =>
      test.ask('POST', '/v1/track', { json: { email: `ada${i}@example.org`, event: 'seen' } })
    await track(0)
    await until('the webhook has failed', () => lines('a webhook failed').length > 0)
    expect(lines('a webhook failed')[0]).toMatchObject({
      level: 'warn',
      fields: { endpointId, eventName: 'seen', attempts: 1, reason: 'The receiver answered 500.' },
    })
    for (let i = 1; i < 14; i++) await track(i)
    await until('all have failed', () => receiver.requests.length === 14, 15_000)
    await until(
      'all are recorded',
      async () => {
        const { body } = await test.ask('GET', '/webhooks/deliveries?status=FAILED')
        return body.total === 14
      },
      15_000,
    )
    expect(lines('a webhook failed')).toHaveLength(10)
    expect(lines('a mail was handed over')).toMatchObject([{ level: 'debug', fields: { transport: 'mail-outbox' } }])
    expect(JSON.stringify(lines('a webhook failed'))).not.toContain(TOKEN)
  })
})
