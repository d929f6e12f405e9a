import { beforeAll, describe, expect, it } from 'vitest'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { PUBLIC, SECRET, testApp } from '../support/app.ts'
import { LINK_SETTINGS } from '../support/contact-links.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { QUICK } from '../support/matrix.ts'
import { commandsOf, runPage } from '../support/run-page.ts'

/** Pages on which every command can be pasted as it stands. */
const PAGES = [
  ...['archive', 'campaigns', 'contacts', 'filters', 'forms', 'keys', 'segments', 'send-plan', 'series', 'templates'],
  ...['topics', 'webhooks', 'workflows'],
]

describe('the commands of the documentation', () => {
  let server: HttpServer
  const projects = PAGES.map((name, i) => ({
    name,
    secretKey: `sk_${String.fromCharCode(103 + i).repeat(48)}`,
    trustedDomains: ['example.com'],
  }))
  beforeAll(async () => {
    const first = { name: 'First', secretKey: SECRET, publicKey: PUBLIC, trustedDomains: ['example.com'] }
    const test = await testApp(QUICK, {}, { ...LINK_SETTINGS, projects: [first, ...projects] })
    await test.engine.start()
    server = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
    atEndOfFile(() => server.close(0))
  })

  it.each(PAGES)('on docs/%s.md do what the page says', async (page) => {
    const key = projects.find(({ name }) => name === page)?.secretKey ?? ''
    const blocks = commandsOf(`docs/${page}.md`)
    expect(blocks.length).toBeGreaterThan(0)
    const { code, printed, log } = await runPage(blocks, { url: server.url, key })
    expect(code, log).toBe(0)
    // the page says that each of its filters finds its one contact
    if (page === 'filters') expect(printed.join('').match(/"count":\d+/g)).toEqual(Array(22).fill('"count":1'))
  })
})
