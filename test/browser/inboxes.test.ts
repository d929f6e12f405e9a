import { createTransport } from 'nodemailer'
import type { Page } from 'puppeteer-core'
import { describe, expect, it } from 'vitest'
import type { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { toSink } from '../support/engine.ts'
import { smtpListener } from '../support/smtp-listener.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { look, testBrowser } from './chromium.ts'
import { type AcmeServer, enter, OWNER, settled, startAcme } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

/** A picture of one pixel. */
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const browser = testBrowser()
let server: AcmeServer
let sink: SmtpSink
let listener: SmtpListener

anewOnRetry(
  async () => {
    sink = await startSmtpSink()
    const plugin = smtpListener((made) => {
      listener = made
    })
    server = await startAcme({ inbound: [plugin], transports: [toSink(sink)] })
  },
  async () => {
    await server?.stop()
    await sink?.close()
  },
)

const press = async (page: Page, name: string) => {
  await page.locator(`::-p-aria([name="${name}"][role="button"])`).click()
}
const write = (page: Page, label: string, text: string) => page.locator(`::-p-aria([name="${label}"])`).fill(text)
const shows = (page: Page, text: string) =>
  page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`)
let made = 0
/** An address that no try of these tests had before. */
const newAddress = (name: string) => `${name}${++made}@example.com`

describe('an inbox in the dashboard', { timeout: 180_000 }, () => {
  it('is made, read, answered, taken back and filed, on a wide screen and on a phone', async () => {
    const page = await browser.newPage()
    await page.setViewport({ width: 1280, height: 800 })
    // by another name than the public address has: files open there, too
    await page.goto(server.address(`p/${server.project.id}/inboxes`).replace('127.0.0.1', 'localhost'))
    await enter(page)
    await look(page, 'empty')
    await press(page, 'New inbox')
    await write(page, 'Name', 'Help')
    await write(page, 'Address', 'help@example.com')
    await write(page, 'Labels', 'urgent\nlater')
    await look(page, 'new')
    await press(page, 'Create the inbox')
    await shows(page, 'help@example.com')
    await createTransport({ host: '127.0.0.1', port: listener.port, secure: false, ignoreTLS: true }).sendMail({
      ...{ from: '"Lovelace, Ada" <ada@friend.example>', to: 'help@example.com', subject: 'The blue one?' },
      text: 'Is it still there? https://friend.example/blue.\n\nOn Friday, Help wrote:\n> We have a blue one.\n',
      attachments: [
        { filename: 'photo.png', path: 'docs/images/dashboard-campaign.png' },
        { filename: 'A list with a name that is much longer than there is room for it.pdf', content: 'a list' },
      ],
    })
    const inbox = (await server.engine.inboxes.list(server.project)).items[0]!.inbox
    const { thread } = await until(
      'it is filed',
      async () => (await server.engine.inboxes.threads.list(server.project, inbox.id)).items[0],
      20_000,
    )
    await page.reload()
    await settled(page)
    await look(page, 'list')
    await page.locator('::-p-aria([name="Help"][role="link"])').click()
    await shows(page, 'The blue one?')
    await look(page, 'threads')
    await page.locator('main tbody a').click()
    // the sign that ends the sentence is none of the link
    await page.waitForSelector('article a[href="https://friend.example/blue"]')
    expect(await page.evaluate('document.body.innerText')).not.toContain('We have a blue one.')
    await press(page, 'Show the whole message')
    await shows(page, 'We have a blue one.')
    const picture = `document.querySelector('article img[src*="/attachments/"]')`
    await page.waitForFunction(`${picture}?.naturalWidth > 0`)
    expect(
      await page.evaluate(`new Set([...document.querySelectorAll('article [role="group"] :is(a, img)')]
      .map(({ href, src }) => new URL(href ?? src).hostname)).size + location.hostname`),
    ).toBe('1localhost')
    await look(page, 'thread')
    expect(await faultsOf(page)).toEqual([])

    await press(page, 'Reply')
    await write(page, 'Message', 'Yes, it is.\n\nSee you')
    const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, 'Add files')])
    await chooser.accept(['README.md', 'LICENSE'])
    await page.waitForSelector('::-p-aria([name="Remove “LICENSE”"][role="button"])')
    await press(page, 'Remove “README.md”')
    // a picture is pasted, and a file is dropped
    await page.evaluate(`{
      const given = new DataTransfer()
      given.items.add(new File(['x'], 'image.png', { type: 'image/png' }))
      const field = document.querySelector('section textarea')
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: given, bubbles: true, cancelable: true }))
    }`)
    await page.waitForSelector('::-p-aria([name="Remove “image.png”"][role="button"])')
    await page.evaluate(`{
      const given = new DataTransfer()
      given.items.add(new File(['y'], 'plan.txt', { type: 'text/plain' }))
      const field = document.querySelector('section textarea')
      field.dispatchEvent(new DragEvent('drop', { dataTransfer: given, bubbles: true, cancelable: true }))
    }`)
    await page.waitForSelector('::-p-aria([name="Remove “plan.txt”"][role="button"])')
    await look(page, 'reply')
    expect(await faultsOf(page)).toEqual([])
    // the answer is saved by itself, and the note below it asked about, also once the answer was saved by a key
    await write(page, 'Message', 'Yes, it is.\n\nSee you soon')
    await write(page, 'Notes of the team', 'She wants the blue one.')
    for (const way of [`document.querySelector('nav a[href$="/templates"]').click()`, 'history.back()']) {
      await page.evaluate(way)
      await shows(page, 'Leave without saving?')
      // it hears keys once it has the focus
      await page.waitForFunction(`document.activeElement.innerText === 'Keep editing'`)
      await page.keyboard.press('Escape')
      await page.waitForFunction(`!document.body.innerText.includes('Leave without saving?')`)
      await page.keyboard.down('Control')
      await page.keyboard.press('KeyS')
      await page.keyboard.up('Control')
    }
    await press(page, 'Send')
    await shows(page, 'Sent')
    await press(page, 'Undo')
    const draft = async () => (await server.engine.inboxes.drafts.list(server.project, inbox.id)).items[0]
    await until('the draft is open again', draft)
    expect(sink.messages).toEqual([])
    await page.locator('::-p-aria([name="Go on writing"][role="button"])').click()
    // a colleague answers meanwhile
    const [message] = (await server.engine.inboxes.threads.messages(server.project, thread.id)).items
    const other = { kind: 'reply', messageId: message?.email.id ?? '', body: '<p>It is.</p>' } as const
    const { id } = await server.engine.inboxes.drafts.create(server.project, inbox.id, other)
    await server.engine.inboxes.drafts.send(server.project, id)
    await press(page, 'Send')
    await shows(page, 'Another answer was sent')
    // what would be typed now would not be in it
    expect(await page.evaluate(`document.querySelector('textarea:disabled')?.value`)).toContain('See you')
    // and adds a file to this one, which is seen before it goes out
    const rota = { filename: 'rota.txt', contentType: 'text/plain', content: 'eA==' }
    await server.engine.inboxes.drafts.attach(server.project, (await draft())?.id ?? '', rota)
    await page.evaluate('window.dispatchEvent(new Event("focus"))')
    await shows(page, 'rota.txt')
    await press(page, 'Send all the same')
    await shows(page, 'Read it again before you send it.')
    await press(page, 'Send')
    await press(page, 'Send all the same')
    await until('both answers arrive', async () => sink.messages[1], 30_000)
    const answer = sink.messages.find(({ raw }) => String(raw).includes('LICENSE'))
    expect(answer?.to).toEqual(['ada@friend.example'])
    for (const name of ['image.png', 'plan.txt', 'rota.txt']) expect(String(answer?.raw)).toContain(name)

    await write(page, 'Notes of the team', 'She wants the blue one.')
    await press(page, 'Add the note')
    await shows(page, 'She wants the blue one.')
    await page.setViewport({ width: 390, height: 844 })
    await page.reload()
    await settled(page)
    await look(page, 'thread-phone')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await press(page, 'Archive')
    await shows(page, 'Nothing here')
    await look(page, 'threads-phone')
    await page.close()
  })

  it('shows what an agent wrote, which a member refuses with words, and approves once it is changed', async () => {
    const { engine, project } = server
    const { inbox } = await engine.inboxes.create(project, {
      name: 'Desk',
      approval: 'always',
      address: newAddress('desk'),
    })
    const agent = { authorType: 'key', authorId: 'k', authorName: 'Agent 7' } as const
    const mail = { to: ['ada@friend.example'], subject: 'Your visit', body: '<p>Friday?</p>', reason: 'She asked.' }
    const { id } = await engine.inboxes.drafts.create(project, inbox.id, mail, agent)
    await engine.inboxes.drafts.send(project, id, {}, agent)
    const page = await browser.newPage()
    await page.setViewport({ width: 1280, height: 800 })
    await page.goto(server.address(`p/${project.id}/inboxes`))
    await enter(page)
    await page.locator('::-p-aria([name="1 to approve"][role="link"])').click()
    await shows(page, 'She asked.')
    await look(page, 'approvals')
    expect(await faultsOf(page)).toEqual([])
    // it is of no key here, so that nothing is stopped
    await press(page, 'Stop the program')
    await page.locator('::-p-aria([role="dialog"]) >>> ::-p-aria([name="Stop the program"][role="button"])').click()
    await shows(page, 'There is no')
    // behind the question that glides away nothing can be pressed
    await page.waitForFunction(`document.querySelector('[role="dialog"]') === null`)
    await press(page, 'Refuse')
    await write(page, 'What should be different? The program reads this.', 'Name the hour.')
    await press(page, 'Refuse')
    const draft = () => engine.inboxes.drafts.get(project, id)
    await until('it is refused', async () => (await draft()).refusal === 'Name the hour.')
    await engine.inboxes.drafts.change(project, id, { body: '<p>Friday at ten?</p>' }, agent)
    await engine.inboxes.drafts.send(project, id, {}, agent)
    // what a member has begun to change is not there to be approved
    await page.goto(server.address(`p/${project.id}/inboxes/${inbox.id}`))
    await press(page, 'Go on writing')
    await write(page, 'Message', 'Friday at')
    await page.keyboard.press('Escape')
    await press(page, 'Discard')
    await page.waitForFunction(`document.querySelector('[role="dialog"]') === null`)
    expect((await draft()).body).toBe('<p>Friday at ten?</p>')
    await page.goto(server.address(`p/${project.id}/inboxes/approvals`))
    await settled(page)
    await press(page, 'Approve and send')
    await until('it is sent', async () => (await draft()).status === 'sent')
    await shows(page, 'Nothing waits for you')
    await page.close()
  })

  it('is gone through by single keys, which do nothing while one writes', async () => {
    const { engine, project } = server
    const { inbox } = await engine.inboxes.create(project, {
      name: 'Keys',
      address: newAddress('keys'),
      labels: [{ name: 'urgent', colour: '#d92d20' }],
    })
    const mailer = createTransport({ host: '127.0.0.1', port: listener.port, secure: false, ignoreTLS: true })
    const threads = () => engine.inboxes.threads.list(project, inbox.id, { folder: 'inbox' })
    const ids: string[] = []
    for (const [i, subject] of ['First', 'Second', 'Third'].entries()) {
      const { messageId } = await mailer.sendMail({
        ...{ from: `ada${i}@friend.example`, to: inbox.address, subject, text: 'Hello' },
        html: '<p>Hello</p><img src="cid:a@b"><img src="cid:a@b2"><img src="cid:a@b3"><img src="cid:a@b4">',
        // phones call all that is pasted by one name
        attachments: [
          { filename: 'photo.png', path: 'docs/images/dashboard-campaign.png', cid: 'a@b2' },
          { filename: 'photo.png', content: DOT, cid: 'a@b' },
          // as programs send it that know nothing of its type, and what only claims to be one
          { filename: 'photo', content: DOT, cid: 'a@b3', contentType: 'application/octet-stream' },
          { filename: 'no.png', content: '<svg/>', cid: 'a@b4', contentType: 'application/octet-stream' },
        ],
      })
      ids.push(messageId)
      await until('it is filed', async () => (await threads()).items.length === i + 1, 20_000)
    }
    const page = await browser.newPage()
    await page.setViewport({ width: 1280, height: 800 })
    await page.goto(server.address(`p/${project.id}/inboxes/${inbox.id}`))
    await enter(page)
    await shows(page, 'First')
    const title = (text: string) => page.waitForFunction(`document.querySelector('main h1')?.innerText === '${text}'`)
    const key = async (text: string) => {
      await page.keyboard.press(text as 'j')
    }
    await key('?')
    await page.waitForSelector('[role="dialog"] kbd')
    await page.waitForFunction(`document.activeElement.closest('[role="dialog"]') !== null`)
    await look(page, 'keys')
    expect(await faultsOf(page)).toEqual([])
    await key('j')
    await key('Escape')
    await page.waitForFunction(`document.querySelector('[role="dialog"]') === null`)
    await key('/')
    expect(await page.evaluate('document.activeElement.type')).toBe('search')
    await page.evaluate('document.activeElement.blur()')
    for (const each of ['j', 'j', 'k', 'Enter']) await key(each)
    await title('Third')
    // the list stays beside it, and follows
    const open = (text: string, among = 3) =>
      page.waitForFunction(
        `document.querySelector('main nav a[aria-current="page"]')?.innerText.includes('${text}') &&
          document.querySelectorAll('main nav a').length === ${among}`,
      )
    await open('Third')
    expect(await faultsOf(page)).toEqual([])
    await key('j')
    await title('Second')
    await open('Second')
    await shows(page, 'Hello')
    await look(page, 'panes')
    // of unread ones only, with the open one, which is read by that
    const opened = new URL(page.url())
    opened.searchParams.set('unread', '1')
    await page.goto(`${opened}`)
    await open('Second', 2)
    await page.locator('main nav a ::-p-text(First)').click()
    await open('First', 1)
    opened.searchParams.delete('unread')
    await page.goto(`${opened}`)
    await title('Second')
    await page.locator('main nav a ::-p-text(First)').click()
    await title('First')
    await page.evaluate('document.activeElement.blur()')
    await key('k')
    await title('Second')
    await page.setViewport({ width: 390, height: 844 })
    await page.waitForFunction(`document.querySelector('main nav a') === null`)
    await look(page, 'panes-phone')
    await page.setViewport({ width: 1280, height: 800 })
    await open('Second')
    await key('u')
    await page.locator('thead input[type="checkbox"]').click()
    // also of rows that were asked for before, so sooner than they are asked for again
    await page.waitForFunction(`document.body.innerText.includes('3 selected')`, { timeout: 10_000 })
    await look(page, 'bulk')
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Label')
    await page.locator('[role="menuitem"] ::-p-text(urgent)').click()
    await shows(page, '3 conversations are changed.')
    await until('all are labelled', async () =>
      (await threads()).items.every(({ thread }) => thread.labels[0] === 'urgent'),
    )
    // without the notice before
    await page.reload()
    await shows(page, 'Second')
    await page.locator('thead input[type="checkbox"]').click()
    await press(page, 'Move to the trash')
    await until('all are in the trash', async () => (await threads()).items.length === 0)
    await press(page, 'Undo')
    await until('they are back', async () => (await threads()).items.length === 3)
    expect((await threads()).items.map(({ thread }) => thread.labels)).toEqual([['urgent'], ['urgent'], ['urgent']])
    await page.setViewport({ width: 390, height: 844 })
    await shows(page, 'Second')
    // once the menu has slid away
    await page.waitForFunction('document.documentElement.scrollWidth === 390')
    await look(page, 'bulk-phone')
    await page.setViewport({ width: 1280, height: 800 })
    await page.goto(server.address(`p/${project.id}/inboxes/${inbox.id}/${(await threads()).items[1]?.thread.id}`))
    await title('Second')
    // the pictures that came along stand in their places
    await page.waitForFunction(`(() => {
      const [dot, large, unnamed, drawing] = document.querySelector('article iframe')?.contentDocument.images ?? []
      return dot?.naturalWidth === 1 && large?.naturalWidth > 1 && unnamed?.naturalWidth === 1 && drawing.src === 'cid:a@b4'
    })()`)
    await key('r')
    await page.waitForFunction(`document.activeElement?.matches('section textarea')`)
    await write(page, 'Message', '')
    await page.locator('::-p-aria([name="Message"])').click()
    await page.keyboard.type('free#')
    expect((await threads()).items).toHaveLength(3)
    await look(page, 'panes-answer')
    expect(await page.evaluate(`document.querySelector('section textarea')?.value`)).toBe('free#')
    // what was typed is kept as a draft, and an answer in which nothing is written leaves none
    await key('Escape')
    await page.waitForFunction(`document.querySelector('section textarea') === null`)
    await key('r')
    await press(page, 'Close')
    await page.waitForFunction(`document.querySelector('section textarea') === null`)
    const listed = async () => (await engine.inboxes.drafts.list(project, inbox.id)).items
    const drafts = async () => (await listed()).map(({ body }) => body)
    await until('the empty answer is gone', async () => (await drafts()).length === 1)
    expect(await drafts()).toEqual(['<p>free#</p>'])

    // a colleague writes in the answer that was begun here: neither text is lost
    const begun = async () => (await listed()).find(({ body }) => body !== '<p>free#</p>')
    await key('a')
    const { id } = await until('it is begun', begun)
    await page.waitForSelector('section textarea')
    await engine.inboxes.drafts.change(project, id, { body: '<p>Theirs</p>' })
    await press(page, 'Close')
    await page.waitForFunction(`document.querySelector('section textarea') === null`)
    await page.locator('main ::-p-aria([name="Go on writing"][role="button"])').click()
    await page.waitForFunction(`document.querySelector('[role="dialog"] textarea')?.value === 'Theirs'`)
    await engine.inboxes.drafts.change(project, id, { subject: 'Ours', body: '<p>Theirs again</p>' })
    await write(page, 'Message', 'Mine')
    await key('Escape')
    await page.waitForSelector('::-p-aria([name="Message"][role="region"])')
    await press(page, 'Keep editing')
    expect(await begun()).toMatchObject({ subject: 'Ours', body: '<p>Theirs again</p>' })
    await press(page, 'Keep mine')
    await until('mine is saved', async () => (await begun())?.body === '<p>Mine</p>')
    expect((await begun())?.subject).toBe('Ours')
    await press(page, 'Throw away')
    await until('it is gone', async () => (await begun()) === undefined)
    // of a report that came back, the report itself is forwarded
    await mailer.sendMail({
      ...{ from: 'mailer-daemon@friend.example', to: inbox.address, subject: 'Returned' },
      ...{ text: 'No such user.', references: ids[1], inReplyTo: ids[1] },
    })
    await page.reload()
    // in the conversation itself, not only in the list beside it
    await page.waitForFunction(
      `document.querySelector('main article:last-of-type')?.innerText.includes('No such user.')`,
    )
    await key('f')
    const forward = await until('it is begun', begun)
    expect(forward.subject).toBe('Fwd: Returned')
    await page.waitForFunction(`document.activeElement?.matches('section textarea')`)
    await key('Escape')
    await page.waitForFunction(`document.querySelector('section textarea') === null`)
    await until('it is gone', async () => (await begun()) === undefined)
    // in a new mail, a file comes before the first word
    await key('u')
    await press(page, 'Write a mail')
    const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, 'Add files')])
    await chooser.accept(['LICENSE'])
    await page.waitForSelector('::-p-aria([name="Remove “LICENSE”"][role="button"])')
    expect((await begun())?.attachments?.map(({ filename }) => filename)).toEqual(['LICENSE'])
    await press(page, 'Send')
    await page.waitForFunction(`document.querySelectorAll('[role="dialog"] input[aria-invalid="true"]').length === 2`)
    await press(page, 'Throw away')
    await until('it is gone', async () => (await begun()) === undefined)
    await page.locator('main tbody a ::-p-text(Second)').click()
    await title('Second')
    await key('e')
    await until('it is archived', async () => (await threads()).items.length === 2)
    // the next one of the list is opened
    await title('Third')
    await page.close()
  })

  it('is opened to an agent by a key that a member makes', async () => {
    const { engine, project } = server
    const { inbox } = await engine.inboxes.create(project, { name: 'Robots', address: newAddress('robots') })
    const page = await browser.newPage()
    await page.setViewport({ width: 1280, height: 900 })
    await page.goto(server.address(`p/${project.id}/settings?tab=keys&new=1`))
    await enter(page)
    await write(page, 'Name', 'Answering agent')
    await page.locator('::-p-aria([name="For an agent: works in some inboxes and sees nothing else"])').click()
    await press(page, 'Create')
    await shows(page, 'Please check the marked fields.')
    await look(page, 'agent-refused')
    await page.locator('[role="dialog"] .mantine-MultiSelect-input').click()
    await page.locator('[role="option"] ::-p-text(Robots)').click()
    await look(page, 'agent-key')
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Create')
    await shows(page, 'The key has been created')
    const [key] = await engine.projects.keys.list(project)
    expect(key).toMatchObject({
      ...{ name: 'Answering agent', scopes: ['inbox'] },
      inbox: { inboxIds: [inbox.id], rights: ['read', 'draft', 'send'], approval: 'outside' },
    })
    await page.close()
  })

  it('asks whether a program may work in inboxes, and ends what it may do', async () => {
    const { engine, project } = server
    const desk = await engine.inboxes.create(project, { name: 'Orders', address: newAddress('orders') })
    const origin = new URL(server.address('')).origin
    const back = `${origin}/back-at-the-client`
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ client_name: 'Claude <i>of Ada</i>', redirect_uris: [back] })
    const registered = await fetch(`${origin}/oauth/register`, { method: 'POST', headers, body })
    const { client_id: client } = (await registered.json()) as { readonly client_id: string }
    const asking = new URLSearchParams({
      ...{ client_id: client, redirect_uri: back, response_type: 'code', state: 's', scope: 'read draft' },
      ...{ code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' },
    })
    const page = await browser.newPage()
    await page.setViewport({ width: 1280, height: 800 })
    await page.goto(`${origin}/oauth/authorize?${asking}`)
    const form = await page.waitForSelector('input[type="email"], main input[type="checkbox"]')
    if (await form?.evaluate((element) => element.matches('[type="email"]'))) {
      await page.type('input[type="email"]', OWNER.email)
      await page.type('input[type="password"]', OWNER.password)
      await page.keyboard.press('Enter')
    }
    await shows(page, 'Claude <i>of Ada</i>')
    await shows(page, new URL(origin).host)
    await shows(page, 'NOT VERIFIED')
    await settled(page)
    await look(page, 'connect')
    expect(await faultsOf(page)).toEqual([])
    await page.setViewport({ width: 390, height: 844 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.locator(`::-p-aria([name="Orders (${desk.inbox.address})"][role="checkbox"])`).click()
    await look(page, 'connect-phone')
    await press(page, 'Allow')
    await page.waitForFunction(`location.pathname === '/back-at-the-client'`)
    const there = new URL(page.url()).searchParams
    expect([there.get('state'), there.get('iss'), there.has('code')]).toEqual(['s', origin, true])
    const wrong = await fetch(`${origin}/oauth/authorize`, { redirect: 'manual' })
    expect(wrong.headers.get('x-frame-options')).toBe('DENY')

    await page.goto(server.address(`p/${project.id}/settings?tab=grants`))
    await settled(page)
    await shows(page, 'Claude <i>of Ada</i>')
    await look(page, 'programs-phone')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.setViewport({ width: 1280, height: 800 })
    await look(page, 'programs')
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'End')
    await page.locator('::-p-aria([role="dialog"]) >>> ::-p-aria([name="End"][role="button"])').click()
    await shows(page, 'No program is let in')
    await page.goto(`${origin}/oauth/authorize?${asking}`)
    await settled(page)
    await press(page, 'Refuse')
    await page.waitForFunction(`location.search.includes('error=access_denied')`)
    await page.close()
  })
})
