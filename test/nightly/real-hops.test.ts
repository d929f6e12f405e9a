import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { freshFolder } from '../support/fresh-folder.ts'
import { startOpenSmtpd } from '../support/opensmtpd.ts'
import { startPostfix } from '../support/postfix.ts'
import { startServerProcess } from '../support/server-process.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const SECRET = `sk_${'h'.repeat(48)}`
const CONTACTS = 3_000
const URGENT = 60
const CONNECTIONS = 8
const QUOTAS = { postfix: 2_500, open: 600, http: 2_500 }
/** How many Postfix has passed on when it dies. */
const HALF_WAY = 1_200

/*
 * How real servers refuse, close and die is theirs, not ours: only with them it shows that a campaign goes on through others
 * within seconds, and that each mail arrives, and once.
 */
it('a campaign goes through Postfix, and within 10 seconds of its death through OpenSMTPD and a provider, each mail once', {
  timeout: 300_000,
}, async () => {
  const sinks = { postfix: await startSmtpSink({ checked: false }), open: await startSmtpSink({ checked: false }) }
  for (const sink of Object.values(sinks)) onTestFinished(() => sink.close())
  const other = { domain: 'example.org', port: sinks.postfix.port }
  const postfix = await startPostfix({ domain: 'friend.example', people: ['ada'], other })
  onTestFinished(() => postfix.stop())
  const open = await startOpenSmtpd(sinks.open.port)
  onTestFinished(() => open.stop())
  const provider = await startProvider()
  onTestFinished(() => provider.close())
  const server = await installation({ postfix: postfix.port, open: open.port, http: provider.url })
  // before the servers of above are stopped
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail')
      console.error([server.output(), postfix.log(), open.log()].map((log) => log.slice(-3_000)).join('\n'))
  })
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  const ask = async (method: string, path: string, body?: object): Promise<any> => {
    const isForm = body instanceof FormData
    const headers = { authorization: `Bearer ${SECRET}`, ...(isForm ? {} : { 'content-type': 'application/json' }) }
    const sent = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }
    const response = await fetch(`${server.url}${path}`, { method, headers, ...sent })
    const text = await response.text()
    expect(response.ok, `${method} ${path}: ${text}`).toBe(true)
    return text === '' ? undefined : JSON.parse(text)
  }

  const csv = ['email,subscribed', ...Array.from({ length: CONTACTS }, (_, i) => `p${i}@example.org,true`)].join('\n')
  const form = new FormData()
  form.append('file', new Blob([csv]), 'people.csv')
  const { jobId } = await ask('POST', '/contacts/import', form)
  const isDone = async () => (await ask('GET', `/contacts/import/${jobId}`)).state === 'completed'
  await until('the contacts are there', isDone, 60_000)
  const { data: campaign } = await ask('POST', '/campaigns', {
    ...{ name: 'News', subject: 'News', body: '<p>News</p>', from: 'news@example.com', audienceType: 'ALL' },
  })
  await ask('POST', `/campaigns/${campaign.id}/send`)

  await until('Postfix has half of it', () => sinks.postfix.messages.length >= HALF_WAY, 120_000)
  expect([sinks.open.messages.length, provider.mails.length]).toEqual([0, 0])
  postfix.die()
  const died = performance.now()
  await until('OpenSMTPD has mail', () => open.log().includes('smtp message'), 60_000)
  const movedMs = performance.now() - died
  await until('the quota of OpenSMTPD is used up', () => provider.mails.length > 0, 60_000)
  const urgent = Array.from({ length: URGENT }, (_, i) => `urgent${i}@example.org`)
  await ask('POST', '/v1/send', { to: urgent, from: 'a@example.com', subject: 'Now', body: '<p>Now</p>' })
  await until('the provider has mail', () => provider.mails.length > 200, 60_000)
  postfix.start()
  const started = performance.now()
  await until('it is sent', async () => (await ask('GET', `/campaigns/${campaign.id}`)).status === 'SENT', 200_000)

  const arrived = () => ({
    postfix: sinks.postfix.messages.flatMap(({ to }) => to),
    open: sinks.open.messages.flatMap(({ to }) => to),
    http: provider.mails.flatMap(({ to }) => to),
  })
  const all = () => Object.values(arrived()).flat()
  await until('all have arrived', () => new Set(all()).size === CONTACTS + URGENT, 60_000)
  const counts = Object.fromEntries(Object.entries(arrived()).map(([name, mails]) => [name, mails.length]))
  const repeated = all().length - CONTACTS - URGENT

  expect(movedMs).toBeLessThan(10_000)
  // Postfix alone knows whether it had a mail when it died between its end and the answer
  expect(repeated).toBeLessThanOrEqual(CONNECTIONS)
  const idsOf = new Map<string, Set<string>>()
  const raws = [
    ...sinks.postfix.messages.map(({ to, raw }) => [to[0] ?? '', raw.toString('latin1')] as const),
    ...sinks.open.messages.map(({ to, raw }) => [to[0] ?? '', raw.toString('latin1')] as const),
    ...provider.mails.map(({ to, raw }) => [to[0] ?? '', raw] as const),
  ]
  for (const [to, raw] of raws)
    idsOf.set(to, (idsOf.get(to) ?? new Set()).add(/^Message-ID: (.*)$/im.exec(raw)?.[1]?.trim() ?? ''))
  for (const [to, ids] of idsOf) expect(ids.size, to).toBe(1)
  for (const [name, quota] of Object.entries(QUOTAS)) expect(counts[name], name).toBeLessThanOrEqual(quota)
  // the last tenth of its quota was left to them
  expect(arrived().open.filter((to) => to.startsWith('urgent'))).toHaveLength(URGENT)
  // it is tried again after a pause, which has grown with its trouble, to a minute at the most
  let probes = 0
  const isBack = async () => {
    const to = `probe${++probes}@example.org`
    const mail = { to, from: 'a@example.com', subject: 'Back?', body: '<p>Back?</p>', tags: { stream: 'probe' } }
    await ask('POST', '/v1/send', mail)
    return arrived().postfix.some((address) => address.startsWith('probe'))
  }
  await until('mail goes through Postfix again', isBack, 90_000, 500)
  const [moved, back] = [movedMs, performance.now() - started].map((ms) => (ms / 1_000).toFixed(1))
  console.info(`moved in ${moved} s, back in ${back} s; arrived ${JSON.stringify(counts)}; ${repeated} twice`)
})

