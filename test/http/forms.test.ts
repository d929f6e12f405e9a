import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import { formScript } from '../../server/pages/form-script.ts'
import { expectEnvelope, OTHER_SECRET, SECRET, type TestApp, testApp } from '../support/app.ts'
import { LINK_SETTINGS } from '../support/contact-links.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

// On PostgreSQL, the stricter: what is stored has its contract on both.
const store = QUICK

const HOUR = 3600 * 1000
const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'
const ORIGIN = 'https://www.example.com'
const ENCODED = { 'content-type': 'application/x-www-form-urlencoded' }
const FORM = {
  name: 'Footer',
  texts: { title: 'News <of> Acme', intro: 'Once a month.' },
  consent: 'Acme may mail me. https://example.com/privacy',
  fields: [
    { type: 'text', key: 'firstName', label: 'First name', required: true },
    { type: 'number', key: 'age', label: 'Age' },
    { type: 'date', key: 'birthday', label: 'Birthday' },
    { type: 'choice', key: 'plan', label: 'I am', options: ['a customer', 'curious'] },
    { type: 'consent', key: 'partners', label: 'Partners may mail me, too.' },
    { type: 'text', key: 'constructor', label: 'Who built it' },
    { type: 'hidden', key: 'place', value: 'footer' },
  ],
  origins: [ORIGIN, `${ORIGIN}/`, 'http://localhost:8080'],
}

