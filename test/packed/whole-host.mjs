// A program that embeds the engine and uses everything in it that is in files found by their path: threads, pages and packages.
// It sends to an SMTP server at SINK_PORT, has its store in MAILS (a file of SQLite, or the URL of a PostgreSQL database), takes
// mail at IN_PORT and OUT_PORT, and prints what worked and what failed, as JSON.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createEngine } from 'mailwright'
import { smtpServer } from 'mailwright/plugins/inbound-smtp'
import { smtp } from 'mailwright/plugins/mail-smtp'
import { submissionServer } from 'mailwright/plugins/submission-smtp'
import { createApp, toNodeHandler } from 'mailwright/server'

const { MAILS = 'mail.db', SINK_PORT, IN_PORT, OUT_PORT } = process.env
const KEY = `sk_${'0'.repeat(48)}`
const here = { host: '127.0.0.1' }
const done = []
const failed = []

const store = await storeOf(MAILS)
const web = createServer()
web.listen(0, here.host)
await once(web, 'listening')
const url = `http://127.0.0.1:${web.address().port}`
const engine = await createEngine({
  ...store,
  publicUrl: url,
  transports: [smtp({ ...here, port: Number(SINK_PORT), tls: { rejectUnauthorized: false } })],
  inbound: [smtpServer({ ...here, port: Number(IN_PORT), hostname: 'mx.acme.example' })],
  submission: [submissionServer({ ...here, port: Number(OUT_PORT) })],
  projects: [{ name: 'Acme', secretKey: KEY, trustedDomains: ['acme.example'] }],
  delivery: { threads: 1 },
})
const [project] = await engine.projects.list()
web.on('request', toNodeHandler(createApp(engine)))
await engine.start()

const from = 'hi@acme.example'
await step('sends a mail in a thread', async () => {
  await delivered({
    to: 'ada@example.com',
    from,
    subject: 'Hi {{ name }}',
    body: '<p>Dear {{ name }}</p>',
    data: { name: 'Ada' },
  })
})
await step('reads a large body and makes a heavy mail', async () => {
  const body = `{% for i in (1..500) %}<p>{{ i }}</p>{% endfor %}${'<p>many words</p>'.repeat(100_000)}`
  const { data } = await ask('POST', '/v1/send', { to: 'heavy@example.com', from, subject: 'Heavy', body })
  const { status } = await engine.sending.delivered(project, data.emails[0].email, { timeoutMs: 30_000 })
  if (status !== 'DELIVERED') throw new Error(status)
})
await step('makes HTML of Markdown', async () => {
  const { html } = await ask('POST', '/templates/render', {
    subject: 'Hi',
    source: { format: 'MARKDOWN', text: '# Hello *you*' },
  })
  if (!html.includes('<em>you</em></h1>')) throw new Error(html)
})
await step('makes HTML of MJML', async () => {
  const text = '<mjml><mj-body><mj-section><mj-column><mj-text>Hi</mj-text></mj-column></mj-section></mj-body></mjml>'
  const { html } = await ask('POST', '/templates/render', { subject: 'Hi', source: { format: 'MJML', text } })
  if (!html.includes('<table')) throw new Error(html)
})
await step('puts styles into the elements', async () => {
  const source = { format: 'HTML', text: '<style>p { color: red }</style><p>Hi</p>', inlineCss: true }
  const { html } = await ask('POST', '/templates/render', { subject: 'Hi', source })
  if (!html.includes('style="color: red')) throw new Error(html)
})
await step('takes mail that comes in', async () => {
  await submit(Number(IN_PORT), 'friend@friend.example', 'help@acme.example')
  await until(async () => (await ask('GET', '/emails?status=RECEIVED')).data.length > 0)
})
await step('takes mail that is submitted', async () => {
  await submit(Number(OUT_PORT), from, 'submitted@example.com', { user: project.id, pass: KEY })
  await until(async () => (await ask('GET', '/emails?search=submitted&status=DELIVERED')).data.length > 0)
})
await step('reads a report of a receiver', async () => {
  const { id } = await engine.domains.add(project, { domain: 'reports.acme.example' })
  const day = new Date().toISOString().slice(0, 10)
  const policy = { 'policy-type': 'no-policy-found', 'policy-domain': 'reports.acme.example' }
  const summary = { 'total-successful-session-count': 1, 'total-failure-session-count': 0 }
  const report = {
    'organization-name': 'Receiver',
    'contact-info': 'tls@receiver.example',
    'report-id': '1',
    'date-range': { 'start-datetime': `${day}T00:00:00Z`, 'end-datetime': `${day}T23:59:59Z` },
    policies: [{ policy, summary }],
  }
  await engine.domains.reports.add(project, id, { file: new TextEncoder().encode(JSON.stringify(report)) })
})
await step('counts', async () => {
  await engine.contacts.upsert(project, { email: 'ada@example.com', data: { plan: 'pro' } })
  const filters = { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }
  const segment = await engine.segments.create(project, { name: 'Pro', filters })
  if (segment.memberCount !== 1) throw new Error(JSON.stringify(segment))
  await ask('GET', '/activity/stats')
  await ask('GET', '/analytics/timeseries')
})
if (!MAILS.startsWith('postgres'))
  await step('keeps much', async () => {
    for (let i = 0; i < 14; i++) {
      const text = randomBytes(1024 * 1024).toString('base64url')
      await engine.sending.send(project, { to: `much${i}@example.com`, from, subject: 'Much', body: text, text })
    }
    await engine.idle()
  })
