import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { type FaultSmtp, startFaultSmtp } from '../support/fault-smtp.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'

/** Bounces here are not to stop the domain. */
const NEVER_STOPPED = { bounceRate: { stop: false } } as const

const CAMPAIGN = { name: 'News', subject: 'Hi', body: '<p>Hi</p>', from: 'hello@example.com', audienceType: 'FILTERED' }
const LONG = 30_000

for (const store of [QUICK]) {
  describe(`the brake of campaigns on ${store.name}`, () => {
    let test: TestApp
    let server: FaultSmtp
    /** The answer to RCPT or to a whole message; undefined takes it. */
    let refuse: (step: 'RCPT' | 'END', recipient: string, number: number) => string | Promise<string> | undefined =
      () => undefined

    beforeAll(async () => {
      let number = 0
      const last = new Map<number, string>()
      server = await startFaultSmtp({
        answer: (command, connection) => {
          const recipient = /^RCPT TO:<(.*)>/.exec(command)?.[1]
          if (recipient) last.set(connection, recipient)
          const step = recipient ? 'RCPT' : command === 'END' ? 'END' : undefined
          return step && refuse(step, last.get(connection) ?? '', ++number)
        },
      })
      atEndOfFile(() => server.close())
      const plugin = smtp({ host: '127.0.0.1', port: server.port, maxConnections: 5, pipelining: false })
      test = await testApp(
        store,
        {},
        { transports: [{ name: 'hop', plugin }], delivery: { threads: 0 }, reputation: NEVER_STOPPED },
      )
      await test.engine.start()
    })

    afterEach(() => {
      refuse = () => undefined
    })

    /** Makes people of one group, and a campaign to them, and sends it. */
    async function send(group: string, count: number): Promise<string> {
      const csv = ['email,group', ...Array.from({ length: count }, (_, i) => `p${i}@${group}.example,${group}`)].join(
        '\n',
      )
      const form = new FormData()
      form.append('file', new Blob([csv], { type: 'text/csv' }), 'people.csv')
      const request = new Response(form)
      const headers = { 'Content-Type': request.headers.get('content-type') ?? '' }
      const raw = new Uint8Array(await request.arrayBuffer())
      const job = (await test.ask('POST', '/contacts/import', { raw, headers })).body.jobId
      const isDone = async () => (await test.ask('GET', `/contacts/import/${job}`)).body.state === 'completed'
      await until('they are imported', isDone, LONG)
      const audienceFilter = {
        operator: 'AND',
        conditions: [{ field: 'data.group', operator: 'equals', value: group }],
      }
      const { id } = (await test.ask('POST', '/campaigns', { json: { ...CAMPAIGN, audienceFilter } })).body.data
      expect((await test.ask('POST', `/campaigns/${id}/send`)).status).toBeLessThan(300)
      return id
    }
    const get = async (id: string) => (await test.ask('GET', `/campaigns/${id}`)).body
    const becomes = (id: string, status: string) =>
      until(`it is ${status}`, async () => (await get(id)).status === status, LONG)
    const resume = (id: string, json?: object) => test.ask('POST', `/campaigns/${id}/resume`, json ? { json } : {})
    const suppressed = async (group: string) => {
      const { text } = await test.ask('GET', '/suppressions?limit=100')
      return text.split(`@${group}.example"`).length - 1
    }
    const unsubscribed = async (group: string) => {
      const query = `/contacts?limit=100&subscribed=false&search=${group}.example`
      return (await test.ask('GET', query)).body.total
    }

    it('pauses it for one refusal of many, whose people stay as they are until somebody decides: retry', async () => {
      refuse = (step, recipient, number) =>
        step === 'RCPT' ? `550 5.1.1 <${recipient}>: User unknown in relay table, id ${number}A7f\r\n` : undefined
      const id = await send('retry', 60)
      await becomes(id, 'PAUSED')
      const { body: listed } = await test.ask('GET', '/campaigns')
      const braked = { refused: expect.any(Number), answers: expect.any(Number), decision: null }
      const reply = expect.stringContaining('User unknown in relay table')
      const pauseReason = expect.stringMatching(/^\d+ of its first \d+ answers are the same refusal: 550 5\.1\.1/)
      const expected = { status: 'PAUSED', pauseReason, statusReason: pauseReason, braked: { ...braked, reply } }
      expect(await get(id)).toMatchObject(expected)
      expect(listed.data.find((one: { id: string }) => one.id === id)).toMatchObject(expected)
      const { refused } = (await get(id)).braked
      expect(refused).toBeGreaterThanOrEqual(20)
      expect([await suppressed('retry'), await unsubscribed('retry')]).toEqual([0, 0])
      const said = () => test.lines.filter(({ message }) => message.startsWith('braked a campaign'))
      await until('the log has it', () => said().length > 0)
      expect(said()).toMatchObject([{ level: 'warn', fields: { campaign: id } }])

      for (const undecided of [
        await resume(id),
        await resume(id, {}),
        await test.ask('POST', `/campaigns/${id}/send`),
      ]) {
        expect(undecided.status).toBe(422)
        expect(undecided.text).toMatch(/bounces.*accept.*retry/)
      }
      expect((await resume(id, { bounces: 'forget' })).status).toBe(422)
      expect((await get(id)).status).toBe('PAUSED')
      // else the domain might be stopped for bounces that are taken back
      const { body: figures } = await test.ask('GET', '/deliverability')
      expect(JSON.stringify(figures)).toContain('"domain":"retry.example"')
      expect(figures.find(({ domain }: { domain: string }) => domain === 'retry.example').bounced).toBe(0)

      refuse = () => undefined
      const { status, body } = await resume(id, { bounces: 'retry' })
      expect([status, body.status, body.bounced, body.braked, body.pauseReason]).toEqual([
        200,
        'SENDING',
        0,
        undefined,
        undefined,
      ])
      await becomes(id, 'SENT')
      expect(await get(id)).toMatchObject({ totalRecipients: 60, delivered: 60, bounced: 0, failed: 0 })
      expect([await suppressed('retry'), await unsubscribed('retry')]).toEqual([0, 0])
      const taken = server.messages.map((text) => /^Message-ID: (\S+)/im.exec(text)?.[1])
      expect(new Set(taken).size).toBe(taken.length)
    })

    it('accept: judges those that were held back as bounces, and later ones at once', async () => {
      refuse = (step, recipient) =>
        step === 'RCPT' ? `550 5.1.1 no such user ${recipient.split('@')[0]}\r\n` : undefined
      const id = await send('accept', 30)
      await becomes(id, 'PAUSED')
      expect([await suppressed('accept'), await unsubscribed('accept')]).toEqual([0, 0])
      expect((await resume(id, { bounces: 'accept' })).body).toMatchObject({ status: 'SENDING' })
      await becomes(id, 'SENT')
      const { bounced } = await get(id)
      expect(bounced).toBe(30)
      expect([await suppressed('accept'), await unsubscribed('accept')]).toEqual([30, 30])
      const events = await test.ask('GET', '/events?name=contact.unsubscribed&limit=100')
      expect(events.text.match(/"reason":"bounce"/g)?.length).toBe(30)
    })

    it('counts what is nobody’s fault as well: a refusal after the content that suppresses nobody', async () => {
      refuse = (step, _recipient, number) =>
        step === 'END' && number % 3 > 0
          ? `554 Message rejected: Email address is not verified. Request 0100018${number}-af\r\n`
          : undefined
      const id = await send('ses', 60)
      await becomes(id, 'PAUSED')
      expect((await get(id)).braked.reply).toContain('Email address is not verified')
      refuse = () => undefined
      expect((await resume(id, { bounces: 'retry' })).status).toBe(200)
      await becomes(id, 'SENT')
      expect(await get(id)).toMatchObject({ delivered: 60, failed: 0, bounced: 0 })
      expect(await suppressed('ses')).toBe(0)
    })

    it('retry: sends again also what was on its way when somebody decided', async () => {
      const late: (() => void)[] = []
      let asked = 0
      refuse = (step, _recipient, number) => {
        if (step !== 'RCPT') return undefined
        const reply = `550 5.1.1 No such user here, ${number}\r\n`
        // the first page of an audience has 25, and the campaign may pause before there is another
        return ++asked <= 20 ? reply : new Promise((resolve) => late.push(() => resolve(reply)))
      }
      const id = await send('late', 60)
      await becomes(id, 'PAUSED')
      await until('a mail is on its way', () => late.length > 0)
      refuse = () => undefined
      expect((await resume(id, { bounces: 'retry' })).body.status).toBe('PAUSED')
      for (const answer of late) answer()
      await becomes(id, 'SENT')
      expect(await get(id)).toMatchObject({ delivered: 60, failed: 0, bounced: 0 })
      expect(await suppressed('late')).toBe(0)
    })

    it('lets others go on: fewer than 20, or less than 5 %, and bounces in different words', async () => {
      const words = ['unknown user', 'no such mailbox', 'mailbox does not exist', 'account disabled', 'no such address']
      refuse = (step, recipient) => {
        const place = Number(/\d+/.exec(recipient)?.[0])
        return step === 'RCPT' && place < 30 ? `550 5.1.1 ${words[place % words.length]}\r\n` : undefined
      }
      const id = await send('mixed', 60)
      await becomes(id, 'SENT')
      expect(await get(id)).toMatchObject({ bounced: 30, delivered: 30 })
      // judged when the first answers were in
      expect([await suppressed('mixed'), await unsubscribed('mixed')]).toEqual([30, 30])
      expect((await resume(id, { bounces: 'accept' })).status).toBe(409)
    })
  })
}