describe('forms', () => {
  let test: TestApp
  let sink: SmtpSink
  let time = Date.parse('2026-05-01T12:00:00Z')
  let count = 0
  const address = () => `p${++count}@example.org`

  beforeAll(async () => {
    sink = await startSmtpSink()
    atEndOfFile(() => sink.close())
    const shared = { trustedDomains: ['example.com'] }
    const projects = [
      { ...shared, name: 'Acme', secretKey: SECRET, from: 'Acme <news@example.com>' },
      { ...shared, name: 'Other', secretKey: OTHER_SECRET },
    ]
    const settings = { ...LINK_SETTINGS, projects, transports: [toSink(sink)], clock: { now: () => new Date(time) } }
    test = await testApp(store, {}, settings)
    await test.engine.start()
  })

  const make = async (change: object = {}) => {
    const { status, body, text } = await test.ask('POST', '/forms', { json: { ...FORM, ...change } })
    expect(status, text).toBe(201)
    return body
  }
  const send = (id: string, fields: Record<string, string | readonly string[]>, headers = {}) =>
    test.ask('POST', `/f/${id}`, {
      key: null,
      raw: new URLSearchParams({ firstName: 'Ada', ...fields }).toString(),
      headers: { ...ENCODED, ...headers },
    })
  const sendJson = (id: string, json: object, headers = {}) =>
    test.ask('POST', `/f/${id}`, { key: null, json: { firstName: 'Ada', ...json }, headers })
  const contactOf = async (email: string) =>
    (await test.ask('GET', `/contacts?search=${encodeURIComponent(email)}`)).body.data[0]
  const mailsTo = async (email: string) => {
    const { id } = await contactOf(email)
    return (await test.ask('GET', `/emails?contactId=${id}&limit=100`)).body.data
  }
  const sentBy = async (id: string, query = '') => (await test.ask('GET', `/forms/${id}/submissions${query}`)).body
  const eventsOf = async (email: string) => {
    const { id } = await contactOf(email)
    const { events } = (await test.ask('GET', `/events/contact/${id}`)).body
    return (events as { name: string; data: object }[]).filter(({ name }) => !name.startsWith('email.'))
  }
  const confirm = async (email: string, language = 'en') => {
    await until(`the mail to ${email}`, () => sink.messages.some(({ to }) => to.includes(email)))
    const mail = await simpleParser(sink.messages.findLast(({ to }) => to.includes(email))!.raw)
    const url = /href="([^"]+\/subscribe\/[^"]+)"/.exec(String(mail.html))![1]!
    const path = url.slice(LINK_SETTINGS.publicUrl.length)
    const headers = { ...ENCODED, 'accept-language': language }
    const before = await test.ask('GET', path, { key: null, headers })
    const after = await test.ask('POST', path, { key: null, raw: 'subscription=subscribe', headers })
    expect([before.status, after.status]).toEqual([200, 200])
    return { ...mail, before: before.text, after: after.text }
  }

  it('ask once more on request: once a day, three times in all, and either mail confirms', async () => {
    const { id } = await make()
    const email = address()
    await send(id, { email, age: '42' })
    const contact = (await contactOf(email)).id
    const at = `/contacts/${contact}/confirmation`
    await until('the first mail', () => sink.messages.some(({ to }) => to.includes(email)))
    const [first] = await mailsTo(email)
    const asked = await test.ask('GET', at)
    expect(asked.body).toMatchObject({ since: first.createdAt, mails: [{ id: first.id }], again: 'later' })
    expectEnvelope(await test.ask('POST', at), 429, 'RATE_LIMIT_EXCEEDED')
    expect(await mailsTo(email)).toHaveLength(1)
    time += 25 * HOUR
    const blocked = await test.ask('POST', '/suppressions', { json: { email, reason: 'MANUAL' } })
    expect(blocked.status, blocked.text).toBeLessThan(300)
    expect((await test.ask('GET', at)).body.again).toBe('no')
    expectEnvelope(await test.ask('POST', at), 409, 'CONFLICT')
    expect((await test.ask('DELETE', `/suppressions/${email}`)).status).toBeLessThan(300)
    expect((await test.ask('GET', at)).body.again).toBe('now')
    const again = await test.ask('POST', at)
    expect(again.status, again.text).toBe(202)
    expect(again.body).toMatchObject({ since: first.createdAt, again: 'later' })
    expect(again.body.mails.map((mail: { id: string }) => mail.id)[1]).toBe(first.id)
    expect((await contactOf(email)).subscribed).toBe(false)
    await until('the second mail', () => sink.messages.filter(({ to }) => to.includes(email)).length === 2)
    time += 25 * HOUR
    expect((await test.ask('POST', at)).status).toBe(202)
    time += 25 * HOUR
    expectEnvelope(await test.ask('POST', at), 409, 'CONFLICT')
    expect((await test.ask('GET', at)).body.again).toBe('no')
    // by the first of the three
    const mail = await simpleParser(sink.messages.find(({ to }) => to.includes(email))!.raw)
    const url = /href="([^"]+\/subscribe\/[^"]+)"/.exec(String(mail.html))![1]!
    const path = url.slice(LINK_SETTINGS.publicUrl.length)
    await test.ask('POST', path, { key: null, raw: 'subscription=subscribe', headers: ENCODED })
    expect(await contactOf(email)).toMatchObject({ subscribed: true, data: { age: 42 } })
    expect((await test.ask('GET', at)).body).toEqual({ since: null, mails: [], again: null })
    expectEnvelope(await test.ask('POST', at), 409, 'CONFLICT')
    // who never asked for mail is not asked, and neither is a contact of another project
    const known = await test.ask('POST', '/contacts', { json: { email: address(), subscribed: false } })
    expectEnvelope(await test.ask('POST', `/contacts/${known.body.id}/confirmation`), 409, 'CONFLICT')
    expectEnvelope(await test.ask('POST', at, { key: OTHER_SECRET }), 404, 'CONTACT_NOT_FOUND')
    // that reason comes first, also where the project has no sender
    const other = { key: OTHER_SECRET, json: { email: address(), subscribed: false } }
    const { id: otherId } = (await test.ask('POST', '/contacts', other)).body
    const unasked = await test.ask('POST', `/contacts/${otherId}/confirmation`, { key: OTHER_SECRET })
    expect(unasked.body.message).toBe('No confirmation is awaited of this contact.')
    expectEnvelope(await test.ask('GET', `/contacts/${UNKNOWN_ID}/confirmation`), 404, 'CONTACT_NOT_FOUND')
  })

  it('are made, listed, changed and deleted', async () => {
    const made = await make({ redirectUrl: `${ORIGIN}/thanks`, texts: { title: 'T', intro: null, thanks: ' ' } })
    expect(made).toMatchObject({
      ...{ name: 'Footer', active: true, texts: { title: 'T' }, consent: FORM.consent, doubleOptIn: true },
      ...{ origins: [ORIGIN, 'http://localhost:8080'], redirectUrl: `${ORIGIN}/thanks` },
      ...{ shown: 0, submitted: 0, confirmed: 0 },
    })
    expect(made.fields.at(-1)).toEqual({ type: 'hidden', key: 'place', value: 'footer' })
    const listed = (await test.ask('GET', '/forms')).body
    expect([listed.forms[0], listed.data[0], listed.total]).toEqual([made, made, listed.forms.length])
    const at = `/forms/${made.id}`
    const changed = (await test.ask('PATCH', at, { json: { redirectUrl: null, active: false } })).body
    const { redirectUrl: _, ...rest } = made
    expect(changed).toEqual({ ...rest, active: false, version: 2, updatedAt: changed.updatedAt })
    expect((await test.ask('GET', at)).body).toEqual(changed)
    expectEnvelope(await test.ask('GET', at, { key: OTHER_SECRET }), 404, 'FORM_NOT_FOUND')
    expectEnvelope(await test.ask('PATCH', at, { key: OTHER_SECRET, json: {} }), 404, 'FORM_NOT_FOUND')
    expectEnvelope(await test.ask('DELETE', at, { key: OTHER_SECRET }), 404, 'FORM_NOT_FOUND')
    expect((await test.ask('DELETE', at)).status).toBe(204)
    for (const gone of [at, '/forms/x', `${at}/submissions`])
      expectEnvelope(await test.ask('GET', gone), 404, 'FORM_NOT_FOUND')
  })

  it('mail no one from a domain that is not verified yet, though it is the sender of the project', async () => {
    const key = OTHER_SECRET
    const ask: TestApp['ask'] = (method, path, asked = {}) => test.ask(method, path, { key, ...asked })
    const { id: projectId } = (await test.engine.projects.list()).find(({ name }) => name === 'Other')!
    await ask('POST', '/domains', { json: { domain: 'bank.example' } })
    const set = (from: string | null) => ask('PATCH', `/projects/${projectId}`, { json: { from } })
    expect((await set('safe@bank.example')).status).toBe(200)
    const { body: form } = await ask('POST', '/forms', { json: FORM })
    const email = address()
    expect((await send(form.id, { email })).status).toBe(503)
    const refused = await sendJson(form.id, { email })
    expect(refused).toMatchObject({ status: 503, body: { error: { suggestion: expect.stringContaining('`from`') } } })
    const leaves = { key: null, raw: new URLSearchParams({ email }).toString(), headers: ENCODED }
    expect((await test.ask('POST', `/leave/${projectId}`, leaves)).status).toBe(503)
    expect((await ask('GET', '/emails')).body.data).toEqual([])
    await set('hello@example.com')
    expect((await send(form.id, { email })).status).toBe(200)
    await until('the mail', () => sink.messages.some(({ to }) => to.includes(email)))
    await set(null)
    expect((await ask('DELETE', `/forms/${form.id}`)).status).toBe(204)
  })

  it('are refused with the name of the field', async () => {
    const text = { type: 'text', key: 'a', label: 'A' }
    const many = (length: number, item: (i: number) => unknown) => Array.from({ length }, (_, i) => item(i))
    const refused: readonly (readonly [string, object])[] = [
      ['name', { name: ' ' }],
      ['texts.title', { texts: { title: 'x'.repeat(201) } }],
      ['consent', { consent: 'x'.repeat(4001) }],
      ['fields', { fields: many(21, (i) => ({ ...text, key: `k${i}` })) }],
      ['fields.0.key', { fields: [{ ...text, key: 'email' }] }],
      ['fields.0.key', { fields: [{ ...text, key: '_x' }] }],
      ['fields.0.key', { fields: [{ ...text, key: 'x'.repeat(65) }] }],
      ['fields.1.key', { fields: [text, text] }],
      ['fields.0.label', { fields: [{ ...text, label: 'x'.repeat(501) }] }],
      ['fields.0.type', { fields: [{ ...text, type: 'file' }] }],
      ['fields.0.options', { fields: [{ ...text, type: 'choice' }] }],
      ['fields.0.options', { fields: [{ ...text, type: 'choice', options: many(51, String) }] }],
      ['fields.0.value', { fields: [{ type: 'hidden', key: 'a', value: 'x'.repeat(501) }] }],
      ['origins', { origins: many(21, (i) => `https://x${i}.example`) }],
      ['origins.0', { origins: ['https://x.example/path'] }],
      ['origins.0', { origins: ['javascript:alert(1)'] }],
      ...['https://*.com', 'https://*.co.uk', 'https://*.github.io', 'https://*', 'https://*.*.example.com'].map(
        (origin) => ['origins.0', { origins: [origin] }] as const,
      ),
      ['origins.0', { origins: ['https://www.*.example.com'] }],
      ['redirectUrl', { redirectUrl: 'https://elsewhere.example/' }],
      ['redirectUrl', { redirectUrl: 'javascript:alert(1)' }],
    ]
    for (const [field, change] of refused) {
      const answer = await test.ask('POST', '/forms', { json: { ...FORM, ...change } })
      expectEnvelope(answer, 422, 'VALIDATION_ERROR')
      expect([field, answer.body.error.errors[0].field]).toEqual([field, field])
    }
    const most = await make({
      ...{ name: 'x'.repeat(255), texts: { title: 'x'.repeat(200) }, consent: 'x'.repeat(4000) },
      fields: many(20, (i) => ({
        type: 'choice',
        key: `k${i}${'x'.repeat(62 - String(i).length)}x`,
        options: many(50, String),
      })),
      origins: many(20, (i) => `https://x${i}.example`),
    })
    // the same rules hold for a change
    const change = { json: { redirectUrl: 'https://elsewhere.example/' } }
    expectEnvelope(await test.ask('PATCH', `/forms/${most.id}`, change), 422, 'VALIDATION_ERROR')
    const noSender = await test.ask('POST', '/forms', { key: OTHER_SECRET, json: FORM })
    expect(noSender.body.error.errors).toMatchObject([
      { field: 'doubleOptIn', message: expect.stringContaining('`from`') },
    ])
  })

  it('are at most fifty in a project', async () => {
    const key = OTHER_SECRET
    const json = { ...FORM, doubleOptIn: false }
    for (let i = 0; i < 50; i++) expect((await test.ask('POST', '/forms', { key, json })).status).toBe(201)
    expectEnvelope(await test.ask('POST', '/forms', { key, json }), 409, 'CONFLICT')
  })

  it('have a page that works without a script, in the language of its visitor', async () => {
    const { id } = await make()
    const page = await test.ask('GET', `/f/${id}`, { key: null, headers: { 'accept-language': 'de-AT' } })
    expect(page.status).toBe(200)
    expect(page.text).toContain('<html lang="de"')
    expect(page.text).toContain('News &#60;of&#62; Acme</h1>')
    expect(page.text).toContain('E-Mail-Adresse\n<input name="email" type="email"')
    expect(page.text).toContain('<input name="firstName" type="text" maxlength="1000" required>')
    expect(page.text).toContain('<a href="https://example.com/privacy" target="_blank" rel="noopener">')
    expect(page.text).not.toContain('style="')
    expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${ORIGIN} http://localhost:8080;`)
    expect(page.headers.get('set-cookie')).toBeNull()
    await Promise.all([1, 2, 3].map(() => test.ask('GET', `/f/${id}`, { key: null })))
    expect((await test.ask('HEAD', `/f/${id}`, { key: null })).status).toBe(200)
    expect((await test.ask('GET', `/forms/${id}`)).body).toMatchObject({ shown: 4, submitted: 0, confirmed: 0 })
    for (const unknown of [UNKNOWN_ID, 'x']) {
      const gone = { status: 404, text: expect.stringContaining('This form is closed') }
      expect(await test.ask('GET', `/f/${unknown}`, { key: null })).toMatchObject(gone)
      expect(await send(unknown, { email: address() })).toMatchObject(gone)
      expectEnvelope(await sendJson(unknown, { email: address() }), 404, 'FORM_NOT_FOUND')
    }
    await test.ask('PATCH', `/forms/${id}`, { json: { active: false } })
    expect((await test.ask('GET', `/f/${id}`, { key: null })).text).toContain('This form is closed')
    expect((await send(id, { email: address() })).status).toBe(409)
    expectEnvelope(await sendJson(id, { email: address() }), 409, 'CONFLICT')
  })

  it('keep the proof of what was sent, and subscribe who confirms', async () => {
    const { id } = await make()
    const email = address()
    const filled = { email, age: '36,5', birthday: '1990-12-10', plan: 'curious', partners: 'yes', place: 'header' }
    const done = await send(id, filled, { 'accept-language': 'fr' })
    expect(done.status).toBe(200)
    expect(done.text).toContain('<h1>Merci !</h1>')
    const answers = {
      firstName: 'Ada',
      age: 36.5,
      birthday: '1990-12-10',
      plan: 'curious',
      partners: true,
      place: 'header',
    }
    const contact = await contactOf(email)
    expect(contact).toMatchObject({ subscribed: false, data: answers })
    const proof = {
      consent: `${FORM.consent}\n\nPartners may mail me, too.`,
      answers,
      createdAt: new Date(time).toISOString(),
    }
    expect(await sentBy(id)).toMatchObject({
      total: 1,
      data: [{ ...proof, contact: { id: contact.id, email, subscribed: false }, outcome: 'asked', confirmedAt: null }],
    })
    expect(await eventsOf(email)).toMatchObject([
      { name: 'form.submitted', data: { formId: id, form: 'Footer', answers, outcome: 'asked' } },
    ])
    time += HOUR
    // what is agreed to later changes nothing about it
    await test.ask('PATCH', `/forms/${id}`, { json: { consent: 'Something else' } })
    const mail = await confirm(email, 'fr')
    expect(mail.headers.get('from')).toMatchObject({ text: '"Acme" <news@example.com>' })
    expect(String(mail.html)).toContain('<html lang="fr">')
    // one word all the way, and back to where the form stood
    const word = 'Confirmer l’abonnement'
    expect(mail.text).toContain(word)
    expect(mail.before).toContain(`<h1>${word}</h1>`)
    expect(mail.before).toContain(`>${word}</button>`)
    expect(mail.after).toContain('<h1>Abonnement confirmé</h1>')
    expect(mail.after).toContain(`<a href="${ORIGIN}/">Retour à ${new URL(ORIGIN).host}</a>`)
    expect(await contactOf(email)).toMatchObject({ subscribed: true })
    expect((await eventsOf(email)).map(({ name, data }) => [name, data])).toContainEqual([
      'contact.subscribed',
      { subscribed: true, reason: 'form', formId: id },
    ])
    const confirmedAt = new Date(time).toISOString()
    expect((await sentBy(id, '?confirmed=true')).data).toMatchObject([{ ...proof, confirmedAt }])
    expect(await sentBy(id, '?confirmed=false')).toMatchObject({ total: 0, data: [] })
    expect((await test.ask('GET', `/forms/${id}`)).body).toMatchObject({ submitted: 1, confirmed: 1 })
    // erased with the contact, and counted as before
    await test.ask('DELETE', `/contacts/${contact.id}`)
    await expect.poll(() => sentBy(id)).toMatchObject({ total: 1, data: [] })
  })

  it('name what is wrong, and keep what was filled in', async () => {
    const { id } = await make()
    const wrong = { email: 'nobody', firstName: ' ', age: 'x', birthday: '2026-02-30', plan: 'king', partners: '' }
    const page = await send(id, wrong, { 'accept-language': 'en' })
    expect(page.status).toBe(422)
    expect(page.text).toContain('Please check: Email address, First name, Age, Birthday, I am<')
    expect(page.text).toContain('value="nobody" required aria-invalid="true"')
    const answer = await sendJson(id, { ...wrong, firstName: 'x'.repeat(1001), place: ['a'] })
    expectEnvelope(answer, 422, 'VALIDATION_ERROR')
    expect(answer.body.error.errors.map(({ field }: { field: string }) => field)).toEqual([
      'email',
      'firstName',
      'age',
      'birthday',
      'plan',
      'place',
    ])
    expect((await sendJson(id, { email: address(), firstName: 'x'.repeat(1000) })).status).toBe(200)
    const [json] = [{ 'content-type': 'application/json' }]
    for (const raw of ['{', '[]']) {
      const { status } = await test.ask('POST', `/f/${id}`, { key: null, raw, headers: json })
      expect(status).toBeGreaterThanOrEqual(400)
    }
    expect((await test.ask('GET', `/forms/${id}`)).body.submitted).toBe(1)
  })

  it('answer the same for new, known, unsubscribed and suppressed addresses, and mail only those who may be asked', async () => {
    const { id } = await make()
    const [fresh, known, left, refused] = [address(), address(), address(), address()]
    for (const [email, subscribed] of [
      [known, true],
      [left, false],
    ] as const)
      await test.ask('POST', '/contacts', { json: { email, subscribed, data: { firstName: 'Mine' } } })
    await test.ask('POST', '/suppressions', { json: { email: refused } })
    const texts = new Set<string>()
    for (const email of [fresh, known, left, refused]) texts.add((await send(id, { email })).text)
    expect(texts.size).toBe(1)
    expect(
      [await mailsTo(fresh), await mailsTo(known), await mailsTo(left), await mailsTo(refused)].map((m) => m.length),
    ).toEqual([1, 0, 1, 0])
    const outcomes = (await sentBy(id)).data.map((each: { outcome: string }) => each.outcome)
    expect(outcomes).toEqual(['suppressed', 'asked', 'known', 'asked'])
    // any visitor can type an address, so what is known of it stays until it confirms
    expect((await contactOf(known)).data).toEqual({ firstName: 'Mine' })
    expect(await contactOf(left)).toMatchObject({ subscribed: false, data: { firstName: 'Mine' } })
    await confirm(left)
    expect(await contactOf(left)).toMatchObject({ subscribed: true, data: { firstName: 'Ada' } })
  })

  it('ask each mailbox once a day, by all forms together, and three times in all', async () => {
    const forms = [await make(), await make()]
    const email = address()
    const [local, domain] = email.split('@')
    const day = () =>
      Promise.all(forms.flatMap(({ id }) => [send(id, { email }), send(id, { email: `${local}+x@${domain}` })]))
    await day()
    await day()
    const asked = async () =>
      (await Promise.all(forms.map(({ id }) => sentBy(id, '?limit=100'))))
        .flatMap(({ data }) => data)
        .filter(({ outcome }: { outcome: string }) => outcome === 'asked').length
    expect(await asked()).toBe(1)
    for (let i = 0; i < 9; i++) {
      time += 25 * HOUR
      await day()
    }
    expect(await asked()).toBe(3)
  })

  it('subscribe at once where no confirmation is wanted, but nobody who had left', async () => {
    const { id } = await make({ doubleOptIn: false, texts: { title: 'T', thanks: 'See you soon.' } })
    const [fresh, left] = [address(), address()]
    await test.ask('POST', '/contacts', { json: { email: left, subscribed: false } })
    expect((await send(id, { email: fresh })).text).toContain('See you soon.')
    await send(id, { email: left })
    expect(await contactOf(fresh)).toMatchObject({ subscribed: true })
    expect(await contactOf(left)).toMatchObject({ subscribed: false })
    expect((await eventsOf(fresh)).map(({ name }) => name).sort()).toEqual(['contact.subscribed', 'form.submitted'])
    expect(await mailsTo(fresh)).toHaveLength(0)
    expect((await test.ask('GET', `/forms/${id}`)).body).toMatchObject({ submitted: 2, confirmed: 1 })
  })

  it('offer topics, which count once the contact confirms', async () => {
    const topic = async (name: string, standing: string) =>
      (await test.ask('POST', '/topics', { json: { name, standing, description: '<b>' } })).body
    const [news, offers, tips] = [await topic('News', 'out'), await topic('Offers', 'in'), await topic('Tips', 'out')]
    const { id, topicIds } = await make({ topicIds: ['offers', news.id, tips.id, 'news'] })
    expect(topicIds).toEqual([offers.id, news.id, tips.id])
    expectEnvelope(await test.ask('PATCH', `/forms/${id}`, { json: { topicIds: ['none'] } }), 404, 'TOPIC_NOT_FOUND')
    const many = { json: { topicIds: Array.from({ length: 21 }, () => 'news') } }
    expect((await test.ask('PATCH', `/forms/${id}`, many)).body.error.errors[0].field).toBe('topicIds')
    await test.ask('PATCH', `/topics/${tips.id}`, { json: { archived: true } })
    const page = await test.ask('GET', `/f/${id}`, { key: null })
    expect(page.text).toContain('name="_topic_news" value="yes"> <span>News <span class="optional">&#60;b&#62;')
    expect(page.text).not.toContain('_topic_tips')
    const [fresh, known] = [address(), address()]
    await test.ask('POST', '/contacts', { json: { email: known, subscribed: false } })
    await test.ask('PUT', `/contacts/${known}/topics`, { json: { topics: [{ topic: 'offers', subscribed: true }] } })
    const chosen = async (email: string) => {
      const { topics } = (await test.ask('GET', `/contacts/${email}/topics`)).body
      const rows = topics as { topic: string; subscribed: boolean; source: string | null }[]
      return rows.filter(({ source }) => source !== null).map((row) => [row.topic, row.subscribed, row.source])
    }
    for (const email of [fresh, known]) {
      const before = await (email === fresh ? [] : chosen(email))
      await send(id, email === fresh ? { email, topics: ['news'] } : { email, _topic_news: 'yes' })
      expect(await chosen(email)).toEqual(before)
      await confirm(email)
    }
    expect((await sentBy(id)).data[0].topics).toEqual({ [offers.id]: false, [news.id]: true })
    const news2 = ['news', true, 'form']
    expect(await chosen(fresh)).toEqual([news2, ['offers', false, 'form']])
    // an empty box takes nothing back
    expect(await chosen(known)).toEqual([news2, ['offers', true, 'api']])
    expect((await eventsOf(fresh)).find(({ data }) => 'topicId' in data)?.data).toMatchObject({ reason: 'form' })
  })

  it('ask a subscribed contact for other topics by a mail that names them, and choose these alone', async () => {
    const topic = async (name: string) => (await test.ask('POST', '/topics', { json: { name } })).body.id as string
    const [weekly, deals, secret] = [await topic('Weekly {{ x }}'), await topic('Deals'), await topic('Secret')]
    const [form, other] = [await make({ topicIds: [weekly, deals] }), await make({ topicIds: [secret, deals] })]
    const email = address()
    await test.ask('POST', '/contacts', { json: { email, data: { firstName: 'Mine' } } })
    const chosen = async () => {
      const { topics } = (await test.ask('GET', `/contacts/${email}/topics`)).body
      const rows = topics as { topicId: string; id: string; subscribed: boolean; source: string | null }[]
      return rows.filter(({ source }) => source !== null).map(({ subscribed, source }) => [subscribed, source])
    }
    const ticked = (name: string) => ({ email, firstName: 'visit https://x.example\r\nnow', [`_topic_${name}`]: 'yes' })
    const first = await send(form.id, { ...ticked('weekly-x'), _topic_deals: 'yes' })
    expect(first.text).toBe((await send(form.id, { email: address() })).text)
    const outcomes = async (id: string) => (await sentBy(id)).data.map((each: { outcome: string }) => each.outcome)
    expect(await outcomes(form.id)).toEqual(['asked', 'asked'])
    // another visitor ticks another topic before the mail is answered
    await send(other.id, ticked('secret'))
    expect([await outcomes(other.id), await mailsTo(email)]).toMatchObject([['waiting'], [{}]])
    expect([await chosen(), (await contactOf(email)).data]).toEqual([[], { firstName: 'Mine' }])
    const arrived = (count: number) =>
      until(`mail ${count} to ${email}`, () => sink.messages.filter(({ to }) => to.includes(email)).length === count)
    await arrived(1)
    const mail = await confirm(email)
    expect(mail.subject).toBe('Please confirm what Acme may send you')
    expect(mail.text).toContain(`asked to receive “Weekly {{ x }}”, “Deals” from Acme at ${email}`)
    expect(mail.text).toMatch(/Unsubscribe: https:\/\/\S+\/unsubscribe\/[\w-]+/)
    expect(await chosen()).toEqual([
      [true, 'form'],
      [true, 'form'],
    ])
    expect((await contactOf(email)).data.firstName).toBe('visit https://x.example now')
    expect((await eventsOf(email)).filter(({ name }) => name === 'contact.subscribed')).toHaveLength(2)
    // what waited is asked for by a mail of its own
    await arrived(2)
    const page = await test.ask(
      'GET',
      new URL(
        /https:\S+\/subscribe\/[\w-]+/.exec(
          (await simpleParser(sink.messages.findLast(({ to }) => to.includes(email))!.raw)).text!,
        )![0],
      ).pathname,
      { key: null },
    )
    expect(page.text).toContain(`Please confirm that ${email} should receive “Secret” from Acme.`)
    expect(await outcomes(other.id)).toEqual(['asked'])
    // nothing new: no mail
    await send(form.id, ticked('weekly-x'))
    expect((await outcomes(form.id))[0]).toBe('known')
    expect(await mailsTo(email)).toHaveLength(2)
    await confirm(email)
    expect(await chosen()).toHaveLength(3)
    expect((await test.ask('GET', `/forms/${other.id}`)).body.confirmed).toBe(1)
  })

  it('may be sent by scripts of listed origins alone', async () => {
    const { id } = await make()
    const preflight = (origin: string) =>
      test.ask('OPTIONS', `/f/${id}`, {
        key: null,
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
      })
    const allowed = 'access-control-allow-origin'
    const listed = await preflight(ORIGIN)
    expect([listed.status, listed.headers.get(allowed)]).toEqual([204, '*'])
    expect(listed.headers.get('access-control-allow-methods')).toContain('POST')
    expect((await preflight('https://elsewhere.example')).headers.get(allowed)).toBeNull()
    const email = address()
    const sent = await sendJson(id, { email }, { origin: ORIGIN })
    expect(sent.headers.get(allowed)).toBe('*')
    expect(sent.body).toMatchObject({ success: true, data: { title: 'Thank you!', redirectUrl: null } })
    const wrong = await sendJson(id, { email: 'x' }, { origin: ORIGIN })
    expect([wrong.status, wrong.headers.get(allowed)]).toEqual([422, '*'])
    expect((await sendJson(id, { email }, { origin: 'https://elsewhere.example' })).headers.get(allowed)).toBeNull()
  })

  it('may be sent from all subdomains of a domain that is listed with a star', async () => {
    const origins = ['https://*.example.com', 'http://*.shop.example.org:8080/']
    const { id, origins: stored } = await make({ origins })
    expect(stored).toEqual(['https://*.example.com', 'http://*.shop.example.org:8080'])
    const allowed = async (origin: string) =>
      (await sendJson(id, { email: address() }, { origin })).headers.get('access-control-allow-origin') === '*'
    for (const origin of ['https://www.example.com', 'https://a.b.example.com', 'http://x.shop.example.org:8080'])
      expect([origin, await allowed(origin)]).toEqual([origin, true])
    for (const origin of [
      ...['https://example.com', 'http://www.example.com', 'https://www.example.com:8443', 'https://notexample.com'],
      ...['https://www.example.com.evil.example', 'https://x.shop.example.org', 'null'],
    ])
      expect([origin, await allowed(origin)]).toEqual([origin, false])
    const led = await sendJson(id, { email: address(), _redirect: 'https://thanks.example.com/x' })
    expect([led.status, led.body.data.redirectUrl]).toEqual([200, 'https://thanks.example.com/x'])
  })

  it('lead on to listed origins alone', async () => {
    const { id } = await make({ redirectUrl: `${ORIGIN}/thanks` })
    const done = await send(id, { email: address() })
    expect([done.status, done.headers.get('location')]).toEqual([303, `${ORIGIN}/thanks`])
    const other = await send(id, { email: address(), _redirect: `${ORIGIN}/ü` })
    expect(other.headers.get('location')).toBe(`${ORIGIN}/%C3%BC`)
    const email = address()
    for (const _redirect of [
      'https://elsewhere.example/',
      `${ORIGIN}@elsewhere.example/`,
      'javascript:alert(1)',
      '//x',
    ])
      expect((await send(id, { email, _redirect })).status).toBe(422)
    expect(await contactOf(email)).toBeUndefined()
  })

  it('are put into other pages by a small script without cookies', async () => {
    const { id } = await make()
    const script = await test.ask('GET', `/f/${id}/embed.js`, { key: null, headers: { origin: 'https://any.example' } })
    expect(script.status).toBe(200)
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(script.headers.get('set-cookie')).toBeNull()
    // 2 of it for the style and its parts
    expect(Buffer.byteLength(script.text)).toBeLessThan(7 * 1024)
    expect(script.text).not.toMatch(/cookie|localStorage/)
    expect((await test.ask('GET', `/forms/${id}`)).body.shown).toBe(1)
    expect(formScript({ html: '</script><!--', css: '', trouble: '', check: '' })).not.toMatch(/<\/script|<!--/)
    expect((await test.ask('GET', `/f/${UNKNOWN_ID}/embed.js`, { key: null })).status).toBe(404)
  })

  it('answer programs that fill in everything as people, and store nothing', async () => {
    const { id } = await make()
    const email = address()
    const trapped = await send(id, { email, _website: 'https://spam.example' })
    expect(trapped.text).toBe((await send(id, { email: address() })).text)
    expect(await contactOf(email)).toBeUndefined()
    expect((await test.ask('GET', `/forms/${id}`)).body.submitted).toBe(1)
  })

  it('have an event that nobody else may record', async () => {
    const answer = await test.ask('POST', '/v1/track', { json: { email: address(), event: 'form.submitted' } })
    expect(answer.body.error.errors).toMatchObject([{ field: 'event', code: 'reserved_event' }])
  })
})
