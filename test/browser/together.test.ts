import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { until } from '../support/until.ts'
import { launchChromium } from './chromium.ts'
import { type AcmeServer, faultsOf, settled, signIn, startAcme } from './dashboard-server.ts'

let browser: Browser
let server: AcmeServer

beforeAll(async () => {
  browser = await launchChromium()
  server = await startAcme()
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

describe('two tabs of the dashboard', { timeout: 120_000 }, () => {
  it('on one campaign save what each changed, and ask about what both did', async () => {
    const { engine, project } = server
    const { campaign } = await engine.campaigns.create(project, {
      ...{ name: 'June', subject: 'June', body: '<p>Hello</p>', from: 'news@example.com', audienceType: 'ALL' },
    })
    const stored = async () => (await engine.campaigns.get(project, campaign.id)).campaign
    const [one, other] = await twoTabs(`campaigns/${campaign.id}`)
    await overwrite(one, 'Subject', 'What June brings')
    await until('the subject is saved', async () => (await stored()).subject === 'What June brings')
    await overwrite(other, 'Preview line', 'Strawberries')
    await until('the preview text is saved', async () => (await stored()).preheader === 'Strawberries')
    expect(await stored()).toMatchObject({ subject: 'What June brings', preheader: 'Strawberries', version: 3 })
    expect(await textIn(other, 'Subject')).toBe('What June brings')

    // both change the subject
    await overwrite(one, 'Subject', 'Here comes June')
    await until('the first is saved', async () => (await stored()).subject === 'Here comes June')
    await overwrite(other, 'Subject', 'June is here')
    const question = '::-p-aria([name="Subject"][role="region"])'
    await other.waitForSelector(question)
    const asked = await other.$eval(question, (box) => (box as unknown as { innerText: string }).innerText)
    expect(asked).toMatch(/Yours\s+June is here\s+Keep mine\s+Theirs\s+Here comes June\s+Take theirs/)
    expect((await stored()).subject).toBe('Here comes June')
    expect(await textIn(other, 'Subject')).toBe('June is here')
    expect(await faultsOf(other)).toEqual([])
    // what is typed elsewhere meanwhile is not lost
    await overwrite(other, 'Preview line', 'And cherries')
    await press(other, 'Keep mine')
    await until('mine is saved', async () => (await stored()).subject === 'June is here')
    await until('and the rest', async () => (await stored()).preheader === 'And cherries')
    await other.waitForSelector(question, { hidden: true })

    await one.bringToFront()
    await overwrite(one, 'Subject', 'Mine')
    await one.waitForSelector(question)
    await press(one, 'Take theirs')
    await one.waitForSelector(question, { hidden: true })
    expect(await textIn(one, 'Subject')).toBe('June is here')
    expect(await stored()).toMatchObject({ subject: 'June is here', preheader: 'And cherries' })
  })

  it('on one drawn mail show the other text in the editor that was not touched', async () => {
    const { engine, project } = server
    const { campaign } = await engine.campaigns.create(project, {
      ...{ name: 'July', subject: 'July', body: '<p>First</p>', from: 'news@example.com', audienceType: 'ALL' },
    })
    const stored = async () => (await engine.campaigns.get(project, campaign.id)).campaign
    const [, other] = await twoTabs(`campaigns/${campaign.id}`)
    await engine.campaigns.change(project, campaign.id, { body: '<p>Second</p>' })
    await overwrite(other, 'Subject', 'In July')
    await until('the subject is saved', async () => (await stored()).subject === 'In July')
    expect((await stored()).body).toBe('<p>Second</p>')
    const frame = `document.querySelector('main iframe')?.contentDocument?.body?.innerText`
    await other.waitForFunction(`${frame}?.includes('Second')`)
  })

  it('on one segment ask with the rules in words', async () => {
    const { engine, project } = server
    const rules = (value: string) => ({
      operator: 'AND' as const,
      conditions: [{ field: 'data.plan', operator: 'equals' as const, value }],
    })
    const segment = await engine.segments.create(project, { name: 'Readers', filters: rules('pro') })
    const stored = () => engine.segments.get(project, segment.id)
    const [one, other] = await twoTabs(`segments/${segment.id}?tab=rules`)
    await overwrite(one, 'Name', 'Our readers')
    await press(one, 'Save')
    await until('the name is saved', async () => (await stored()).name === 'Our readers')
    await overwrite(other, 'Notes', 'For the newsletter')
    await press(other, 'Save')
    await until('the notes are saved', async () => (await stored()).description === 'For the newsletter')
    expect(await stored()).toMatchObject({ name: 'Our readers', version: 3 })
    await overwrite(one, 'Name', 'Mine')
    await engine.segments.change(project, segment.id, { name: 'Theirs' })
    await press(one, 'Save')
    await one.waitForSelector('::-p-aria([name="Name"][role="region"])')
    await press(one, 'Take theirs')
    await until('theirs is shown', async () => (await textIn(one, 'Name')) === 'Theirs')
    expect(await stored()).toMatchObject({ name: 'Theirs', description: 'For the newsletter' })
  })
})

/** The same page of the project twice, in English. */
async function twoTabs(path: string): Promise<readonly [Page, Page]> {
  const context = await browser.createBrowserContext()
  onTestFinished(() => context.close())
  const blank = async () => {
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
    await page.setViewport({ width: 1280, height: 900 })
    return page
  }
  const one = await blank()
  await one.goto(server.address(''))
  await one.evaluate(`localStorage.setItem('mailwright-language', 'en')`)
  await signIn(one)
  const other = await blank()
  for (const page of [one, other]) {
    await page.bringToFront()
    await page.goto(server.address(`p/${server.project.id}/${path}`))
    await settled(page)
  }
  return [one, other]
}

async function press(page: Page, name: string): Promise<void> {
  await page.bringToFront()
  await (await page.waitForSelector(`::-p-aria([name="${name}"][role="button"])`))!.click()
}

/** Writes into a field instead of what it has. */
async function overwrite(page: Page, label: string, text: string): Promise<void> {
  await page.bringToFront()
  const field = await page.waitForSelector(`::-p-aria([name="${label}"][role="textbox"])`)
  await field!.click({ count: 3 })
  await field!.type(text)
}

async function textIn(page: Page, label: string): Promise<string> {
  const field = await page.waitForSelector(`::-p-aria([name="${label}"][role="textbox"])`)
  return field!.evaluate((input) => (input as unknown as { value: string }).value)
}
