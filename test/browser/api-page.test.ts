import { expect, it, onTestFinished } from 'vitest'
import { ANY } from '../support/matrix.ts'
import { testBrowser } from './chromium.ts'
import { startPageServer } from './mailed-pages.ts'

const browser = testBrowser()

it('the page of the interface shows the endpoints in a real browser, with nothing from elsewhere and no complaint', async () => {
  const server = await startPageServer(ANY.store(), 'Acme')
  onTestFinished(() => server.stop())
  const page = await browser.newPage()
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  const url = new URL('/docs', server.engine.publicUrl)
  await page.goto(url.href)
  await page.waitForSelector('.opblock-tag')
  expect(await page.evaluate('document.querySelectorAll(".opblock-tag").length')).toBeGreaterThan(15)
  await page.click('#operations-tag-Templates .expand-operation, #operations-tag-Templates')
  await page.waitForSelector('.opblock')
  expect(await page.evaluate('document.querySelector(".opblock-summary-path").textContent')).toContain('templates')
  expect(asked.filter((each) => !each.startsWith(url.origin) && !each.startsWith('data:'))).toEqual([])
  expect(complaints).toEqual([])
}, 120_000)
