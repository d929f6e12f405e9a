import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { definePlugin } from '../../config/library.ts'
import { createApp, serverMetrics } from '../../server/index.ts'
import { askApp, expectEnvelope, MAIL, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const KEY = 'the-key-of-prometheus'
const DEPLOY = fileURLToPath(new URL('../../deploy', import.meta.url))
const read = (path: string) => readFileSync(join(DEPLOY, path), 'utf8')

/** Answers by the recipient's local part. */
const byName = definePlugin({
  name: 'by-name',
  provides: ['transport'],
  open: () => ({
    transport: {
      concurrency: 5,
      async send({ to: [first] }) {
        const refused = { outcome: 'refused', stage: 'rcpt' } as const
        if (first?.email.startsWith('nobody'))
          return { ...refused, permanent: true, code: 550, enhancedCode: '5.1.1', reason: 'no such user' }
        if (first?.email.startsWith('spam'))
          return { ...refused, permanent: true, code: 554, enhancedCode: '5.7.1', reason: 'blocked as spam' }
        if (first?.email.startsWith('later'))
          return { ...refused, permanent: false, code: 451, enhancedCode: '4.2.0', reason: 'greylisted' }
        return { outcome: 'accepted' }
      },
    },
  }),
})

/** The samples of a text, by name and labels as they are written; throws for a line of another form. */
function samplesOf(text: string): Map<string, number> {
  const samples = new Map<string, number>()
  const types = new Set<string>()
  for (const line of text.split('\n').filter(Boolean)) {
    const [, typed] = /^# TYPE (\w+) (?:counter|gauge|histogram|summary)$/.exec(line) ?? []
    if (typed !== undefined) types.add(typed)
    if (/^# (?:HELP|TYPE) [a-z]\w+ \S/.test(line)) continue
    const [, name = '', labels = '', value] = /^([a-z]\w*)(\{(?:\w+="(?:[^"\\\n]|\\.)*",?)+\})? (\S+)$/.exec(line) ?? []
    if (value === undefined || !/^(?:-?[\d.]+(?:e[-+]?\d+)?|[+-]Inf|nan)$/i.test(value))
      throw new Error(`not a sample: ${line}`)
    if (samples.has(name + labels)) throw new Error(`given twice: ${line}`)
    if (!types.has(name) && !types.has(name.replace(/_(?:bucket|sum|count)$/, '')))
      throw new Error(`without a type: ${line}`)
    samples.set(name + labels, Number(value))
  }
  return samples
}

describe('GET /metrics', () => {
  let test: TestApp
  let app: ReturnType<typeof createApp>
  const scrape = async () => {
    const answer = await askApp(app, 'GET', '/metrics', { key: KEY })
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    return answer.text
  }

  beforeAll(async () => {
    const source = await serverMetrics()
    test = await testApp(QUICK, {}, { transports: [byName()], metrics: source.engine })
    app = createApp(test.engine, { metrics: { key: KEY, source }, hookFailuresPerMinutePerIp: 20 })
    await test.engine.start()
  })

  it('counts what becomes of mail by lane and reason, the requests by their pattern, commits, and what waits', async () => {
    const to = ['nobody@example.org', 'spam@example.org', 'later@example.org', 'ada@example.org']
    expect((await askApp(app, 'POST', '/v1/send', { json: { ...MAIL, to } })).status).toBe(200)
    await askApp(app, 'POST', '/v1/track', { json: { event: 'seen', email: 'ada@example.org' } })
    await askApp(app, 'GET', '/contacts/0197aaaa-0000-7000-8000-000000000000')
    const found = await vi.waitFor(async () => {
      const samples = samplesOf(await scrape())
      expect(
        samples.get('mailwright_mails_deferred_total{lane="transactional",transport="by-name",class="transient"}'),
      ).toBe(1)
      expect(samples.get('mailwright_mails_sent_total{lane="transactional",transport="by-name"}')).toBe(1)
      expect(samples.get('mailwright_mails_bounced_total{lane="transactional",class="permanent"}')).toBe(1)
      expect(samples.get('mailwright_mails_failed_total{lane="transactional",class="policy"}')).toBe(1)
      // what waits is counted in the background
      expect(samples.get('mailwright_queue_waiting{queue="campaign"}')).toBe(0)
      return samples
    }, 10_000)
    expect(Object.fromEntries(found)).toMatchObject({
      'mailwright_mails_accepted_total{lane="transactional"}': 4,
      'mailwright_delivery_latency_seconds_count{lane="transactional"}': 1,
      'mailwright_http_requests_total{method="POST",route="/v1/send",status="200"}': 1,
      'mailwright_http_requests_total{method="GET",route="/contacts/:id",status="404"}': 1,
      'mailwright_http_request_duration_seconds_count{method="POST",route="/v1/send"}': 1,
      'mailwright_store_commit_duration_seconds_count{write="accept"}': 1,
      'mailwright_store_commit_duration_seconds_count{write="track"}': 1,
      'mailwright_transport_paused{transport="by-name"}': 0,
    })
    expect(found.get('mailwright_store_commit_duration_seconds_count{write="results"}')).toBeGreaterThan(0)
    expect(found.get('process_resident_memory_bytes')).toBeGreaterThan(1e6)
    const [info = ''] = [...found.keys()].filter((name) => name.startsWith('mailwright_build_info'))
    expect(info).toContain('role="all"')
  })

  it('gets no label from a client: paths, methods and addresses of hostile requests are not in it', async () => {
    const before = samplesOf(await scrape()).size
    for (let i = 0; i < 20; i++) {
      await askApp(app, 'GET', `/contacts/eve${i}@evil.example`)
      await askApp(app, 'GET', `/made-up-${i}`)
      await app.request(`/contacts/eve${i}`, { method: `MADEUP${i}` })
      await askApp(app, 'GET', `/unsubscribe/made-up-${i}`, { key: null })
    }
    const text = await scrape()
    expect(text).not.toMatch(/eve\d|made-?up|example\.org|sk_/i)
    expect(text).toContain('mailwright_http_requests_total{method="other",route="/contacts/:id",status="405"} 20')
    expect(text).toContain('mailwright_http_requests_total{method="GET",route="(unmatched)",status="404"} 20')
    // four kinds of requests, each with its counter and its histogram
    expect(samplesOf(text).size - before).toBeLessThan(4 * 14)
  })

  it('opens for its key alone; without one set there is nothing', async () => {
    for (const wrong of [null, KEY.slice(1), 'sk_'.padEnd(51, 'a')])
      expectEnvelope(
        await askApp(app, 'GET', '/metrics', { key: wrong }),
        401,
        wrong === null ? 'MISSING_AUTH' : 'INVALID_API_KEY',
      )
    expectEnvelope(await test.ask('GET', '/metrics', { key: KEY }), 404, 'RESOURCE_NOT_FOUND')
  })

  it('has every metric, with its labels, that the alert rules and the dashboard of deploy/ ask for', async () => {
    const text = await scrape()
    const { groups } = parse(read('prometheus/alerts.yaml')) as { groups: { rules: { expr: string }[] }[] }
    const { panels } = JSON.parse(read('grafana/mailwright.json')) as { panels: { targets: { expr: string }[] }[] }
    const asked = [
      ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ]
    expect(asked.length).toBeGreaterThan(30)
    const names = new Set(asked.flatMap((expr) => expr.match(/\b(?:mailwright|nodejs|process)_\w+/g) ?? []))
    const known = new Set(
      [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    )
    expect([...names].filter((name) => !known.has(name))).toEqual([])
    const ours = [...known].filter((name) => name.startsWith('mailwright_') && !/_(?:sum|bucket|count)$/.test(name))
    const unused = ours.filter((name) => !names.has(name) && name !== 'mailwright_build_info')
    expect(unused).toEqual([])
  })
})
