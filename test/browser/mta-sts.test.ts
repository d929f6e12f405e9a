import { expect, it } from 'vitest'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { dmarcXml } from '../support/reports.ts'
import { testBrowser } from './chromium.ts'
import { type AcmeServer, settled, signIn, startAcme } from './dashboard-server.ts'

const browser = testBrowser()
let server: AcmeServer

anewOnRetry(
  async () => {
    // a policy needs a public address with a name
    server = await startAcme({ publicUrl: 'http://mail.example.com' })
  },
  async () => {
    await server?.stop()
  },
)

// catches a form that sends what the API refuses, or a page that shows neither the records nor the policy that was saved
it('a policy of MTA-STS is saved with its records, and refused beside the field that is wrong', {
  timeout: 120_000,
}, async () => {
  const { engine, project } = server
  const { id } = await engine.domains.add(project, { domain: 'acme.example' })
  const begin = Math.floor(Date.now() / 86_400_000 - 2) * 86_400
  const report = dmarcXml()
    .replace('1776643200', `${begin}`)
    .replace('1776729599', `${begin + 86_399}`)
  await engine.domains.reports.add(project, id, { file: Buffer.from(report.replace('<p>none', '<p>quarantine')) })
  const page = await browser.newPage()
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.goto(server.address(`p/${project.id}/domains/${id}`))
  await signIn(page)
  await settled(page)
  const shows = (words: string) =>
    page.waitForFunction(`document.querySelector('main')?.innerText.includes(${JSON.stringify(words)})`)
  // a policy by its name, and its mail by the number, beside the advice
  await shows('Receivers find the policy p=quarantine. Every message passed DMARC.')
  await page.locator('::-p-aria([name="Mode"][role="combobox"])').click()
  await page.locator('::-p-aria([name="Testing: failures are only reported"][role="option"])').click()
  const exchangers = page.locator('::-p-aria([name="Mail exchangers"][role="textbox"])')
  await exchangers.fill('*.*.example')
  await page.keyboard.press('Enter')
  const wrong = `[...document.querySelectorAll('[aria-invalid="true"]')].map((each) => each.labels?.[0]?.innerText).join()`
  await page.waitForFunction(`${wrong} === 'Mail exchangers'`)
  await shows('Must be the name of a mail exchanger')
  await exchangers.fill('mx.acme.example, *.acme.example')
  await page.keyboard.press('Enter')
  await shows('_mta-sts.acme.example')
  await shows('mta-sts.acme.example')
  const [saved] = await engine.domains.list(project)
  expect(saved?.mtaSts).toEqual({ mode: 'testing', mx: ['mx.acme.example', '*.acme.example'], maxAge: 604_800 })
})
