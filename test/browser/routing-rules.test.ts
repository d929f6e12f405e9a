import type { Page } from 'puppeteer-core'
import { expect, it } from 'vitest'
import { installationSettings } from '../../config/mail-server.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { toSink } from '../support/engine.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { look, testBrowser } from './chromium.ts'
import { type AcmeServer, settled, signIn, startAcme } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

const browser = testBrowser()
let server: AcmeServer
let sink: SmtpSink

async function begin(): Promise<void> {
  const judge = ({ to }: { readonly to: readonly string[] }) =>
    to[0]?.startsWith('no') ? { code: 554, message: '5.7.1 we do not know you' } : undefined
  sink = await startSmtpSink({ judge })
  server = await startAcme({
    transports: [toSink(sink, 'main'), toSink(sink, 'bulk')],
    installation: installationSettings({ transportsFrom: 'transports' }),
    delivery: {
      threads: 0,
      throttle: { transports: { bulk: { quota: { day: 50_000 } } } },
      routes: [{ name: 'receipts', when: { tag: { stream: 'receipts' } }, to: 'main' }],
    },
  })
}

async function end(): Promise<void> {
  await server?.stop()
  await sink?.close()
}

anewOnRetry(begin, end)

const shows = (page: Page, words: string) =>
  page.waitForFunction(`document.querySelector('body')?.innerText.includes(${JSON.stringify(words)})`)
const pressed = (page: Page, name: string, role = 'button') =>
  page.locator(`::-p-aria([name="${name}"][role="${role}"])`).click()
const typed = async (page: Page, name: string, words: string) => {
  await page.locator(`::-p-aria([name="${name}"][role="textbox"])`).click()
  await page.keyboard.type(words)
}
const chosen = async (page: Page, name: string, option: string) => {
  await (await page.waitForSelector(`::-p-aria([name="${name}"][role="combobox"])`))?.click()
  await pressed(page, option, 'option')
}

