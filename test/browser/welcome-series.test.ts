import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toSink } from '../support/engine.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { launchChromium } from './chromium.ts'
import { type AcmeServer, faultsOf, settled, signIn, startAcme } from './dashboard-server.ts'

let browser: Browser
let server: AcmeServer
let sink: SmtpSink

beforeAll(async () => {
  browser = await launchChromium()
  sink = await startSmtpSink()
  server = await startAcme({ transports: [toSink(sink)] })
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await server?.stop()
  await sink?.close()
})

it('a welcome series is built by mouse, from an empty project to its first mail', { timeout: 240_000 }, async () => {
  const { engine, project } = server
  const page = await browser.newPage()
  page.setDefaultTimeout(20_000)
  await page.setViewport({ width: 1280, height: 800 })
  const at = (path: string) => server.address(`p/${project.id}/${path}`)
  const open = async (path: string) => {
    await page.goto(at(path))
    await settled(page)
  }
  await page.goto(at('topics?new=1'))
  await signIn(page)
  await page.waitForSelector('[role="dialog"] input[name="name"]')
  await page.type('[role="dialog"] input[name="name"]', 'Newsletter')
  await page.click('[role="dialog"] button[type="submit"]')
  await page.waitForSelector('main tbody ::-p-text(Newsletter)')

  await open('forms/new')
  await page.click('main button[aria-label="Newsletter"]')
  await type(page, 'Name', 'Sign-up')
  await choose(page, 'Topics', 'Newsletter')
  await page.keyboard.press('Escape')
  await page.click('main form button[type="submit"]')
  const form = await until('the form is there', async () => (await engine.subscriptions.forms.list(project)).items[0])

  // starts by what people do: nothing here asks for the name of an event
  await open('workflows?new=1')
  await page.waitForSelector('[role="dialog"] ::-p-text(Starts when)')
  await choose(page, 'Starts when …', 'someone chooses a topic')
  expect(await faultsOf(page)).toEqual([])
  await press(page, 'Create')
  await page.waitForSelector('[role="dialog"] ::-p-text(at least 1 character)')
  await choose(page, 'Topic', 'Newsletter')
  await type(page, 'Name', 'Welcome')
  await press(page, 'Create')
  await page.waitForSelector('[data-step] ::-p-text(Someone chooses the topic “Newsletter”)')

  // three mails, each written from its step, with a day between them
  const mails = ['Hello', 'Second steps', 'Last words']
  for (const [i, mail] of mails.entries()) {
    if (i > 0) {
      await add(page, `Add a step after ${mails[i - 1]}`, 'Wait')
      await type(page, 'Step name', `Pause ${i}`)
      await page.click('[role="dialog"] form button[type="submit"]')
      await page.waitForSelector(`[data-step] ::-p-text(Pause ${i})`)
      await page.waitForSelector('[role="dialog"]', { hidden: true })
    }
    await add(page, `Add a step after ${i === 0 ? 'Someone chooses a topic' : `Pause ${i}`}`, 'Send a mail')
    if (i === 0) expect(await faultsOf(page)).toEqual([])
    await type(page, 'Step name', mail)
    await press(page, 'Write a new mail')
    await page.waitForSelector('main ::-p-text(Back to the workflow)')
    await settled(page)
    await page.click('main a ::-p-text(Back to the workflow)')
    await page.waitForSelector(`[data-step] ::-p-text(${mail})`)
  }
  await page.waitForSelector('main a ::-p-text(Welcome: Last words)')

  // what is still to be written is asked about, and the harmless answer stands out
  await press(page, 'Turn on')
  await page.waitForSelector('[role="dialog"] ::-p-text(Turn it on as it is?)')
  expect(await page.evaluate(`document.activeElement.innerText`)).toBe('Cancel')
  await page.click('[role="dialog"] button ::-p-text(Turn on all the same)')
  await page.waitForSelector('main ::-p-text(On)')
  await until('it is on', async () => (await engine.workflows.list(project)).items[0]?.enabled)

  // a person comes by the page of the form, confirms, and gets the first mail
  await page.goto(`${new URL(at('')).origin}/f/${form.id}`)
  await page.type('input[name="email"]', 'grace@example.org')
  await page.click('input[type="checkbox"][name^="topic"], input[type="checkbox"]')
  await Promise.all([page.waitForNavigation(), page.click('button')])
  const [asking] = await sink.waitFor(1, 30)
  const link = /http:\/\/127\.0\.0\.1:\d+\/[^\s"<>]+/.exec(
    asking!.raw.toString().replace(/=\r\n/g, '').replaceAll('=3D', '='),
  )
  await page.goto(link![0])
  await Promise.all([page.waitForNavigation(), page.click('button')])
  const sent = await sink.waitFor(2, 60)
  expect(sent[1]!.to).toEqual(['grace@example.org'])
  const { items } = await engine.workflows.list(project)
  expect((await engine.workflows.stats(project, items[0]!.id)).byStatus.WAITING).toBe(1)
})

/** Opens the palette at a plus, and chooses a kind of step in it. */
async function add(page: Page, plus: string, kind: string): Promise<void> {
  await (await page.waitForSelector(`[aria-label="${plus}"]`))?.click()
  const item = `[role="menuitem"][aria-label="${kind}"]`
  await page.waitForSelector(item)
  // it unfolds: what it is clicked at would not stay where it is
  await page.evaluate(`document.querySelector('${item}').click()`)
  await page.waitForSelector('[role="dialog"] form')
  // it slides in from the right
  await page.waitForFunction(`document.querySelector('[role="dialog"]').getBoundingClientRect().right <= innerWidth`)
}

async function press(page: Page, name: string): Promise<void> {
  await (await page.waitForSelector(`::-p-aria([name="${name}"][role="button"])`))?.click()
}

async function type(page: Page, label: string, text: string): Promise<void> {
  const field = await page.waitForSelector(`::-p-aria([name="${label}"][role="textbox"])`)
  await field?.click({ count: 3 })
  await field?.type(text)
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await (await page.waitForSelector(`::-p-aria([name="${label}"][role="combobox"])`))?.click()
  await (await page.waitForSelector(`[role="option"]::-p-text(${option})`))?.click()
}
