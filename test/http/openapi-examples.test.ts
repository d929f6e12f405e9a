import { beforeAll, describe, expect, it } from 'vitest'
import { installationSettings } from '../../config/mail-server.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { ownProject, type TestApp, testApp } from '../support/app.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { type Ask, EXAMPLES, EXAMPLES_CLOCK, sendExample } from '../support/example-requests.ts'
import { QUICK } from '../support/matrix.ts'

describe('an example of the OpenAPI document succeeds', () => {
  let test: TestApp
  beforeAll(async () => {
    const names = await startDnsServer({})
    atEndOfFile(() => names.close())
    const dns = nodeDns({ servers: [names.address], timeoutMs: 200, tries: 1 })
    test = await testApp(
      QUICK,
      {},
      {
        dns,
        clock: { now: () => EXAMPLES_CLOCK },
        installation: installationSettings({}),
      },
    )
  })

  it.each(EXAMPLES)('$name', async (example) => {
    const { ask } = await ownProject(test)
    const { method, path } = example.route
    const isIt = pathPattern(path)
    // every route warns of keys in its query that it does not know
    const odd: Ask = async (verb, url, options) => {
      if (verb !== method || !isIt.test(url)) return ask(verb, url, options)
      const answer = await ask(verb, `${url}${url.includes('?') ? '&' : '?'}nonsense=1`, options)
      const { warnings, ...body } = answer.body ?? {}
      if (answer.status < 300) {
        expect(answer.headers.get('mailwright-warning') ?? JSON.stringify(warnings)).toContain('nonsense')
      }
      return warnings === undefined ? answer : { ...answer, body }
    }
    await sendExample(odd, example)
  })
})

/** The URLs of a route, whatever their parameters. */
function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/?]+')}(?:\\?|$)`)
}
