import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { simpleParser } from 'mailparser'
import { createTransport } from 'nodemailer'
import { TOTP } from 'otpauth'
import { Client } from 'pg'
import { Webhook } from 'standardwebhooks'
import type { Answer, AskOptions } from '../support/app.ts'
import { fileForm } from '../support/contact-jobs.ts'
import type { Ask } from '../support/example-requests.ts'
import type { SmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

/** A running server with a project of the id `project`, which has `key` and may send from example.com. */
export interface Visited {
  readonly url: string
  readonly project: string
  readonly key: string
  readonly sink: SmtpSink
  readonly inboundPort: number
  readonly submissionPort: number
  /** The link that makes the first user. */
  readonly setUpLink: string
  /** The secret of the hook `bridge`. */
  readonly hookSecret: string
  /** The URL of its database, when that is PostgreSQL. */
  readonly database?: string | undefined
  /** Another for each store, since both send to one sink. */
  readonly mark: string
}

const PASSWORD = 'correct horse battery'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Asks over HTTP; without a key it is a page of the server that asks. */
export function asker(url: string, key?: string): Ask {
  return async (method, path, { json, raw, headers = {} } = {}) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        ...(key === undefined ? { origin: url } : { authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? (raw === undefined ? {} : { body: raw }) : { body: JSON.stringify(json) }),
      redirect: 'manual',
    })
    const text = await response.text()
    const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }
}

/** As `ask`, but anything but success or a redirect fails. */
export function mustSucceed(ask: Ask): Ask {
  return async (method, path, options) => {
    const answer = await ask(method, path, options)
    if (answer.status < 400) return answer
    throw new Error(`${method} ${path} answers ${answer.status}: ${answer.text.slice(0, 1000)}`)
  }
}

/** The visits of a member who decides on what an agent writes. */
async function agents(as: Ask, project: string, keyed: (key: string) => Ask): Promise<void> {
  const headers = { 'x-project-id': project }
  const inbox = { name: 'Desk', address: 'agents@example.com', approval: 'always' }
  const { id: inboxId } = (await as('POST', '/inboxes', { json: inbox, headers })).body
  const grant = { inboxIds: [inboxId], rights: ['draft', 'send'] }
  const json = { name: 'agent', kind: 'secret', scopes: ['inbox'], inbox: grant }
  const agent = keyed((await as('POST', `/projects/${project}/keys`, { json })).body.key)
  const draft = { to: ['ada@example.org'], subject: 'Hi', body: '<p>Hi</p>' }
  const { id } = (await agent('POST', `/inboxes/${inboxId}/drafts`, { json: draft })).body
  await agent('POST', `/drafts/${id}/send`, { json: {} })
  await as('POST', `/drafts/${id}/refuse`, { json: { refusal: 'Say more.' }, headers })
  await agent('PATCH', `/drafts/${id}`, { json: { body: '<p>Hi, Ada</p>' } })
  const file = { filename: 'a.txt', contentType: 'text/plain', content: 'b25l' }
  const { attachments } = (await agent('POST', `/drafts/${id}/attachments`, { json: file })).body
  await agent('GET', `/drafts/${id}/attachments/${attachments[0].id}`)
  await agent('DELETE', `/drafts/${id}/attachments/${attachments[0].id}`)
  await agent('POST', `/drafts/${id}/send`, { json: {} })
  await as('POST', `/drafts/${id}/approve`, { json: { version: 4 }, headers })
  await clients(as, project, inboxId)
}

/** The visits of a suite of tests, whose mail is caught. */
async function tests(as: Ask, project: string, keyed: (key: string) => Ask): Promise<void> {
  const json = { name: 'tests', kind: 'secret', scopes: ['send', 'read'], test: true }
  const suite = keyed((await as('POST', `/projects/${project}/keys`, { json })).body.key)
  const mail = { to: 'caught@example.org', from: 'hello@example.com', subject: 'Code', body: '<p>482913</p>' }
  await suite('POST', '/v1/send', { json: mail })
  const [caught] = (await suite('GET', `/sandbox/messages?to=${mail.to}&wait=20`)).body.data
  await suite('GET', `/sandbox/messages/${caught.id}`)
  await suite('DELETE', `/sandbox/messages/${caught.id}`)
}

