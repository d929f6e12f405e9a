import type { Page } from 'puppeteer-core'
import { expect, it } from 'vitest'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { until } from '../support/until.ts'
import { look, testBrowser } from './chromium.ts'
import { type AcmeServer, settled, signIn, startAcme } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

const browser = testBrowser()
let server: AcmeServer

anewOnRetry(
  async () => {
    server = await startAcme()
  },
  async () => {
    await server?.stop()
  },
)

const text = (page: Page) => page.evaluate<[], () => string>(`document.querySelector('main').innerText`)
const pressed = (page: Page, name: string, role = 'button') =>
  page.locator(`::-p-aria([name="${name}"][role="${role}"])`).click()

// catches a mode that the settings do not save, and a mail that the page of the sandbox shows in part
it('a project for tests is set in the settings, and its mail is read as in a mail program', {
  timeout: 120_000,
}, async () => {
  const { engine, project } = server
  const page = await browser.newPage()
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.setViewport({ width: 1280, height: 900 })
  await page.goto(server.address(`p/${project.id}/sandbox`))
  await signIn(page)
  await page.waitForFunction(`document.body.innerText.includes('No mail was caught')`)
  await pressed(page, 'Change this in the settings', 'link')
  await settled(page)
  await (await page.waitForSelector('::-p-aria([name="Mail of the project"][role="combobox"])'))?.click()
  await pressed(page, 'Goes to members and allowed recipients alone', 'option')
  await page
    .locator('textarea[name="allowedRecipients"], ::-p-aria([name="Allowed recipients"][role="textbox"])')
    .fill('qa@example.com')
  await look(page, 'mode')
  await pressed(page, 'Save')
  await until('it is saved', async () => (await engine.projects.get(project.id)).mode === 'members')
  expect((await engine.projects.get(project.id)).allowedRecipients).toEqual(['qa@example.com'])

  const now = await engine.projects.get(project.id)
  const mail = {
    to: 'grace@example.org',
    from: 'news@example.com',
    cc: 'Copy <copy@example.org>',
    subject: 'Your code for Acme',
    body: '<h1 style="color:#0b7285">Hello Grace</h1><p>Your code is</p><p><b>482 913</b></p><p><a href="https://acme.example/in?u=1">Sign in</a></p>',
    attachments: [
      { filename: 'terms.txt', contentType: 'text/plain', content: Buffer.from('Terms').toString('base64') },
    ],
  }
  const { answer } = await engine.sending.send(now, mail)
  const id = answer.emails[0]?.email ?? ''
  await engine.sending.send(now, {
    ...mail,
    to: 'other@example.org',
    subject: 'Another',
    body: '<p>Nothing to type</p>',
  })
  await engine.sandbox.list(now, { to: 'other@example.org', wait: 20 })
  await engine.sandbox.list(now, { to: 'grace@example.org', wait: 20 })
  await page.goto(server.address(`p/${project.id}/sandbox`))
  await page.waitForFunction(`document.querySelector('main')?.innerText.includes('Another')`)
  await page.locator(`main a[href*="${id}"]`).click()
  await page.waitForSelector('main iframe')
  await until('the mail is shown', async () => {
    const frame = page.frames().find((each) => each.url().includes('/frame'))
    return (await frame?.evaluate<[], () => string>('document.body?.innerText ?? ""'))?.includes('482 913')
  })
  await look(page, 'sandbox')
  expect(await faultsOf(page)).toEqual([])
  const shown = await text(page)
  expect(shown).toContain('482913')
  expect(shown).toContain('Copy <copy@example.org>')
  await pressed(page, 'Links (1)', 'tab')
  await page.waitForFunction(`document.querySelector('main')?.innerText.includes('https://acme.example/in?u=1')`)
  await pressed(page, 'Files (1)', 'tab')
  await page.waitForFunction(`document.querySelector('main')?.innerText.includes('terms.txt')`)
  await pressed(page, 'Header', 'tab')
  await page.waitForFunction(`document.querySelector('main')?.innerText.includes('Message-ID')`)
  await pressed(page, 'Source', 'tab')
  await page.waitForFunction(`document.querySelector('main pre')?.innerText.includes('MIME-Version: 1.0')`)
  await look(page, 'sandbox-source')

  await page.setViewport({ width: 390, height: 800 })
  await page.evaluate(`localStorage.setItem('mailwright-language', 'de')`)
  await page.goto(server.address(`p/${project.id}/sandbox?to=grace@example.org`))
  await page.waitForFunction(`document.querySelector('main')?.innerText.includes('Your code for Acme')`)
  expect(await text(page)).not.toContain('Another')
  await look(page, 'sandbox-phone')
  await page.locator(`main a[href*="${id}"]`).click()
  await page.waitForSelector('main iframe')
  await page.waitForFunction('document.documentElement.scrollWidth <= innerWidth')
  await look(page, 'sandbox-phone-mail')
  expect(await faultsOf(page)).toEqual([])
  await page.evaluate(`localStorage.removeItem('mailwright-language')`)
  const third = await engine.sending.send(now, { ...mail, to: 'third@example.org', subject: 'Third' })
  await engine.sandbox.list(now, { to: 'third@example.org', wait: 20 })
  await page.goto(server.address(`p/${project.id}/sandbox/${third.answer.emails[0]?.email}`))
  await pressed(page, 'Remove')
  await until('it is removed', async () => (await engine.sandbox.list(now)).items.length === 2)
  await page.goto(server.address(`p/${project.id}/sandbox/${id}`))
  await pressed(page, 'Clear')
  await (await page.waitForSelector('[role="dialog"] button::-p-text(Clear)'))?.click()
  await until('it is cleared', async () => (await engine.sandbox.list(now)).items.length === 0)
  await page.waitForFunction(`document.body.innerText.includes('No mail was caught')`)
  // the mail that was open is gone, and its page with it
  expect(new URL(page.url()).pathname).toMatch(/\/sandbox\/?$/)
})
