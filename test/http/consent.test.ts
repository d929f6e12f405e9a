import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, MAIL, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { ended, upload } from '../support/contact-jobs.ts'
import { contactToken, LINK_SETTINGS } from '../support/contact-links.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const PERSON = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0' }
const SCANNER = { 'user-agent': 'Barracuda Sentinel (EE)' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const BODY =
  '<table background="https://x.example/b.png"></table><p>Hi {{ name }}</p><a href="https://x.example/a">a</a><a href="https://x.example/{{ name }}">b</a>'

interface Sent {
  readonly id: string
  readonly contactId: string
  readonly html: string
  /** Paths. */
  readonly pixel: string
  readonly clicks: readonly string[]
}

for (const store of [QUICK]) {
  describe(`consent to tracking on ${store.name}`, () => {
    let test: TestApp
    let sink: SmtpSink
    let projectId: string
    let count = 0

    beforeAll(async () => {
      sink = await startSmtpSink()
      test = await testApp(store, {}, { ...LINK_SETTINGS, transports: [toSink(sink)] })
      projectId = (await test.engine.projects.list()).find(({ name }) => name === 'Test')!.id
      await test.engine.start()
    })
    atEndOfFile(() => sink.close())

    const post = (json: object) => test.ask('POST', '/contacts', { json })
    const someone = async (tracking: string) => (await post({ email: `c${++count}@example.org`, tracking })).body
    const allow = (id: string, tracking: string) => test.ask('PATCH', `/contacts/${id}`, { json: { tracking } })
    const consentOf = async (id: string) => (await test.ask('GET', `/contacts/${id}`)).body.tracking
    const track = (json: object, key = PUBLIC) =>
      test.ask('POST', '/v1/track', { json: { event: 'seen', ...json }, key })
    const visit = (path: string, headers: Record<string, string> = PERSON) =>
      test.ask('GET', path, { key: null, headers })
    const eventsOf = async (id: string): Promise<{ name: string; data: object }[]> =>
      (await test.ask('GET', `/events/contact/${id}`)).body.events
    const mailOf = async ({ id }: { readonly id: string }) => (await test.ask('GET', `/emails/${id}`)).body
    const stats = async (id: string, query = '') => (await test.ask('GET', `/campaigns/${id}/stats${query}`)).body.data
    const told = async (id: string) =>
      (await eventsOf(id)).filter(({ name }) => name === 'contact.tracking').map(({ data }) => data)

    /** The last mail that came in for an address. */
    async function received(to: string): Promise<Pick<Sent, 'html' | 'pixel' | 'clicks'>> {
      const mine = () => sink.messages.findLast((mail) => mail.to.includes(to))
      await until('the mail is there', () => mine() !== undefined, 20_000)
      const html = (await simpleParser(mine()!.raw)).html || ''
      const paths = [...html.matchAll(/"https:\/\/mail\.example\.net(\/t\/[^"]+)"/g)].map(([, path]) => path!)
      return {
        html,
        pixel: paths.find((path) => path.startsWith('/t/o/')) ?? '',
        clicks: paths.filter((path) => path.startsWith('/t/c/')),
      }
    }
    async function send(to: string, change: object = {}): Promise<Sent> {
      const json = { ...MAIL, to, body: BODY, data: { name: 'Ada' }, ...change }
      const { body } = await test.ask('POST', '/v1/send', { json })
      const { email: id, contact } = body.data.emails[0]
      await until('its result is stored', async () => (await mailOf({ id })).sentAt, 20_000)
      return { id, contactId: contact.id, ...(await received(to)) }
    }

    it('is full unless the project says otherwise, kept when nothing is said, and told when it changes', async () => {
      const made = await post({ email: 'ada@example.org' })
      expect(made.body.tracking).toBe('full')
      const { id } = made.body
      expect((await post({ email: 'ada@example.org', tracking: 'anonymous' })).body.tracking).toBe('anonymous')
      expect((await post({ email: 'ada@example.org', data: { a: 1 } })).body.tracking).toBe('anonymous')
      expect((await allow(id, 'none')).body.tracking).toBe('none')
      await allow(id, 'none')
      expect((await test.ask('GET', '/contacts?search=ada@')).body.data[0].tracking).toBe('none')
      const reason = 'api'
      expect(await told(id)).toEqual([
        { tracking: 'none', before: 'anonymous', reason },
        { tracking: 'anonymous', before: 'full', reason },
      ])
      await test.engine.projects.applySettings([{ name: 'Test', trackingConsent: 'anonymous' }])
      try {
        expect((await post({ email: 'new@example.org' })).body.tracking).toBe('anonymous')
        expect((await post({ email: 'wish@example.org', tracking: 'full' })).body.tracking).toBe('full')
        const { body } = await test.ask('POST', '/v1/send', { json: { ...MAIL, to: 'sent@example.org' } })
        expect(await consentOf(body.data.emails[0].contact.id)).toBe('anonymous')
      } finally {
        await test.engine.projects.applySettings([{ name: 'Test', trackingConsent: 'full' }])
      }
    })

    it.each([['some'], [true], [''], [null]])('refuses %j', async (tracking) => {
      const { id } = await someone('full')
      expectEnvelope(await post({ email: 'x@example.org', tracking }), 422, 'VALIDATION_ERROR', {
        tracking: 'invalid_enum_value',
      })
      const answer = await test.ask('PATCH', `/contacts/${id}`, { json: { tracking } })
      expectEnvelope(answer, 422, 'VALIDATION_ERROR', { tracking: 'invalid_enum_value' })
    })

    it('is lowered by a public key, never raised, and its event is nobody else’s to track', async () => {
      const { id, email } = await someone('anonymous')
      await track({ email, tracking: 'full' })
      expect(await consentOf(id)).toBe('anonymous')
      await track({ email, tracking: 'none' })
      await track({ email, tracking: 'anonymous' })
      expect(await consentOf(id)).toBe('none')
      await track({ email, tracking: 'full' }, SECRET)
      expect(await consentOf(id)).toBe('full')
      expect(await told(id)).toHaveLength(2)
      const { body } = await track({ email: 'visitor@example.org', tracking: 'none' })
      expect(await consentOf(body.data.contact)).toBe('none')
      expectEnvelope(await track({ email, event: 'contact.tracking' }, SECRET), 422, 'VALIDATION_ERROR', {
        event: 'reserved_event',
      })
    })

    it('is imported with a file, and found by filters', async () => {
      const { id } = await post({ email: 'i1@import.example' }).then(({ body }) => body)
      const csv = 'email,tracking\ni1@import.example,none\ni2@import.example,Anonymous\ni3@import.example,\n'
      await ended(test, await upload(test, csv), 'import')
      expect(await told(id)).toEqual([{ tracking: 'none', before: 'full', reason: 'import' }])
      const found = async (operator: string, value: string) => {
        const filter = JSON.stringify({ operator: 'AND', conditions: [{ field: 'tracking', operator, value }] })
        const path = `/contacts?search=import.example&sort=email&filter=${encodeURIComponent(filter)}`
        return (await test.ask('GET', path)).body.data.map(({ email }: { email: string }) => email.slice(0, 2))
      }
      expect(await found('equals', 'none')).toEqual(['i1'])
      expect(await found('notEquals', 'none')).toEqual(['i2', 'i3'])
      expect((await test.ask('GET', '/contacts/fields/tracking/values')).body.values).toEqual([
        'full',
        'anonymous',
        'none',
      ])
    })

    it('none: mail that was sent still answers and leads on, but nothing is counted or told', async () => {
      const mail = await send('none@example.org')
      await visit(mail.pixel)
      const before = await mailOf(mail)
      expect(before).toMatchObject({ status: 'OPENED', opens: 1 })
      await allow(mail.contactId, 'none')
      const picture = await visit(mail.pixel)
      expect({ status: picture.status, type: picture.headers.get('content-type') }).toEqual({
        status: 200,
        type: 'image/gif',
      })
      const places = await Promise.all(mail.clicks.map(async (path) => (await visit(path)).headers.get('location')))
      expect(places).toEqual(['https://x.example/a', 'https://x.example/Ada'])
      expect(await mailOf(mail)).toEqual({ ...before, events: expect.any(Array) })
      const names = (await eventsOf(mail.contactId)).map(({ name }) => name)
      expect(names.filter((name) => /open|click/.test(name))).toEqual(['email.open'])
      // what was not noted meanwhile is the first when it may be noted again
      await allow(mail.contactId, 'full')
      await visit(mail.clicks[0]!)
      expect(await mailOf(mail)).toMatchObject({ status: 'CLICKED', opens: 1, clicks: 1 })
      expect((await eventsOf(mail.contactId))[0]).toMatchObject({ name: 'email.click', data: { isFirstClick: true } })
    })

    it('none: new mail has neither the picture nor links over this server', async () => {
      const { email } = await someone('none')
      const { html, pixel, clicks } = await send(email)
      expect({ pixel, clicks }).toEqual({ pixel: '', clicks: [] })
      expect(html).toContain('<a href="https://x.example/a">a</a><a href="https://x.example/Ada">b</a>')
      expect(html).not.toContain('<img')
      const { email: other } = await someone('anonymous')
      expect((await send(other)).clicks).toHaveLength(2)
    })

    it('what a provider says is noted under the same consent', async () => {
      const mail = await send('provider@example.org')
      const report = (kind: 'opened' | 'clicked', key: string) =>
        test.engine.feedback.take([
          { kind, mail: { emailId: mail.id }, at: new Date(), key, link: 'https://x.example/a' },
        ])
      await allow(mail.contactId, 'none')
      expect(await report('opened', '1')).toEqual(['noted'])
      await allow(mail.contactId, 'anonymous')
      expect(await report('clicked', '2')).toEqual(['changed'])
      expect(await mailOf(mail)).toMatchObject({ status: 'DELIVERED', opens: 0, clicks: 0 })
      await allow(mail.contactId, 'full')
      expect(await report('opened', '1')).toEqual(['changed'])
      expect(await report('opened', '1')).toEqual(['known'])
      expect(await mailOf(mail)).toMatchObject({ status: 'OPENED', opens: 1, clicks: 0 })
    })

    it('a campaign counts who is anonymous, without a name, and who allows nothing has nothing to be counted by', async () => {
      const people = [await someone('full'), await someone('anonymous'), await someone('none')]
      for (const { id } of people)
        await test.ask('PATCH', `/contacts/${id}`, { json: { subscribed: true, data: { name: 'Ada', in: 'it' } } })
      const audienceFilter = { operator: 'AND', conditions: [{ field: 'data.in', operator: 'equals', value: 'it' }] }
      const campaign = {
        name: 'News',
        subject: 'News',
        body: BODY,
        from: MAIL.from,
        audienceType: 'FILTERED',
        audienceFilter,
      }
      const { body } = await test.ask('POST', '/campaigns', { json: campaign })
      const id: string = body.data.id
      await test.ask('POST', `/campaigns/${id}/send`)
      await until('it is sent', async () => (await test.ask('GET', `/campaigns/${id}`)).body.status === 'SENT', 20_000)
      const [full, anonymous, none] = await Promise.all(people.map(({ email }) => received(email)))
      expect({ pixel: none!.pixel, clicks: none!.clicks }).toEqual({ pixel: '', clicks: [] })
      expect(none!.html).toContain('<a href="https://x.example/Ada">b</a>')
      expect(none!.html).toContain('/unsubscribe/')

      await visit(full!.pixel)
      await visit(anonymous!.pixel, SCANNER)
      for (let times = 0; times < 3; times++) await visit(anonymous!.pixel)
      expect((await visit(anonymous!.clicks[1]!)).headers.get('location')).toBe('https://x.example/Ada')
      const figures = { sent: 3, opened: 2, clicked: 1, anonymous: { opened: 1, clicked: 1 }, openRate: 66.67 }
      expect(await stats(id)).toMatchObject({ ...figures, openedCount: 2 })
      expect(await stats(id, '?excludeMachine=true')).toMatchObject({ opened: 2, anonymous: { opened: 1, clicked: 1 } })
      const { body: list } = await test.ask('GET', `/campaigns/${id}/recipients`)
      const opened = list.data.filter(({ openedAt }: { openedAt?: string }) => openedAt)
      expect(opened.map(({ email }: { email: string }) => email)).toEqual([people[0].email])
      expect((await eventsOf(people[1].id)).map(({ name }) => name)).not.toContain('email.open')
      const { body: row } = await test.ask('GET', `/emails?contactId=${people[1].id}`)
      expect(row.data).toMatchObject([{ status: 'DELIVERED', opens: 0, clicks: 0 }])
    })

    describe('is asked on the page of preferences', () => {
      const chosen = (text: string) => /<input [^>]*type="radio" name="tracking" value="(\w+)" checked>/.exec(text)?.[1]
      const choose = (path: string, raw: string) => test.ask('POST', path, { key: null, raw, headers: FORM })

      it('where it is shown, chosen by its form, and told once', async () => {
        const { id } = await someone('full')
        const path = `/manage/${contactToken(projectId, id)}`
        const { text } = await visit(path)
        expect(text.match(/type="radio" name="tracking" value="\w+"/g)).toHaveLength(3)
        expect(chosen(text)).toBe('full')
        for (const consent of ['none', 'none', 'anonymous']) {
          const answer = await choose(path, `tracking=${consent}`)
          expect({ status: answer.status, chosen: chosen(answer.text) }).toEqual({ status: 200, chosen: consent })
          expect(answer.text).toContain('<p class="notice" role="status">Your choice has been saved.</p>')
          expect(await consentOf(id)).toBe(consent)
        }
        const reason = 'link'
        expect(await told(id)).toEqual([
          { tracking: 'anonymous', before: 'none', reason },
          { tracking: 'none', before: 'full', reason },
        ])
        expect((await visit(path)).text).not.toContain('role="status"')
      })

      it('and nowhere else: one-click, the other pages and other words leave it alone', async () => {
        const { id } = await someone('full')
        const token = contactToken(projectId, id)
        for (const [page, form] of [
          ['manage', 'List-Unsubscribe=One-Click&tracking=none'],
          ['unsubscribe', 'List-Unsubscribe=One-Click&tracking=none'],
          ['unsubscribe', 'tracking=none'],
          ['subscribe', 'tracking=none'],
          ['manage', 'tracking=some'],
          ['manage', 'tracking='],
        ]) {
          expect((await choose(`/${page}/${token}`, form!)).status).toBe(200)
          expect({ page, form, consent: await consentOf(id) }).toEqual({ page, form, consent: 'full' })
        }
        await test.ask('DELETE', `/contacts/${id}`)
        expect((await choose(`/manage/${token}`, 'tracking=none')).status).toBe(410)
        expect((await choose('/manage/x', 'tracking=none')).status).toBe(404)
      })
    })
  })
}