/** The way of a client of MCP that asks to be let in. */
async function clients(as: Ask, project: string, inboxId: string): Promise<void> {
  const back = 'http://127.0.0.1:1/cb'
  const { client_id: client } = (await as('POST', '/oauth/register', { json: { redirect_uris: [back] } })).body
  const query = new URLSearchParams({
    ...{ client_id: client, redirect_uri: back, response_type: 'code' },
    ...{ code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' },
  })
  const asked = (await as('GET', `/oauth/authorize?${query}`)).headers.get('location') ?? ''
  const request = asked.split('request=')[1]
  const json = { request, allowed: true, inboxIds: [inboxId], rights: ['read'] }
  const { id } = (await as('POST', `/projects/${project}/grants`, { json })).body
  await as('GET', `/projects/${project}/grants`)
  await as('DELETE', `/projects/${project}/grants/${id}`)
}

/** The visits of people with accounts, from signing up to the end of all sessions. */
export async function people({ url, key, sink, mark, setUpLink }: Visited): Promise<void> {
  const open = mustSucceed(asker(url))
  const linkTo = (email: string, page: string, before = '') =>
    until(`a link to ${page} for ${email}`, async () => {
      const found = await linksTo(sink, email, new RegExp(`${url}/auth/${page}/[\\w-]+`, 'g'))
      return found.find((link) => link !== before)
    })
  const as = (entered: Answer): Ask => {
    const cookie = entered.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
    return (method, path, asked: AskOptions = {}) =>
      open(method, path, { ...asked, headers: { cookie, ...asked.headers } })
  }
  const post = (path: string, fields: Record<string, string>, ask: Ask = open) =>
    ask('POST', path, { raw: new URLSearchParams(fields).toString(), headers: FORM })
  const logIn = async (email: string, password = PASSWORD) =>
    as(await open('POST', '/auth/login', { json: { email, password } }))
  const [ada, bob, eve, joe] = ['ada', 'bob', 'eve', 'joe'].map((name) => `${name}.${mark}@example.org`) as [
    ...[string, string, string, string],
  ]
  const tokenIn = (link: string) => link.slice(link.lastIndexOf('/') + 1)

  await open('GET', `/auth/setup?token=${tokenIn(setUpLink)}`)
  await open('GET', setUpLink)
  const operator = { email: `operator.${mark}@example.org`, password: PASSWORD }
  await post(setUpLink, operator)
  const asOperator = as(await open('POST', '/auth/login', { json: operator }))
  // before others have projects of their own
  await asOperator('GET', '/users/@me/operator')
  const servers = '/users/@me/operator/mail-servers'
  await asOperator('GET', servers)
  await asOperator('POST', `${servers}/test`, { json: { host: '127.0.0.1', port: 1 } })
  await asOperator('GET', '/users/@me/operator/public-address')
  await asOperator('GET', '/users/@me/operator/routes')
  await asOperator('PUT', '/users/@me/operator/routes', { json: { rules: [] } })
  const described = { from: 'a@example.com', to: ada, class: 'campaign' }
  await asOperator('POST', '/users/@me/operator/routes/explain', { json: described })

  const asAda = as(await open('POST', '/auth/signup', { json: { email: ada, password: PASSWORD } }))
  const first = await linkTo(ada, 'verify-email')
  await asAda('POST', '/auth/request-verification')
  const second = await linkTo(ada, 'verify-email', first)
  await open('GET', second)
  await post(second, { confirm: 'yes' })
  const asBob = as(await open('POST', '/auth/signup', { json: { email: bob, password: PASSWORD } }))
  await open('POST', '/auth/verify-email', { json: { token: tokenIn(await linkTo(bob, 'verify-email')) } })

  const zoe = `zoe.${mark}@example.org`
  const asZoe = as(await open('POST', '/auth/signup', { json: { email: zoe, password: PASSWORD } }))
  const lost = (await asZoe('POST', '/users/@me/totp', { json: { password: PASSWORD } })).body.secret
  await asZoe('POST', '/users/@me/totp/confirm', { json: { code: new TOTP({ secret: lost }).generate() } })
  const accounts = '/users/@me/operator/users'
  const [{ id: zoeId }] = (await asOperator('GET', `${accounts}?search=${zoe}`)).body.users
  await asOperator('DELETE', `${accounts}/${zoeId}/totp`, { json: { password: PASSWORD } })
  await asOperator('POST', `${accounts}/${zoeId}/password-link`, { json: { password: PASSWORD } })

  const { id: project } = (await asAda('POST', '/users/@me/projects', { json: { secretKey: key } })).body
  await asAda('GET', '/users/@me/projects')
  await agents(asAda, project, (ofAgent) => mustSucceed(asker(url, ofAgent)))
  await tests(asAda, project, (ofAgent) => mustSucceed(asker(url, ofAgent)))
  const place = `/projects/${project}/members`
  const invite = async (email: string) => (await asAda('POST', place, { json: { email, role: 'ADMIN' } })).body.id
  const declined = await invite(bob)
  await asBob('GET', '/users/@me/invitations')
  await asBob('DELETE', `/users/@me/invitations/${declined}`)
  await asBob('POST', `/users/@me/invitations/${await invite(bob)}/accept`)
  const { body: members } = await asAda('GET', place)
  const { id: member } = members.find(({ email }: { email: string }) => email === bob)
  await asAda('PATCH', `${place}/${member}`, { json: { role: 'MEMBER' } })
  await asAda('DELETE', `${place}/${member}`)
  await invite(eve)
  const invitation = await linkTo(eve, 'accept-invite')
  await open('GET', invitation)
  await post(invitation, { password: PASSWORD, name: 'Eve' })
  await invite(joe)
  const token = tokenIn(await linkTo(joe, 'accept-invite'))
  await open('POST', '/auth/accept-invite', { json: { token, password: PASSWORD } })

  await open('POST', '/auth/request-password-reset', { json: { email: eve } })
  const reset = await linkTo(eve, 'reset-password')
  await open('GET', reset)
  await post(reset, { password: 'another password' })
  await open('POST', '/auth/request-password-reset', { json: { email: joe } })
  const json = { token: tokenIn(await linkTo(joe, 'reset-password')), password: 'another password' }
  await open('POST', '/auth/reset-password', { json })

  const asEve = await logIn(eve, 'another password')
  await asEve('GET', '/users/@me')
  await asEve('PATCH', '/users/@me', { json: { name: 'Eve E.' } })
  await asEve('GET', '/users/@me/audit')
  await open('POST', '/auth/login', { json: { email: eve, password: 'another password' } })
  const { body: sessions } = await asEve('GET', '/users/@me/sessions')
  const [elsewhere] = sessions.filter(({ current }: { current: boolean }) => !current)
  await asEve('DELETE', `/users/@me/sessions/${elsewhere.id}`)
  const asEveAgain = as(await asEve('DELETE', '/users/@me/sessions'))
  await asEveAgain('GET', '/users/@me')
  await asEveAgain('GET', '/auth/logout')

  const { secret } = (await asBob('POST', '/users/@me/totp', { json: { password: PASSWORD } })).body
  const confirmed = await asBob('POST', '/users/@me/totp/confirm', {
    json: { code: new TOTP({ secret }).generate() },
  })
  const [one] = confirmed.body.recoveryCodes
  const step = (await open('POST', '/auth/login', { json: { email: bob, password: PASSWORD } })).body.data.token
  const asBobAgain = as(await open('POST', '/auth/login/code', { json: { token: step, code: one } }))
  const next = new TOTP({ secret }).generate({ timestamp: Date.now() + 30_000 })
  const renewed = await asBobAgain('POST', '/users/@me/totp/recovery-codes', {
    json: { password: PASSWORD, code: next },
  })
  const [other] = renewed.body.recoveryCodes
  await asBobAgain('DELETE', '/users/@me/totp', { json: { password: PASSWORD, code: other } })
  await (await logIn(bob))('POST', '/auth/logout-everywhere')

  await open('GET', '/auth/oauth-config')
  await open('GET', '/auth/oauth/github')
}

/** The visits of a mail's readers, with its picture, its links and the pages it links to; and a campaign sent again. */
export async function readers({ url, key, sink, mark, hookSecret }: Visited): Promise<void> {
  const ask = mustSucceed(asker(url, key))
  const open = mustSucceed(asker(url))
  const image = await fileForm(readFileSync(new URL('../samples/images/still.png', import.meta.url)))
  const { id: upload, url: picture } = (await ask('POST', '/uploads/image', image)).body
  await open('GET', picture)
  const to = `reader.${mark}@example.org`
  // a short mail counts opens only when it has a picture of its own
  const links =
    '<p>{{ unsubscribeUrl }} {{ subscribeUrl }} {{ manageUrl }} {{ viewUrl }}</p><p><a href="https://example.com/a">A link</a></p>'
  const body = `${links}<img src="${picture}" alt="A still picture">`
  const json = { to, from: 'hello@example.com', subject: 'Read', body, subscribed: true }
  const { email: id } = (await ask('POST', '/v1/send', { json })).body.data.emails[0]
  const delivered = (await until('the mail has arrived', () => sink.messages.find((mail) => mail.to.includes(to)))).raw
  const html = String((await simpleParser(delivered)).html)
  const found = (path: string) => {
    const link = new RegExp(`${url}/${path}/[^\\s"<]+`).exec(html)?.[0]
    if (link === undefined) throw new Error(`the mail has no link to ${path}: ${html}`)
    return link
  }
  await open('GET', found('t/o'))
  await open('GET', found('t/c'))
  await open('GET', found('view'))
  for (const page of ['unsubscribe', 'subscribe', 'manage']) {
    await open('GET', found(page))
    await open('POST', found(page), { raw: '', headers: FORM })
  }
  const [at, report] = [new Date(), [{ kind: 'complained', mail: { emailId: id } }]]
  await open('POST', '/hooks/bridge', {
    raw: JSON.stringify(report),
    headers: {
      'webhook-id': 'event-1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(hookSecret).sign('event-1', at, JSON.stringify(report)),
    },
  })
  await ask('DELETE', `/uploads/${upload}`)
}

/** A campaign of which one mail is refused, and that is sent again to whom it did not reach. */
export async function refusedCampaign({ url, key, mark }: Visited): Promise<void> {
  const ask = mustSucceed(asker(url, key))
  const emails = [`reached.${mark}@example.org`, `refused.${mark}@example.org`]
  for (const email of emails) await ask('POST', '/contacts', { json: { email, subscribed: true } })
  const { id: segmentId } = (await ask('POST', '/segments', { json: { name: 'R', type: 'STATIC' } })).body
  await ask('POST', `/segments/${segmentId}/members`, { json: { emails } })
  const mail = { name: 'R', subject: 'R', body: '<p>R</p>', from: 'hello@example.com' }
  const made = await ask('POST', '/campaigns', { json: { ...mail, audienceType: 'SEGMENT', segmentId } })
  const place = `/campaigns/${made.body.data.id}`
  await ask('POST', `${place}/send`, { json: {} })
  await until('the campaign is sent', async () => (await ask('GET', place)).body.status === 'SENT')
  await ask('POST', `${place}/retry-failed`)
  await ask('GET', `${place}/left-out`)
}

/** A form that a visitor signs up by, and the public archive of what its readers get. */
export async function signUp({ url, project, key, sink, mark }: Visited): Promise<void> {
  const ask = mustSucceed(asker(url, key))
  const open = mustSucceed(asker(url))
  const texts = { title: 'Our newsletter' }
  await ask('GET', `/projects/${project}/limits`)
  await ask('PUT', '/presence', { json: { kind: 'projects', id: project, tab: 'packed-visit' } })
  await ask('PATCH', `/projects/${project}`, { json: { from: 'hello@example.com', archiveSlug: `news-${mark}` } })
  const { id: form } = (await ask('POST', '/forms', { json: { name: 'F', texts, consent: 'Yes' } })).body
  for (const path of ['', '/challenge', '/embed.js']) await open('GET', `/f/${form}${path}`)
  const email = `signed.${mark}@example.org`
  await open('POST', `/f/${form}`, { json: { email } })
  const delivered = await until('it is asked by mail', () => sink.messages.find((mail) => mail.to.includes(email)))
  const [contact] = (await ask('GET', `/contacts?search=${email}`)).body.data
  await ask('GET', `/contacts/${contact.id}/confirmation`)
  const link =
    new RegExp(`${url}/subscribe/[^\\s"<]+`).exec(String((await simpleParser(delivered.raw)).html))?.[0] ?? ''
  await open('POST', link, { raw: '', headers: FORM })
  await open('GET', `/leave/${project}`)
  await open('POST', `/leave/${project}`, { json: { email } })
  await until('it is confirmed', async () => (await ask('GET', `/forms/${form}`)).body.confirmed === 1)
  await ask('POST', '/inboxes', { json: { name: 'F', address: `forwards.${mark}@example.com`, forwardTo: email } })
  const agrees = await until('the mailbox is asked', async () => {
    return (await linksTo(sink, email, new RegExp(`${url}/forward/[\\w-]+`, 'g')))[0]
  })
  await open('GET', agrees)
  await open('POST', agrees, { raw: 'confirm=yes', headers: FORM })

  const mail = { name: 'F', subject: 'F', body: '<p>F</p>', from: 'hello@example.com', audienceType: 'ALL' }
  const place = `/campaigns/${(await ask('POST', '/campaigns', { json: mail })).body.data.id}`
  await ask('POST', `${place}/publish`)
  await ask('POST', `${place}/send`, { json: {} })
  await until('the campaign is sent', async () => (await ask('GET', place)).body.status === 'SENT', 30_000)
  // so many that chance leaves neither a variant nor the rest without a contact
  const many = Array.from({ length: 60 }, (_, i) => ({ email: `tested${i}.${mark}@example.org`, subscribed: true }))
  for (const json of many) await ask('POST', '/contacts', { json })
  const variants = [{ subject: 'B' }]
  const test = { share: 60, winner: 'manual' }
  const tested = `/campaigns/${(await ask('POST', '/campaigns', { json: { ...mail, variants, test } })).body.data.id}`
  await ask('POST', `${tested}/send`, { json: {} })
  const waits = async () => (await ask('GET', tested)).body.testing?.phase === 'waiting'
  await until('a winner can be chosen', waits, 30_000)
  await ask('POST', `${tested}/winner`, { json: { variant: 'B' } })
  const archive = `/archive/news-${mark}`
  for (const path of ['', '/feed.xml', '/list.js', `/${place.split('/').at(-1)}`])
    await open('GET', `${archive}${path}`)
}

/** Mail that comes in by SMTP, with an attachment; and a program that submits mail by SMTP. */
export async function otherMail({
  url,
  project,
  key,
  sink,
  inboundPort,
  submissionPort,
  mark,
}: Visited): Promise<void> {
  const ask = mustSucceed(asker(url, key))
  const by = (port: number) => ({ host: '127.0.0.1', port, secure: false, ignoreTLS: true })
  // a server that was just started answers by HTTP first
  for (const port of [inboundPort, submissionPort])
    await until('it takes mail', () =>
      createTransport(by(port))
        .verify()
        .catch(() => false),
    )
  const attachments = [{ filename: 'a.txt', content: 'Hello' }]
  const from = `friend.${mark}@friend.example`
  await createTransport(by(inboundPort)).sendMail({
    ...{ from, to: `help@${mark}.example`, subject: 'In', text: 'Hello', attachments },
  })
  const { id } = await until('the mail has come in', async () => {
    const { body } = await ask('GET', '/emails?status=RECEIVED')
    return body.data[0]
  })
  const { events } = (await ask('GET', `/emails/${id}`)).body
  const [{ data }] = events.filter(({ name }: { name: string }) => name === 'email.received')
  const attachment = await mustSucceed(asker(url))('GET', data.attachments[0].url)
  if (attachment.text !== 'Hello') throw new Error(`the attachment is ${attachment.text}`)

  const to = `submitted.${mark}@example.org`
  await createTransport({
    ...by(submissionPort),
    auth: { user: project, pass: key },
  }).sendMail({ from: 'hello@example.com', to, subject: 'Submitted', text: 'Hello' })
  await until('the submitted mail is out', () => sink.messages.some((mail) => mail.to.includes(to)))
}

/** A mail that is written in Markdown, of which HTML is made in a thread of its own. */
export async function writtenMail({ url, key }: Visited): Promise<void> {
  const json = { subject: 'Hi', source: { format: 'MARKDOWN', text: '# Hello *you*' } }
  const { body } = await mustSucceed(asker(url, key))('POST', '/templates/render', { json })
  if (!body.html.includes('<em>you</em></h1>')) throw new Error(`Markdown became ${body.html}`)
}

/** A body too large to be read on the event loop, and with it a mail too heavy to be made there. */
export async function heavyMail({ url, key, sink, mark }: Visited): Promise<void> {
  const ask = mustSucceed(asker(url, key))
  const to = `heavy.${mark}@example.org`
  const body = `{% for i in (1..500) %}<p>{{ i }} {{ name }}</p>{% endfor %}${'<p>many words</p>'.repeat(100_000)}`
  const json = { to, from: 'hello@example.com', subject: 'Heavy', body, data: { name: 'Ada' } }
  await ask('POST', '/v1/send', { json })
  await until('the heavy mail is out', () => sink.messages.some((mail) => mail.to.includes(to)), 30_000)
}

/** So much that SQLite's log is moved into its file, in a thread of its own. Nothing of it can be packed. */
export async function muchToKeep({ url, key, mark }: Visited): Promise<void> {
  const ask = mustSucceed(asker(url, key))
  for (let i = 0; i < 14; i++) {
    const text = randomBytes(1024 * 1024).toString('base64url')
    const to = `much.${i}.${mark}@example.org`
    await ask('POST', '/v1/send', { json: { to, from: 'hello@example.com', subject: 'Much', body: text, text } })
  }
}

/** The matches in the texts of the mails to an address, the newest first. */
async function linksTo(sink: SmtpSink, email: string, pattern: RegExp): Promise<readonly string[]> {
  const mails = sink.messages.filter(({ to }) => to.includes(email)).toReversed()
  const texts = await Promise.all(mails.map(async ({ raw }) => (await simpleParser(raw)).text ?? ''))
  return texts.flatMap((text) => text.match(pattern) ?? [])
}

/** Sends a mail from a program that knows nothing but SQL: psql where it is installed. */
export async function sentBySql({ project, key, url, database, mark, sink }: Visited): Promise<void> {
  const to = `sql@${mark}.example`
  const mail = JSON.stringify({ to, from: 'hi@example.com', subject: 'By SQL', body: 'Thank you' })
  const sql = `begin; select mailwright.send('${mail}', '${project}'); commit`
  let id: string
  try {
    const { stdout } = await promisify(execFile)('psql', [database ?? '', '-qAt', '-v', 'ON_ERROR_STOP=1', '-c', sql])
    id = stdout.trim()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    const client = new Client(database)
    await client.connect()
    const { rows } = await client.query('select mailwright.send($1, $2) as id', [mail, project])
    id = rows[0]?.id
    await client.end()
  }
  await until('the mail sent by SQL', () => sink.messages.find((message) => message.to[0] === to))
  const { text } = await mustSucceed(asker(url, key))('GET', `/emails/${id}`)
  if (!text.includes(to)) throw new Error(`the mail ${id} is another: ${text}`)
}
