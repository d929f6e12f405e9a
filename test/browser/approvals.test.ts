import { createTransport } from 'nodemailer'
import { expect, it } from 'vitest'
import type { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { smtpListener } from '../support/smtp-listener.ts'
import { until } from '../support/until.ts'
import { look, testBrowser } from './chromium.ts'
import { type AcmeServer, signIn, startAcme } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

const browser = testBrowser()
let server: AcmeServer
let listener: SmtpListener

anewOnRetry(
  async () => {
    const plugin = smtpListener((made) => {
      listener = made
    })
    server = await startAcme({ inbound: [plugin] })
  },
  async () => {
    await server?.stop()
  },
)

// catches a change of an agent that a person does not see, or approves without having seen it
it('an approval shows what an agent has changed since, beside the conversation', { timeout: 120_000 }, async () => {
  const { engine, project } = server
  const { inbox } = await engine.inboxes.create(project, { name: 'Help', address: 'help@example.com' })
  await createTransport({ host: '127.0.0.1', port: listener.port, secure: false, ignoreTLS: true }).sendMail({
    ...{ from: 'Ada <ada@friend.example>', to: 'help@example.com', subject: 'The blue one?' },
    text: 'Is it still there?',
  })
  const { thread } = await until(
    'it is filed',
    async () => (await engine.inboxes.threads.list(project, inbox.id)).items[0],
    20_000,
  )
  const [message] = (await engine.inboxes.threads.messages(project, thread.id)).items
  const by = {
    authorType: 'key',
    authorId: 'agent',
    authorName: 'Agent',
    grant: { inboxIds: [inbox.id], rights: ['draft', 'send'], approval: 'always' },
  } as const
  const body = '<p>Yes, it costs 20 euros.</p><p>See <a href="https://good.example">you</a> on Friday</p>'
  const answer = {
    kind: 'reply',
    messageId: message?.email.id ?? '',
    body,
    reason: 'She asks.',
    bcc: ['mal@friend.example'],
  } as const
  const { id } = await engine.inboxes.drafts.create(project, inbox.id, answer, by)
  await engine.inboxes.drafts.send(project, id, {}, by)
  const page = await browser.newPage()
  await page.setViewport({ width: 1280, height: 900 })
  await page.goto(server.address(`p/${project.id}/inboxes/approvals`))
  await signIn(page)
  await page.waitForFunction(`document.body.innerText.includes('Is it still there?')`)
  expect(await page.evaluate(`document.querySelectorAll('main ins, main del').length`)).toBe(0)
  // those who get it unseen by the others, too
  expect(await page.evaluate(`document.querySelector('main').innerText`)).toContain('mal@friend.example')

  const changes = { body: body.replace('20', '200').replace('good', 'evil'), cc: ['eve@friend.example'] }
  await engine.inboxes.drafts.change(project, id, changes, by)
  const file = { filename: 'price.txt', contentType: 'text/plain', content: 'eA==' }
  await engine.inboxes.drafts.attach(project, id, file, by)
  // the page still has the version before: approving that is refused, and the new one is shown
  await page.locator('::-p-aria([name="Approve and send"][role="button"])').click()
  await page.waitForFunction(`document.querySelector('main ins') !== null`)
  const marked = (tag: string) =>
    page.evaluate(`[...document.querySelectorAll('main ${tag}')].map(({ innerText }) => innerText.trim())`)
  expect(await marked('ins')).toEqual(['eve@friend.example', '200', 'evil', 'price.txt'])
  expect(await marked('del')).toEqual(['20', 'good'])
  expect((await engine.inboxes.drafts.get(project, id)).status).toBe('waiting')
  await look(page, 'approval-changes')
  expect(await faultsOf(page)).toEqual([])
  await page.setViewport({ width: 390, height: 800 })
  await look(page, 'approval-changes-phone')
  await page.waitForFunction('document.documentElement.scrollWidth <= innerWidth')
  // a note that stands above the button for some seconds takes no press of the keyboard
  await (await page.waitForSelector('::-p-aria([name="Approve and send"][role="button"])'))?.focus()
  await page.keyboard.press('Enter')
  await until('it is sent', async () => (await engine.inboxes.drafts.get(project, id)).status === 'sent')
  await page.close()
})
