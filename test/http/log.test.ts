import { beforeAll, describe, expect, it } from 'vitest'
import { SECRET, type TestApp, testApp } from '../support/app.ts'
import { STORES } from '../support/matrix.ts'
import { ID } from './endpoints.ts'

const TOKEN = 'dG9rZW4tb2YtYWRh.c2lnbmF0dXJl'

/** No address and no token may stand in the log, however the path is written. The store does not matter. */
describe('the line of a request in the log', () => {
  let test: TestApp
  beforeAll(async () => {
    test = await testApp(STORES[0])
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
    ['GET', `/?token=${TOKEN}`, '(unmatched)'],
  ])('%s %s says %s', async (method, path, said) => {
    const before = test.lines.length
    await test.ask(method, path, { key: SECRET })
    const lines = test.lines.slice(before)
    const about = lines.filter(({ message }) => message === 'request')
    expect(about.map(({ fields }) => fields.path)).toEqual([said])
    expect(JSON.stringify(lines)).not.toMatch(/ada(@|%40)|dG9rZW4|c2lnbmF0/)
  })
})
