import { createTransport } from 'nodemailer'
import type { Page } from 'puppeteer-core'
import { describe, expect, it } from 'vitest'
import { openAiAssistant } from '../../plugins/assistant-openai/index.ts'
import type { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'
import { type ModelEndpoint, startModelEndpoint } from '../contracts/model-endpoint.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { smtpListener } from '../support/smtp-listener.ts'
import { until } from '../support/until.ts'
import { look, testBrowser } from './chromium.ts'
import { type AcmeServer, enter, settled, startAcme } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

const browser = testBrowser()
let server: AcmeServer
let model: ModelEndpoint
let listener: SmtpListener

anewOnRetry(
  async () => {
    model = await startModelEndpoint()
    const plugin = smtpListener((made) => {
      listener = made
    })
    const assistant = openAiAssistant({ url: model.url, model: 'small', timeout: 20 })
    server = await startAcme({ inbound: [plugin], assistant })
  },
  async () => {
    await server?.stop()
    await model?.close()
  },
)

const press = async (page: Page, name: string, role = 'button') => {
  await page.locator(`::-p-aria([name="${name}"][role="${role}"])`).click()
}
const write = (page: Page, label: string, text: string) => page.locator(`::-p-aria([name="${label}"])`).fill(text)
const shows = (page: Page, text: string) =>
  page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`)

describe('the assistant in the dashboard', { timeout: 180_000 }, () => {
  it('is turned on for an inbox, shows what goes to the model, and drafts an answer with a saved one in it', async () => {
    const { engine, project } = server
    const address = 'help@example.com'
    const labels = [{ name: 'order', colour: '#2f6fde' }]
    const { inbox } = await engine.inboxes.create(project, { name: 'Help', address, labels })
    await engine.contacts.upsert(project, { email: 'ada@friend.example', data: { name: 'Ada' } })
    await engine.templates.snippets.create(project, {
      name: 'thanks',
      title: 'Thanks',
      body: '<p>Thanks, {{ name }}!</p>',
    })
    await createTransport({ host: '127.0.0.1', port: listener.port, secure: false, ignoreTLS: true }).sendMail({
      ...{ from: 'Ada <ada@friend.example>', to: address, subject: 'The blue one?', text: 'Is it still there?' },
    })
    const { thread } = await until(
      'it is filed',
      async () => (await engine.inboxes.threads.list(project, inbox.id)).items[0],
      20_000,
    )
    const page = await browser.newPage()
    await page.setViewport({ width: 1280, height: 900 })
    await page.goto(server.address(`p/${project.id}/inboxes/${inbox.id}/${thread.id}`))
    await enter(page)
    await shows(page, 'Is it still there?')
    // not before the inbox has it
    expect(await page.evaluate('document.body.innerText')).not.toContain('Draft an answer')

    await page.goto(server.address(`p/${project.id}/inboxes/${inbox.id}`))
    await settled(page)
    await press(page, 'Settings of the inbox')
    await press(page, 'The assistant may help here', 'checkbox')
    await write(page, 'Instructions for the assistant', 'We have one blue one left.')
    await press(page, 'labels', 'checkbox')
    await look(page, 'assistant-inbox')
    await press(page, 'Save')
    await until('it is on', async () => (await engine.inboxes.get(project, inbox.id)).inbox.assistant)

    const actions = [{ type: 'label', label: 'order' }, { type: 'archive' }]
    model.answer(JSON.stringify({ reply: 'Yes, one is left.', reason: 'She asks for it.', actions }), 40)
    await page.goto(server.address(`p/${project.id}/inboxes/${inbox.id}/${thread.id}`))
    await settled(page)
    await press(page, 'Draft an answer')
    await write(page, 'What should it say?', 'We keep it for her.')
    await press(page, 'What will be sent')
    await shows(page, 'We have one blue one left.')
    await shows(page, 'We keep it for her.')
    expect(model.requests).toEqual([])
    await look(page, 'assistant-sent')
    await press(page, 'Ask the assistant')
    await shows(page, 'She asks for it.')
    await shows(page, '“archive”: this inbox does not allow it')
    await look(page, 'assistant-advice')
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Do this')
    await until('the label is there', async () =>
      (await engine.inboxes.threads.get(project, thread.id)).thread.labels.includes('order'),
    )
    await page.setViewport({ width: 390, height: 800 })
    await look(page, 'assistant-phone')
    await page.setViewport({ width: 1280, height: 900 })
    await press(page, 'Read the draft')
    await page.waitForFunction(`document.querySelector('section[aria-label] textarea')?.value === 'Yes, one is left.'`)

    // a saved answer, by its key, where the cursor is
    await page.locator('section[aria-label] textarea').click()
    await page.evaluate(`document.querySelector('section[aria-label] textarea').setSelectionRange(0, 0)`)
    await page.keyboard.down('Control')
    await page.keyboard.press(';')
    await page.keyboard.up('Control')
    await look(page, 'saved-answers')
    await press(page, 'Thanks', 'menuitem')
    await page.waitForFunction(
      `document.querySelector('section[aria-label] textarea')?.value === 'Thanks, Ada!Yes, one is left.'`,
    )
    await page.close()
  })

  it('changes the texts of a mail, which can be undone, and proposes subjects', async () => {
    const { engine, project } = server
    const hello = [
      { type: 'text', text: 'Hello ' },
      { type: 'variable', attrs: { field: 'name' } },
      { type: 'text', text: ', welcome to all of it.' },
    ]
    const see = [
      { type: 'text', text: 'See ' },
      { type: 'text', text: 'the page', marks: [{ type: 'bold' }] },
      { type: 'text', text: '.' },
    ]
    const content = [hello, see].map((parts) => ({ type: 'paragraph', content: parts }))
    const template = await engine.templates.create(project, {
      ...{ name: 'Welcome', subject: 'Hi', body: '<p>Hello</p>', type: 'MARKETING', from: 'hello@example.com' },
      design: JSON.parse(JSON.stringify({ version: 1, content })),
    })
    const page = await browser.newPage()
    await page.setViewport({ width: 1280, height: 900 })
    await page.goto(server.address(`p/${project.id}/templates/${template.id}`))
    await enter(page)
    const drawn = `document.querySelector('[role="textbox"][aria-multiline="true"]')?.innerText.replace(/\\s+/g, ' ')`
    await page.waitForFunction(`${drawn}?.includes('welcome to all of it')`)
    // the model keeps the field of the first text, and loses the bold of the second
    model.behave((response, { body }) => {
      const { texts } = JSON.parse(body.messages[1]?.content ?? '{}')
      const changed = [texts[0].replace('Hello ', 'Hallo ').replace('welcome to all of it', 'willkommen'), 'Die Seite.']
      const whole = { choices: [{ message: { content: JSON.stringify({ texts: changed }) }, finish_reason: 'stop' }] }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole))
    })
    await press(page, 'Assistant')
    await press(page, 'Make it shorter', 'menuitem')
    await press(page, 'Cancel')
    await page.waitForSelector('[role="dialog"]', { hidden: true })
    await press(page, 'Assistant')
    await look(page, 'assistant-menu')
    await press(page, 'Deutsch', 'menuitem')
    await press(page, 'What will be sent')
    await shows(page, 'into German')
    await press(page, 'Ask the assistant')
    await page.waitForFunction(`/^Hallo .*, willkommen\\. See the page\\.$/.test(${drawn}?.trim() ?? '')`)
    await shows(page, 'Some texts stay as they were')
    await look(page, 'assistant-texts')
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Undo')
    await page.waitForFunction(`${drawn}?.includes('welcome to all of it')`)

    model.answer(JSON.stringify({ texts: ['Welcome aboard', 'Good to see you'] }))
    await press(page, 'Propose subjects')
    await press(page, 'Ask the assistant')
    await press(page, 'Good to see you', 'menuitem')
    await page.waitForFunction(
      `[...document.querySelectorAll('input')].some(({ value }) => value === 'Good to see you')`,
    )
    await page.close()
  })
})