// catches a form whose conditions or shares the API does not take as they are shown, and a refusal that is not beside its field
it('the operator makes a rule, mends a wrong one, changes their order, and asks which decides', {
  timeout: 120_000,
}, async () => {
  const { rules } = server.engine.installation.routes
  const page = await browser.newPage()
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.setViewport({ width: 1280, height: 1300 })
  await page.goto(server.address(`p/${server.project.id}/mails`))
  await signIn(page)
  await page.goto(server.address('operator'))
  await settled(page)
  await shows(page, 'Today (UTC)')
  await pressed(page, 'Rules of routing', 'link')
  await shows(page, 'Rules of the configuration come first')
  await pressed(page, 'Add a rule')
  await typed(page, 'Name', 'news')
  await chosen(page, 'Values of condition 1', 'Campaign')
  await page.keyboard.press('Escape')
  await chosen(page, 'Transport 1', 'bulk')
  await pressed(page, 'Add a transport')
  await chosen(page, 'Transport 2', 'main')
  await look(page, 'routing-form')
  expect(await faultsOf(page)).toEqual([])
  await pressed(page, 'Save')
  await until('it is stored', async () => (await rules.list()).rules.length === 1)
  expect((await rules.list()).rules).toEqual([
    { name: 'news', when: { class: ['campaign'] }, to: { bulk: 1, main: 1 } },
  ])
  await shows(page, 'Goes through bulk 50 %, main 50 %.')

  // the configuration takes all of this before
  await pressed(page, 'Add a rule')
  await chosen(page, 'What condition 1 looks at', 'Tag')
  await typed(page, 'Name of condition 1', 'stream')
  await typed(page, 'Values of condition 1', 'receipts')
  await chosen(page, 'Transport 1', 'bulk')
  await pressed(page, 'Save')
  await shows(page, 'Rule 3: can never decide: delivery.routes[0] (receipts)')
  await look(page, 'routing-refused')
  // the API has one value for a tag and one share for a transport: the other would be lost
  await pressed(page, 'Add a condition')
  await chosen(page, 'What condition 2 looks at', 'Tag')
  await typed(page, 'Name of condition 2', 'stream')
  await pressed(page, 'Save')
  await shows(page, '“tag stream” is there twice.')
  await pressed(page, 'Remove condition 2')
  await pressed(page, 'Add a transport')
  await chosen(page, 'Transport 2', 'bulk')
  await pressed(page, 'Save')
  await shows(page, '“bulk” is there twice.')
  await pressed(page, 'Remove transport 2')
  await page.locator('::-p-aria([name="Values of condition 1"][role="textbox"])').fill('shop')
  await pressed(page, 'Save')
  await until('it is stored', async () => (await rules.list()).rules.length === 2)
  await pressed(page, 'Move up: Rule 3')
  await until('it is the first', async () => (await rules.list()).rules[1]?.name === 'news')
  await shows(page, 'Rule 3: news')
  await pressed(page, 'Move down: Rule 2')
  await until('it is the last', async () => (await rules.list()).rules[0]?.name === 'news')
  await pressed(page, 'Edit: Rule 2: news')
  await page.locator('::-p-aria([name="Name"][role="textbox"])').fill('letters')
  await pressed(page, 'Save')
  await until('it has another name', async () => (await rules.list()).rules[0]?.name === 'letters')
  await pressed(page, 'Edit: Rule 2: letters')
  await page.locator('::-p-aria([name="Name"][role="textbox"])').fill('news')
  await pressed(page, 'Save')
  await shows(page, 'Rule 2: news')
  await pressed(page, 'Move up: Rule 3')
  await shows(page, 'Rule 3: news')

  await typed(page, 'From', 'news@example.com')
  await typed(page, 'To', 'ada@example.org')
  await chosen(page, 'Class', 'Campaign')
  await pressed(page, 'Explain')
  await shows(page, 'Rule 3 (news) decides: class is Campaign.')
  await shows(page, 'Rule 1 (receipts) does not fit: tag stream is absent or not known; it wants receipts.')
  await look(page, 'routing')
  expect(await faultsOf(page)).toEqual([])
  // an answer is not shown beside another question
  await typed(page, 'To', '.example')
  await page.waitForFunction(`document.querySelector('main')?.innerText.includes('(news) decides') === false`)
  await pressed(page, 'Remove: Rule 3: news')
  await until('it is gone', async () => (await rules.list()).rules.length === 1)
  await page.waitForFunction(`!document.querySelector('main')?.innerText.includes('Rule 3: news')`)
  await (await page.$$('::-p-aria([name="Undo"][role="button"])')).at(-1)?.click()
  await until('it is back', async () => (await rules.list()).rules.length === 2)

  // while it is edited, another operator puts a rule before it, and the page learns of that
  await pressed(page, 'Edit: Rule 3: news')
  await page.locator('::-p-aria([name="Name"][role="textbox"])').fill('letters')
  const [shop, news] = (await rules.list()).rules
  const others = { when: { tag: { stream: 'others' } }, to: 'main' }
  await rules.change({ rules: [others, ...[shop, news].flatMap((rule) => rule ?? [])] })
  await until('it is shown behind the form', () =>
    page.evaluate(
      `window.dispatchEvent(new Event('visibilitychange')), document.querySelector('main')?.innerText.includes('Rule 4: news') === true`,
    ),
  )
  await pressed(page, 'Save')
  await shows(page, 'Someone else changed this meanwhile.')
  expect((await rules.list()).rules).toMatchObject([others, { to: 'bulk' }, { name: 'news' }])
  await pressed(page, 'Cancel')
  await page.waitForFunction(`document.querySelector('[role="dialog"]') === null`)
  await pressed(page, 'Remove: Rule 2')
  await until('it is gone', async () => (await rules.list()).rules.length === 2)

  // a ramp, which goes back and begins again
  await pressed(page, 'Edit: Rule 2')
  await pressed(page, 'Move mail to another transport step by step', 'checkbox')
  await chosen(page, 'New transport', 'main')
  await page.locator('::-p-aria([name="First day, in percent"][role="textbox"])').fill('100')
  // the news of the last change lies beside the panel, not over its button
  await pressed(page, 'Save')
  await shows(page, 'Is needed beside ramp')
  await typed(page, 'Name', 'shop')
  await look(page, 'routing-ramp-form')
  expect(await faultsOf(page)).toEqual([])
  // an empty field is not taken for zero
  const add = page.locator('::-p-aria([name="More each day, in percent"][role="textbox"])')
  await add.click()
  await page.keyboard.press('End')
  await until('it is empty', async () => {
    await page.keyboard.press('Backspace')
    return page.evaluate(`document.activeElement.value === ''`)
  })
  await page.keyboard.press('Enter')
  await shows(page, 'Must be a number from 0 to 100')
  await add.fill('10')
  await page.keyboard.press('Enter')
  await shows(page, 'on, 100% tries main first; back to nothing above 2% refusals.')
  await shows(page, 'Today: 100%. No answers yet today.')
  const project = await server.engine.projects.get(server.project.id)
  const mail = { from: 'news@example.com', subject: 'Shop', body: '<p>Hi</p>', tags: { stream: 'shop' } }
  const to = Array.from({ length: 100 }, (_, i) => `${i < 3 ? 'no' : 'p'}${i}@example.org`)
  await server.engine.sending.send(project, { ...mail, to })
  const state = async () => (await server.engine.analytics.operations.view()).routeRamps[0]
  await until('it went back', async () => (await state())?.isBack)
  await page.reload()
  await shows(page, 'Went back: main refused too much.')
  await shows(page, 'On its worst day: 100 mails, 3 refused.')
  await look(page, 'routing-ramp-back')
  await pressed(page, 'Start the ramp again: shop')
  await until('it has begun again', async () => (await state())?.isBack === false)
  await shows(page, 'Today: 100%. No answers yet today.')

  await page.setViewport({ width: 390, height: 800 })
  await look(page, 'routing-narrow')

  const { answer } = await server.engine.sending.send(project, { ...mail, to: 'ada@example.org' })
  await sink.waitFor(98)
  await page.setViewport({ width: 1280, height: 1300 })
  await page.goto(server.address(`p/${server.project.id}/mails/${answer.emails[0]?.email}`))
  await settled(page)
  await pressed(page, 'Show why')
  await shows(page, 'Rule 2 (shop) decides: tag stream is shop.')
  await shows(page, 'Ramp: today 100% tries main first.')
  await look(page, 'routing-mail')
  expect(await faultsOf(page)).toEqual([])
})