for (const path of ['/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/openapi.json', '/app/', '/health'])
  await step(`answers ${path}`, () => page(path))
await step('answers the script of the dashboard', async () => {
  const [, script] = /src="\.\/(assets\/[^"]+)"/.exec(await page('/app/')) ?? []
  await page(`/app/${script}`)
})
await step('stops', async () => {
  await engine.stop({ drain: true })
  web.closeAllConnections()
  web.close()
})
console.log(JSON.stringify({ done, failed }))

async function storeOf(mails) {
  if (!mails.startsWith('postgres')) {
    const { sqlite } = await import('mailwright/plugins/store-sqlite')
    return { store: sqlite({ file: mails }) }
  }
  const { postgres } = await import('mailwright/plugins/store-postgres')
  const { postgresQueue } = await import('mailwright/plugins/queue-postgres')
  const { postgresScheduler } = await import('mailwright/plugins/scheduler-postgres')
  return {
    store: postgres({ url: mails }),
    queue: postgresQueue({ url: mails }),
    scheduler: postgresScheduler({ url: mails }),
  }
}

async function step(what, work) {
  try {
    await work()
    done.push(what)
  } catch (error) {
    failed.push(`${what}: ${error?.stack ?? error}`)
  }
}

async function delivered(mail) {
  const { answer } = await engine.sending.send(project, mail)
  const { status, error } = await engine.sending.delivered(project, answer.emails[0].email, { timeoutMs: 30_000 })
  if (status !== 'DELIVERED') throw new Error(`${status}: ${error}`)
}

async function ask(method, path, json) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers, ...(json && { body: JSON.stringify(json) }) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}

async function page(path) {
  const response = await fetch(url + path)
  const text = await response.text()
  if (!response.ok || text.length < 100) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`)
  return text
}

async function until(condition) {
  for (let i = 0; i < 300; i++) {
    if (await condition()) return
    await pause(100)
  }
  throw new Error('it did not come about')
}

/** Hands a mail over by SMTP, line by line. */
async function submit(port, sender, to, login) {
  const socket = connect(port, here.host)
  let heard = ''
  socket.setEncoding('utf8').on('data', (text) => (heard += text))
  const say = async (line, code) => {
    heard = ''
    if (line !== undefined) socket.write(`${line}\r\n`)
    await until(() => /^\d{3} .*\r\n$/m.test(heard))
    if (!heard.startsWith(code)) throw new Error(`${line}: ${heard}`)
  }
  await until(() => heard !== '')
  await say('EHLO friend.example', '250')
  if (login) {
    const plain = Buffer.from(`\0${login.user}\0${login.pass}`).toString('base64')
    await say(`AUTH PLAIN ${plain}`, '235')
  }
  await say(`MAIL FROM:<${sender}>`, '250')
  await say(`RCPT TO:<${to}>`, '250')
  await say('DATA', '354')
  const fields = [`From: ${sender}`, `To: ${to}`, 'Subject: submitted', 'MIME-Version: 1.0']
  const type = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 7bit']
  await say([...fields, ...type, '', 'Hello', '.'].join('\r\n'), '250')
  socket.end('QUIT\r\n')
}
