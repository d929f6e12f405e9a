import { createTransport } from 'nodemailer'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'
import { SqlInboxDrafts } from '../../plugins/kit/sql/repositories/inboxes/drafts.ts'
import { PROJECT, type TestApp, testApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'
import { smtpListener } from '../support/smtp-listener.ts'
import { until } from '../support/until.ts'

const ADA = 'ada@friend.example'

describe(`an inbox, on ${STRICT.name}`, () => {
  let test: TestApp
  let listener: SmtpListener
  let count = 0

  beforeAll(async () => {
    const plugin = smtpListener((made) => {
      listener = made
    })
    test = await testApp(STRICT, {}, { inbound: [plugin], publicUrl: 'https://mail.example.com' })
    await test.engine.start()
  })

  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, json?: object) => {
    const { status, text, body } = await test.ask(method, path, json === undefined ? {} : { json })
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300)
    return body
  }
  const inboxAt = async (more: object = {}) => {
    const address = `help${++count}@example.com`
    return ask('POST', '/inboxes', { name: 'Help', senderName: 'Example Help', address, ...more })
  }
  const come = async (mail: object) => {
    const sent = await createTransport({
      ...{ host: '127.0.0.1', port: listener.port, secure: false, ignoreTLS: true },
    }).sendMail({ from: `Ada <${ADA}>`, subject: 'The blue one?', text: 'Is it still there?', ...mail })
    return sent.messageId
  }
  const threadsOf = (id: string, query = '') => ask('GET', `/inboxes/${id}/threads?${query}`)
  const threads = (id: string, of: number, query = '') =>
    until(
      `the inbox has ${of} threads`,
      async () => {
        const { data } = await threadsOf(id, query)
        return data.length === of ? data : undefined
      },
      20_000,
    )
  const messages = (threadId: string, of: number) =>
    until(
      `the thread has ${of} messages`,
      async () => {
        const { data } = await ask('GET', `/threads/${threadId}/messages`)
        return data.length === of ? data : undefined
      },
      20_000,
    )

  it('files what comes in, is answered by a mail with references, and takes the answer into the same thread', async () => {
    const inbox = await inboxAt({ signature: '<p>-- Help</p>' })
    const firstId = await come({
      ...{
        to: { name: 'Hilfe & Rät', address: inbox.address },
        cc: { name: 'Bob Müller', address: 'bob@friend.example' },
        // asks for answers at the inbox itself, which would lose them
        ...{ replyTo: inbox.address, text: 'Is it still there?\n\nThe blue one' },
      },
    })
    const [thread] = await threads(inbox.id, 1)
    expect(thread).toMatchObject({
      ...{
        subject: 'The blue one?',
        snippet: 'Is it still there? The blue one',
        folder: 'inbox',
        unread: true,
        messageCount: 1,
      },
      participants: [{ email: ADA, name: 'Ada' }],
    })
    expect((await ask('GET', `/inboxes/${inbox.id}`)).unread).toBe(1)
    const open = { kind: 'threads', id: thread.id, tab: 'tabtabtab' }
    expect(await ask('PUT', '/presence', open)).toEqual({ present: [] })
    const [message] = await messages(thread.id, 1)
    expect(message).toMatchObject({
      ...{ incoming: true, from: ADA, text: 'Is it still there?\n\nThe blue one\n', messageId: firstId },
      ...{ to: [{ email: inbox.address, name: 'Hilfe & Rät' }], cc: [{ name: 'Bob Müller' }] },
    })

    const draft = await ask('POST', `/inboxes/${inbox.id}/drafts`, {
      ...{ kind: 'reply-all', messageId: message.id, body: '<p>Yes, {{ it }} is.</p>' },
    })
    expect(draft).toMatchObject({
      ...{ subject: 'Re: The blue one?', status: 'open', threadId: thread.id },
      ...{ to: [{ email: ADA, name: 'Ada' }], cc: [{ email: 'bob@friend.example', name: 'Bob Müller' }] },
    })
    const stale = await test.ask('POST', `/drafts/${draft.id}/send`, { json: {}, headers: { 'if-match': '"2"' } })
    expect([stale.status, stale.body.error.currentVersion]).toEqual([409, 1])
    const sent = await ask('POST', `/drafts/${draft.id}/send`, { version: 1 })
    expect(sent).toMatchObject({ status: 'sent', threadId: thread.id })
    expect((await test.ask('PATCH', `/drafts/${draft.id}`, { json: { body: 'x' } })).status).toBe(409)
    const again = await test.ask('POST', `/drafts/${draft.id}/send`)
    expect([again.status, again.body.error.code]).toEqual([409, 'CONFLICT'])

    const mail = await until('the answer has left', async () => {
      const found = await ask('GET', `/emails/${sent.emailId}`)
      return found.sentAt ? found : undefined
    })
    expect(mail).toMatchObject({
      from: inbox.address,
      fromName: 'Example Help',
      cc: ['Bob Müller <bob@friend.example>'],
    })
    expect(mail.body).toContain('<p>Yes, {{ it }} is.</p>\n<p>-- Help</p>')
    expect(mail.body).toContain('Is it still there?<br><br>The blue one</blockquote>')
    // in lines where no style counts, too
    expect(mail.text).toContain('> Is it still there?\n> \n> The blue one')
    const { headers } = await ask('GET', `/emails/${sent.emailId}/headers`)
    expect(headers).toContainEqual({ name: 'In-Reply-To', value: firstId })
    expect(headers).toContainEqual({ name: 'References', value: firstId })

    const text = 'Great\n\nOn Friday, Example Help wrote:\n> Yes\n-- \nAda'
    await come({ to: inbox.address, subject: 'AW: The blue one?', text, inReplyTo: mail.messageId })
    const [last, answer, first] = await messages(thread.id, 3)
    expect(last).toMatchObject({ replyText: 'Great', replyHtml: '' })
    expect([answer.id, first.id]).toEqual([sent.emailId, message.id])
    expect((await threads(inbox.id, 1))[0]).toMatchObject({ id: thread.id, messageCount: 3 })
  })

  it('sends no mail in which nothing is written, unless that is meant', async () => {
    const inbox = await inboxAt()
    const drafted = (more: object) =>
      ask('POST', `/inboxes/${inbox.id}/drafts`, { to: [ADA], subject: 'Friday', ...more })
    // a text under another name is a warning, and no text
    const { id } = await drafted({ text: 'See you on Friday.' })
    const refused = await test.ask('POST', `/drafts/${id}/send`)
    expect([refused.status, refused.body.error.errors[0].field]).toEqual([422, 'body'])
    expect(refused.text).toContain('allowEmpty: true')
    expect((await ask('GET', `/drafts/${id}`)).status).toBe('open')
    for (const body of ['<p></p>', ' \n', '<p>&nbsp;<br></p>', `<p style="color: red">${'\u00a0'}</p>`]) {
      await ask('PATCH', `/drafts/${id}`, { body })
      expect((await test.ask('POST', `/drafts/${id}/send`)).status).toBe(422)
    }
    expect((await ask('POST', `/drafts/${id}/send`, { allowEmpty: true })).status).toBe('sent')
    const pictured = await drafted({ body: '<p><IMG src="https://example.com/a.png"></p>' })
    expect((await ask('POST', `/drafts/${pictured.id}/send`)).status).toBe('sent')
    const filed = await drafted({})
    await ask('POST', `/drafts/${filed.id}/attachments`, {
      filename: 'a.txt',
      content: 'YQ==',
      contentType: 'text/plain',
    })
    expect((await ask('POST', `/drafts/${filed.id}/send`)).status).toBe('sent')
  })

  it('opens a thread with the mail that was sent by the API, once that is answered', async () => {
    const inbox = await inboxAt()
    const { data } = await ask('POST', '/v1/send', {
      ...{ from: inbox.address, to: ADA, subject: 'Your order', body: '<p>It is on its way.</p>' },
    })
    const [{ email }] = data.emails
    await until('it has left', async () => (await ask('GET', `/emails/${email}`)).sentAt)
    const answer = { to: inbox.address, subject: 'Re: Your order', text: 'Thanks' }
    await come({ ...answer, references: `<x@y.example> <${email}@example.com>` })
    const [thread] = await threads(inbox.id, 1)
    const [received, sent] = await messages(thread.id, 2)
    expect(received).toMatchObject({ incoming: true, text: 'Thanks\n' })
    expect(sent).toMatchObject({ id: email, incoming: false, subject: 'Your order' })
    // without a reference: by subject and author, and only where the subject says that it answers
    await come({ ...answer, text: 'One more thing' })
    await messages(thread.id, 3)
    await come({ ...answer, from: 'eve@friend.example', text: 'Another one' })
    await come({ ...answer, subject: 'Your order', text: 'Another mail' })
    await threads(inbox.id, 3)
  })

  it('takes a mail that names one of its messages into the thread at once, however it is sent', async () => {
    const inbox = await inboxAt()
    const named = await come({ to: inbox.address, subject: 'By hand?' })
    const [thread] = await threads(inbox.id, 1)
    const mail = { from: 'hello@example.com', to: ADA, subject: 'Re: By hand?' }
    await ask('POST', '/v1/send', {
      ...mail,
      body: '<p>One {{ x }}</p>',
      data: { x: 'way' },
      headers: { 'In-Reply-To': named },
    })
    const headers = { References: `<x@y.example> ${named}` }
    const other = { ...mail, body: '<p>Of none</p>', headers: { 'in-reply-to': '<none@y.example>' } }
    await ask('POST', '/v1/send/batch', { messages: [{ ...mail, body: '<p>Two</p>', headers }, other] })
    const message = `From: hello@example.com\r\nTo: ${ADA}\r\nSubject: Re: By hand?\r\nIn-Reply-To: ${named}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=us-ascii\r\nContent-Transfer-Encoding: 7bit\r\n\r\nThree\r\n`
    await ask('POST', '/v1/send/message', { to: [ADA], message: Buffer.from(message).toString('base64') })
    const { data } = await ask('GET', `/threads/${thread.id}/messages`)
    expect(data.map(({ text }: { text: string }) => text.trim())).toEqual([
      'Three',
      'Two',
      'One way',
      'Is it still there?',
    ])
    expect(await ask('GET', `/threads/${thread.id}`)).toMatchObject({
      messageCount: 4,
      snippet: 'Three',
      folder: 'inbox',
    })
    await come({ to: inbox.address, subject: 'Re: By hand?', inReplyTo: named })
    await messages(thread.id, 5)
  })

  it('keeps reading, folders, labels, assignment and notes, each as acknowledged', async () => {
    const inbox = await inboxAt({ labels: [{ name: 'urgent', colour: '#d92d20' }] })
    await come({ to: inbox.address })
    const [{ id }] = await threads(inbox.id, 1)
    const wrong = await test.ask('PATCH', `/threads/${id}`, { json: { labels: ['urgent', 'odd'] } })
    expect([wrong.status, wrong.body.error.errors[0]]).toMatchObject([422, { field: 'labels.1' }])
    const changed = await ask('PATCH', `/threads/${id}`, { labels: ['urgent'], assigneeId: 'u1', read: true })
    expect(changed).toMatchObject({ labels: ['urgent'], assigneeId: 'u1', unread: false, notes: [] })
    expect((await threadsOf(inbox.id, 'unread=true')).data).toEqual([])
    expect((await threadsOf(inbox.id, 'label=urgent&assignee=u1&participant=FRIEND')).data).toHaveLength(1)
    expect((await threadsOf(inbox.id, 'assignee=none')).data).toEqual([])
    const note = await ask('POST', `/threads/${id}/notes`, { text: 'She wants the blue one.' })
    expect((await ask('GET', `/threads/${id}`)).notes).toMatchObject([{ text: 'She wants the blue one.' }])
    await ask('DELETE', `/threads/${id}/notes/${note.id}`)
    await ask('PATCH', `/threads/${id}`, { folder: 'archive', labels: [], assigneeId: null })
    expect((await threadsOf(inbox.id)).data).toEqual([])
    expect((await threadsOf(inbox.id, 'folder=all')).data).toMatchObject([{ id, labels: [], assigneeId: null }])
    // a new message brings it back, unread
    await come({ to: inbox.address, subject: 'Re: The blue one?' })
    expect((await threads(inbox.id, 1))[0]).toMatchObject({ id, folder: 'inbox', unread: true })
    await come({ to: inbox.address, subject: 'Win', headers: { 'X-Spam-Flag': 'YES' } })
    await threads(inbox.id, 1, 'folder=spam')
  })

  it('takes a mail back while it waits, and opens its draft again', async () => {
    const inbox = await inboxAt()
    const draft = await ask('POST', `/inboxes/${inbox.id}/drafts`, { to: [ADA], subject: 'Hi', body: '<p>Hi</p>' })
    const early = await test.ask('POST', `/drafts/${draft.id}/undo`)
    expect(early.status).toBe(409)
    const { emailId, threadId } = await ask('POST', `/drafts/${draft.id}/send`, { undoSeconds: 60 })
    expect((await threadsOf(inbox.id, 'folder=sent')).data).toMatchObject([{ id: threadId, messageCount: 1 }])
    const open = await ask('POST', `/drafts/${draft.id}/undo`)
    expect(open).toMatchObject({ status: 'open', emailId: null, threadId: null, version: 2 })
    expect(await ask('GET', `/emails/${emailId}`)).toMatchObject({ status: 'SKIPPED', skipReason: 'cancelled' })
    expect((await threadsOf(inbox.id, 'folder=sent')).data).toEqual([])
    const now = await ask('POST', `/drafts/${draft.id}/send`)
    await until('it has left', async () => (await ask('GET', `/emails/${now.emailId}`)).sentAt)
    const late = await test.ask('POST', `/drafts/${draft.id}/undo`)
    expect([late.status, late.body.error.code]).toEqual([409, 'CONFLICT'])
  })

  it('sends files along, which are listed, removed, taken back with the mail, and forwarded', async () => {
    const inbox = await inboxAt()
    const more = { from: 'eve@friend.example', subject: 'The plan' }
    const attachments = [
      { filename: 'plan "A".pdf', content: 'the plan', contentType: 'application/pdf' },
      { filename: 'dot.png', content: Buffer.from('89504e470d0a', 'hex'), cid: 'dot', contentType: 'image/png' },
    ]
    await come({ to: inbox.address, ...more, attachments })
    const [thread] = await threads(inbox.id, 1)
    const [message] = await messages(thread.id, 1)
    const ids = message.attachments.map((each: { contentId?: string }) => each.contentId)
    expect(ids, 'by which its HTML shows a picture').toEqual([undefined, 'dot'])
    const reply = { kind: 'reply', messageId: message.id, body: '<p>See here: <img src="cid:map"></p>' }
    const { id } = await ask('POST', `/inboxes/${inbox.id}/drafts`, reply)
    const file = { filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('first').toString('base64') }
    const wrong = [
      { ...file, content: 'no!' },
      { ...file, disposition: 'inline' },
      { ...file, content: Buffer.alloc(10 * 1024 * 1024 + 1).toString('base64') },
    ]
    for (const json of wrong) expect((await test.ask('POST', `/drafts/${id}/attachments`, { json })).status).toBe(422)
    const first = await ask('POST', `/drafts/${id}/attachments`, file)
    expect(first).toMatchObject({
      version: 2,
      attachments: [{ filename: 'a.txt', size: 5, disposition: 'attachment' }],
    })
    for (let i = 1; i < 10; i++) await ask('POST', `/drafts/${id}/attachments`, { ...file, filename: `${i}.txt` })
    const { attachments: ten } = await ask('GET', `/drafts/${id}`)
    const eleventh = await test.ask('POST', `/drafts/${id}/attachments`, { json: file })
    expect([eleventh.status, eleventh.body.error.errors[0].code]).toEqual([422, 'too_big'])
    for (const each of ten.slice(1)) await ask('DELETE', `/drafts/${id}/attachments/${each.id}`)
    expect((await test.ask('DELETE', `/drafts/${id}/attachments/${ten[1].id}`)).status).toBe(404)
    const inline = { ...file, filename: 'map.png', contentType: 'image/png', disposition: 'inline', contentId: 'map' }
    const { attachments: two, version } = await ask('POST', `/drafts/${id}/attachments`, inline)
    const stale = await test.ask('POST', `/drafts/${id}/send`, { json: { version: version - 1 } })
    expect(stale.status).toBe(409)

    await ask('POST', `/drafts/${id}/send`, { undoSeconds: 60 })
    const path = `/drafts/${id}/attachments/${two[0].id}`
    expect((await test.ask('GET', path)).text).toBe('first')
    expect((await test.ask('DELETE', path)).status).toBe(409)
    await ask('POST', `/drafts/${id}/undo`)
    expect((await test.ask('GET', path)).text).toBe('first')
    const { emailId } = await ask('POST', `/drafts/${id}/send`)
    await until('it has left', async () => (await ask('GET', `/emails/${emailId}`)).sentAt)
    const [sent] = await messages(thread.id, 2)
    expect(sent.attachments).toMatchObject([
      { filename: 'a.txt', contentType: 'text/plain', size: 5 },
      { filename: 'map.png', contentType: 'image/png' },
    ])
    const { pathname } = new URL(sent.attachments[0].url)
    const open = await test.ask('GET', pathname, { key: '' })
    expect([open.text, open.headers.get('content-disposition')]).toEqual([
      'first',
      `attachment; filename*=UTF-8''a.txt`,
    ])
    const { text: raw } = await test.ask('GET', `/emails/${emailId}/raw`)
    expect(raw).toMatch(/Content-ID: <map>/i)

    const forward = { kind: 'forward', messageId: message.id, to: ['bob@friend.example'] }
    const along = await ask('POST', `/inboxes/${inbox.id}/drafts`, forward)
    expect(along.attachments).toMatchObject([
      { filename: 'plan  A .pdf', contentType: 'application/pdf', size: 8 },
      { filename: 'dot.png', disposition: 'attachment' },
    ])
    await ask('DELETE', `/drafts/${along.id}/attachments/${along.attachments[1].id}`)
    const forwarded = await ask('POST', `/drafts/${along.id}/send`)
    const { attachments: went } = await ask('GET', `/emails/${forwarded.emailId}`)
    expect(went).toMatchObject([{ filename: 'plan  A .pdf', size: 8 }])
  })

  it('forwards as many files as a mail may have, and says how many it leaves out', async () => {
    const inbox = await inboxAt()
    const attachments = Array.from({ length: 12 }, (_, i) => ({ filename: `${i}.txt`, content: `${i}` }))
    await come({ to: inbox.address, from: 'many@friend.example', attachments })
    const [thread] = await threads(inbox.id, 1)
    const [{ id: messageId }] = await messages(thread.id, 1)
    const draft = await ask('POST', `/inboxes/${inbox.id}/drafts`, { kind: 'forward', messageId, to: [ADA] })
    expect([draft.attachments.length, draft.omittedFiles]).toEqual([10, 2])
    expect((await ask('POST', `/drafts/${draft.id}/send`)).status).toBe('sent')
    // what is erased with its contact leaves no file
    const again = await ask('POST', `/inboxes/${inbox.id}/drafts`, { kind: 'reply', messageId })
    const file = { filename: 'a.txt', contentType: 'text/plain', content: 'b25l' }
    const { attachments: held } = await ask('POST', `/drafts/${again.id}/attachments`, file)
    const path = `/drafts/${again.id}/attachments/${held[0].id}`
    const [contact] = (await ask('GET', '/contacts?search=many@friend.example')).data
    await ask('DELETE', `/contacts/${contact.id}`)
    await until('the draft is gone', async () => (await test.ask('GET', path)).status === 404, 20_000)
  })

  it('sends a draft once, however many ask at the same time', async () => {
    const inbox = await inboxAt()
    const draft = await ask('POST', `/inboxes/${inbox.id}/drafts`, { to: [ADA], subject: `Once ${count}`, body: 'x' })
    const asked = await Promise.all(Array.from({ length: 5 }, () => test.ask('POST', `/drafts/${draft.id}/send`)))
    expect(asked.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
    const { total } = await ask('GET', `/emails?search=${encodeURIComponent(`subject:"Once ${count}"`)}`)
    expect(total).toBe(1)
  })

  it('a thread is merged while its drafts are sent and changed', async () => {
    const inbox = await inboxAt()
    const sentTo = async (subject: string) => {
      const { id } = await ask('POST', `/inboxes/${inbox.id}/drafts`, { to: [ADA], subject, body: 'x' })
      return ask('POST', `/drafts/${id}/send`, {})
    }
    const into = await sentTo('Into')
    for (let i = 0; i < 10; i++) {
      const { threadId, emailId } = await sentTo(`From ${i}`)
      const answer = { kind: 'reply', messageId: emailId, to: [ADA], body: 'x' }
      const drafts = [
        await ask('POST', `/inboxes/${inbox.id}/drafts`, answer),
        await ask('POST', `/inboxes/${inbox.id}/drafts`, answer),
      ]
      const done = await Promise.all([
        test.ask('POST', `/drafts/${drafts[0].id}/send`, { json: {} }),
        test.ask('POST', `/threads/${threadId}/merge`, { json: { into: into.threadId } }),
        test.ask('PATCH', `/drafts/${drafts[1].id}`, { json: { body: 'changed' } }),
      ])
      expect(done.map(({ status }) => status)).toEqual([200, 200, 200])
      // the merge has not written over what was changed at that moment
      expect(await ask('GET', `/drafts/${drafts[1].id}`)).toMatchObject({ body: 'changed', threadId: into.threadId })
    }
  })

  it('merges and splits threads, and later answers follow', async () => {
    const inbox = await inboxAt()
    const one = await come({ to: inbox.address, subject: 'One' })
    await come({ to: inbox.address, subject: 'Two' })
    const [two, first] = await threads(inbox.id, 2)
    // one that was not read is not hidden behind one that was
    await ask('PATCH', `/threads/${two.id}`, { read: true })
    const merged = await ask('POST', `/threads/${first.id}/merge`, { into: two.id })
    expect(merged).toMatchObject({ id: two.id, messageCount: 2, unread: true })
    await ask('PATCH', `/threads/${two.id}`, { read: true })
    expect((await test.ask('GET', `/threads/${first.id}`)).status).toBe(404)
    const [, older] = await messages(two.id, 2)
    const apart = () => ask('POST', `/threads/${two.id}/split`, { messageIds: [older.id] })
    const back = await ask('POST', `/threads/${(await apart()).id}/merge`, { into: two.id })
    expect(back).toMatchObject({ messageCount: 2, unread: false })
    const split = await apart()
    expect(split).toMatchObject({ subject: 'One', messageCount: 1, unread: false })
    await come({ to: inbox.address, subject: 'Re: One', inReplyTo: one })
    await messages(split.id, 2)
    const all = await test.ask('POST', `/threads/${two.id}/split`, {
      json: { messageIds: [(await messages(two.id, 1))[0].id] },
    })
    expect([all.status, all.body.error.errors[0].field]).toEqual([422, 'messageIds'])
  })

  it('takes mail for every address of a domain, with a plus, and once for two inboxes', async () => {
    const every = await ask('POST', '/inboxes', { name: 'All', address: '*@example.com' })
    const own = await inboxAt()
    const free = await ask('POST', '/inboxes', { name: 'Agent', metadata: { run: 7 } })
    expect(free.address).toMatch(/^[a-z2-9]{12}@example\.com$/)
    await come({ to: [own.address.replace('@', '+note@'), free.address, `other${count}@example.com`] })
    const [[a], [b], [c]] = [await threads(own.id, 1), await threads(free.id, 1), await threads(every.id, 1)]
    const ids = [a, b, c].map(({ lastMessageId }) => lastMessageId)
    expect(new Set(ids).size).toBe(1)
    const taken = await test.ask('POST', '/inboxes', { json: { name: 'All', address: '*@EXAMPLE.com' } })
    expect(taken.status).toBe(409)
    const foreign = await test.ask('POST', '/inboxes', { json: { name: 'X', address: 'x@elsewhere.example' } })
    expect([foreign.status, foreign.body.error.code]).toEqual([403, 'DOMAIN_NOT_VERIFIED'])
    const bare = await ask('POST', `/inboxes/${every.id}/drafts`, { to: [ADA], subject: 'Hi', body: 'x' })
    expect((await test.ask('POST', `/drafts/${bare.id}/send`)).body.error.errors[0].field).toBe('inboxId')
    // where the removal breaks off, the inbox is still there to be removed
    vi.spyOn(SqlInboxDrafts.prototype, 'removeOf').mockRejectedValueOnce(new Error('the power failed'))
    await expect(test.engine.inboxes.remove(await test.engine.projects.get(PROJECT), every.id)).rejects.toThrow(
      'the power failed',
    )
    await ask('DELETE', `/inboxes/${every.id}`)
    expect((await test.ask('GET', `/threads/${c.id}`)).status).toBe(404)
    expect((await ask('GET', `/emails/${c.lastMessageId}`)).status).toBe('RECEIVED')
  })

  it('empties what a removed contact has said in it', async () => {
    const inbox = await inboxAt()
    const from = `gone${count}@friend.example`
    await come({ to: inbox.address, from, subject: 'My secret', text: 'secret words' })
    const [{ id }] = await threads(inbox.id, 1)
    const [contact] = (await ask('GET', `/contacts?search=${from}`)).data
    await ask('DELETE', `/contacts/${contact.id}`)
    await until('the thread is emptied', async () => (await ask('GET', `/threads/${id}`)).subject === '', 20_000)
    const emptied = await ask('GET', `/threads/${id}`)
    expect(emptied).toMatchObject({ subject: '', snippet: '', participants: [] })
    expect(JSON.stringify(await messages(id, 1))).not.toMatch(/secret|gone/)
  })

  it('lets a key of some inboxes see these alone, as far as its rights go', async () => {
    const [inbox, other] = [await inboxAt(), await inboxAt()]
    const { projectId } = await ask('GET', '/keys/@me')
    const keyed = async (grant: object) => {
      const json = { name: 'agent', kind: 'secret', scopes: ['inbox'], inbox: { inboxIds: [inbox.id], ...grant } }
      const { key } = await ask('POST', `/projects/${projectId}/keys`, json)
      return (method: string, path: string, json?: object) => test.ask(method, path, { key, ...(json && { json }) })
    }
    const reader = await keyed({ rights: ['read'] })
    expect((await reader('GET', '/inboxes')).body).toMatchObject({ total: 1, inboxes: [{ id: inbox.id }] })
    const refused = [
      await reader('GET', `/inboxes/${other.id}`),
      await reader('GET', `/inboxes/${other.id}/threads`),
      await reader('POST', `/inboxes/${inbox.id}/drafts`, { to: [ADA], subject: 'Hi' }),
      await reader('GET', '/contacts'),
      await reader('GET', '/emails'),
      await reader('POST', '/v1/send', { to: ADA, from: inbox.address, subject: 'Hi', body: 'x' }),
      await reader('POST', `/projects/${projectId}/keys`, { name: 'x', kind: 'secret', scopes: ['full'] }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 403, 403, 403, 403, 403])
    await come({ to: inbox.address })
    const [{ id }] = await threads(inbox.id, 1)
    expect((await reader('PATCH', `/threads/${id}`, { read: true })).body).toMatchObject({ unread: false })
    expect((await reader('PATCH', `/threads/${id}`, { folder: 'trash' })).status).toBe(403)
    for (const [json, field] of [
      [{ scopes: ['inbox', 'read'], inbox: { inboxIds: [inbox.id], rights: ['read'] } }, 'scopes'],
      [{ scopes: ['inbox'] }, 'inbox'],
      [{ scopes: ['read'], inbox: { inboxIds: [inbox.id], rights: ['read'] } }, 'inbox'],
      [{ scopes: ['inbox'], inbox: { inboxIds: [projectId], rights: ['read'] } }, 'inbox.inboxIds.0'],
    ] as const) {
      const wrong = await test.ask('POST', `/projects/${projectId}/keys`, {
        json: { name: 'agent', kind: 'secret', ...json },
      })
      expect([wrong.status, wrong.body.error.errors[0].field]).toEqual([422, field])
    }
    const sender = await keyed({ rights: ['draft', 'send'], approval: 'never', hourly: 1 })
    const hi = { to: [ADA], subject: 'Hi', body: '<p>Hi</p>' }
    const drafted = async () => (await sender('POST', `/inboxes/${inbox.id}/drafts`, hi)).body
    expect((await sender('POST', `/drafts/${(await drafted()).id}/send`)).status).toBe(200)
    const tooMany = await sender('POST', `/drafts/${(await drafted()).id}/send`)
    expect([tooMany.status, tooMany.body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
  })

  it('holds what a key writes for a person, who approves it, or refuses it with words that the key reads', async () => {
    const inbox = await inboxAt({ approval: 'outside' })
    const { projectId } = await ask('GET', '/keys/@me')
    const grant = { inboxIds: [inbox.id], rights: ['draft', 'send'], approval: 'never' }
    const json = { name: 'Agent 7', kind: 'secret', scopes: ['inbox'], inbox: grant }
    const { key } = await ask('POST', `/projects/${projectId}/keys`, json)
    const agent = (method: string, path: string, json?: object) =>
      test.ask(method, path, { key, ...(json && { json }) })
    await come({ to: inbox.address })
    const [{ id }] = await threads(inbox.id, 1)
    const [message] = await messages(id, 1)
    const reply = { kind: 'reply', messageId: message.id, body: '<p>Yes.</p>' }
    const inside = (await agent('POST', `/inboxes/${inbox.id}/drafts`, reply)).body
    expect((await agent('POST', `/drafts/${inside.id}/send`)).body.status).toBe('sent')

    const outside = { ...reply, to: [ADA, 'bob@elsewhere.example'], subject: 'Re: Blue', reason: 'Bob asked for it.' }
    const { body: draft } = await agent('POST', `/inboxes/${inbox.id}/drafts`, outside)
    expect((await agent('POST', `/drafts/${draft.id}/send`)).body).toMatchObject({ status: 'waiting', emailId: null })
    expect((await ask('GET', '/approvals')).data).toMatchObject([
      { id: draft.id, authorName: 'Agent 7', reason: 'Bob asked for it.' },
    ])
    // neither the agent nor any other key can do what a person has to
    for (const asked of [agent, (method: string, path: string, json?: object) => test.ask(method, path, { json })]) {
      expect((await asked('POST', `/drafts/${draft.id}/approve`, { version: 1 })).status).toBe(403)
    }
    expect((await test.ask('POST', `/drafts/${draft.id}/send`)).body.status).toBe('waiting')
    const by = { authorType: 'user', authorId: 'u1', authorName: 'eve@example.com' } as const
    const { drafts } = test.engine.inboxes
    const project = await test.engine.projects.get(projectId)
    await drafts.refuse(project, draft.id, { refusal: 'Ask her first.' }, by)
    expect((await agent('GET', `/drafts/${draft.id}`)).body).toMatchObject({
      ...{ status: 'refused', refusal: 'Ask her first.', decidedBy: 'eve@example.com' },
    })
    const changed = (await agent('PATCH', `/drafts/${draft.id}`, { body: '<p>She agrees.</p>' })).body
    expect(changed).toMatchObject({ status: 'open', version: 2 })
    expect((await agent('POST', `/drafts/${draft.id}/send`)).body).toMatchObject({ status: 'waiting', refusal: null })
    await expect(drafts.approve(project, draft.id, { version: 1 }, by)).rejects.toMatchObject({
      ...{ code: 'VERSION_CONFLICT', currentVersion: 2 },
    })
    const sent = await drafts.approve(project, draft.id, { version: 2 }, by)
    expect(sent).toMatchObject({ status: 'sent', decidedBy: 'eve@example.com' })
    await expect(drafts.approve(project, draft.id, { version: 2 }, by)).rejects.toMatchObject({ code: 'CONFLICT' })
    await until('it has left', async () => (await ask('GET', `/emails/${sent.emailId}`)).sentAt)
    expect((await ask('GET', '/approvals')).data).toEqual([])
  })
})