/** A provider of mail by HTTP, which takes whole messages. */
async function startProvider() {
  const mails: { readonly to: readonly string[]; readonly raw: string }[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { searchParams } = new URL(request.url ?? '', 'http://localhost')
    mails.push({ to: searchParams.getAll('to'), raw: Buffer.concat(parts).toString('latin1') })
    response.end('{"id":"1"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/messages`
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { mails, url, close }
}

/** A server that sends campaigns through Postfix, and else through the two others. */
async function installation(to: { readonly postfix: number; readonly open: number; readonly http: string }) {
  const folder = freshFolder()
  const example = readFileSync(new URL('../../examples/http-transport.ts', import.meta.url), 'utf8')
  const library = new URL('../../dist/config/library.js', import.meta.url).href
  const plugin = example
    .replace("'mailwright'", `'${library}'`)
    .replace("'valibot'", `'${import.meta.resolve('valibot')}'`)
    .replace('export const acme =', 'export default')
  writeFileSync(join(folder, 'acme.ts'), plugin)
  const smtp = (name: string, port: number) => {
    const options = { host: '127.0.0.1', port, maxConnections: CONNECTIONS, tls: { rejectUnauthorized: false } }
    return { name, use: 'smtp', options }
  }
  const limits = { postfix: 150, open: 100, http: 50 }
  const config = {
    projects: [{ name: 'Hops', secretKey: SECRET, trustedDomains: ['example.com'] }],
    transports: [
      smtp('postfix', to.postfix),
      smtp('open', to.open),
      { name: 'http', use: './acme.ts', options: { url: to.http, apiKey: 'a key' } },
    ],
    delivery: {
      retryDelays: [1, 1, 2, 2, 5, 5, 10, 10, 20, 20],
      routes: [
        { name: 'news', when: { class: 'campaign' }, to: 'postfix', fallback: ['open', 'http'] },
        { name: 'probe', when: { tag: { stream: 'probe' } }, to: 'postfix', fallback: 'http' },
        { name: 'urgent', when: { class: 'transactional' }, to: 'open', fallback: 'http' },
      ],
      throttle: {
        transports: Object.fromEntries(
          Object.entries(limits).map(([name, perSecond]) => {
            return [name, { perSecond, quota: { month: QUOTAS[name as keyof typeof QUOTAS] } }]
          }),
        ),
      },
    },
    limits: { requestsPerMinute: 1_000_000 },
    log: { level: 'warn' },
  }
  // its mail may go anywhere, so readers must reach this server
  const server = await startServerProcess(folder, config, [], { publicUrl: 'https://mail.example.com' })
  onTestFinished(() => server.kill())
  return server
}
