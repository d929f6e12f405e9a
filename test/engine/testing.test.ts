import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTestEngine, testClock } from '../../config/testing.ts'

const MAIL = { from: 'Test <hello@example.com>', subject: 'Hi {{ name }}', data: { name: 'Ada' } }

async function testEngine(settings: Parameters<typeof createTestEngine>[0] = {}) {
  const world = await createTestEngine(settings)
  onTestFinished(() => world.stop())
  return world
}

afterEach(() => void vi.useRealTimers())

describe('the inbox of a test engine', () => {
  it('has what recipients see', async () => {
    const { engine, project, inbox } = await testEngine()
    await engine.sending.send(project, {
      ...MAIL,
      to: ['ada@example.org', 'bob@example.org'],
      body: '<p>{{ name }}: <a href="https://example.com/?a=1&amp;b=2">one</a> <A HREF=https://example.com/two>two</A></p>',
      attachments: [{ filename: 'a.txt', content: Buffer.from('hello').toString('base64'), contentType: 'text/plain' }],
      headers: { 'X-Ref': '7' },
    })
    await engine.idle()
    expect(inbox.mails.map(({ to }) => to[0]).toSorted()).toEqual(['ada@example.org', 'bob@example.org'])
    const mail = inbox.to('ADA@example.org').last()
    expect(mail).toMatchObject({
      from: { email: 'hello@example.com', name: 'Test' },
      to: ['ada@example.org'],
      subject: 'Hi Ada',
      html: expect.stringContaining('<p>Ada: '),
      text: expect.stringContaining('Ada: one'),
      links: ['https://example.com/?a=1&b=2', 'https://example.com/two'],
      headers: { 'x-ref': '7' },
      attachments: [{ filename: 'a.txt' }],
    })
    expect(mail.raw.toString()).toContain('Subject: Hi Ada\r\n')
    expect((await engine.mails.get(project, mail.id)).email).toMatchObject({
      status: 'DELIVERED',
      to: 'ada@example.org',
    })
    inbox.clear()
    expect(inbox.mails).toEqual([])
    expect(inbox.to('ada@example.org').mails).toEqual([])
  })

  it('says which mails there are when the wanted one is not', async () => {
    const { engine, project, inbox } = await testEngine()
    expect(() => inbox.last()).toThrow('There is no mail. The inbox is empty.')
    await engine.sending.send(project, { ...MAIL, to: 'ada@example.org', body: 'Hi' })
    await engine.idle()
    expect(() => inbox.to('eve@example.org').last()).toThrow(
      'There is no mail to eve@example.org. There are 1: ada@example.org (Hi Ada).',
    )
  })

  it('refuses whom it is told to, for good or for now', async () => {
    const { engine, project, inbox, clock } = await testEngine()
    inbox.refuse('gone.example')
    inbox.refuse('busy@example.org', { code: 451, reason: '4.2.0 Mailbox busy' })
    const { answer } = await engine.sending.send(project, {
      ...MAIL,
      to: ['a@gone.example', 'busy@example.org', 'c@example.org'],
      body: 'Hi',
    })
    await engine.idle()
    const [gone, busy] = await Promise.all(
      answer.emails.slice(0, 2).map(async ({ email }) => (await engine.mails.get(project, email)).email),
    )
    expect(gone).toMatchObject({ status: 'BOUNCED', error: '550 5.1.1 No such user' })
    expect(busy).toMatchObject({ status: 'QUEUED', error: '451 4.2.0 Mailbox busy' })
    expect(inbox.mails.flatMap(({ to }) => to)).toEqual(['c@example.org'])
    inbox.clear()
    clock.advance({ hours: 1 })
    await engine.idle()
    expect(inbox.last().to).toEqual(['busy@example.org'])
  })
})

describe('the clock of a test engine', () => {
  it('brings scheduled campaigns and delays of workflows on', async () => {
    const { engine, project, inbox, clock } = await testEngine()
    const { workflow, steps } = await engine.workflows.create(project, { name: 'Late', eventName: 'signed_up' })
    const step = await engine.workflows.addStep(project, workflow.id, {
      type: 'DELAY',
      afterStepId: steps[0]!.id,
      config: { amount: 3, unit: 'days' },
    })
    await engine.workflows.addStep(project, workflow.id, {
      type: 'SEND_EMAIL',
      afterStepId: step.id,
      config: { from: MAIL.from, subject: 'Three days later', body: '<p>Hi</p>' },
    })
    await engine.workflows.change(project, workflow.id, { enabled: true })
    await engine.events.track(project, { email: 'ada@example.org', event: 'signed_up', subscribed: true })
    const news = { name: 'News', subject: 'News', body: '<p>News</p>', from: MAIL.from, audienceType: 'ALL' } as const
    const { campaign } = await engine.campaigns.create(project, news)
    const at = new Date(clock.now().getTime() + 3_600_000).toISOString()
    await engine.campaigns.send(project, campaign.id, { scheduledFor: at })
    await engine.idle()
    expect(inbox.mails).toEqual([])
    clock.advance({ hours: 1, seconds: 1 })
    await engine.idle()
    expect(inbox.mails.map(({ subject }) => subject)).toEqual(['News'])
    clock.advance({ days: 3 })
    await engine.idle()
    expect(inbox.last()).toMatchObject({ subject: 'Three days later', to: ['ada@example.org'] })
  })

  it('follows a mocked Date', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2030-01-01T09:00:00Z') })
    const { engine, project, inbox } = await testEngine()
    expect(engine.now().toISOString()).toBe('2030-01-01T09:00:00.000Z')
    const scheduledFor = '2030-01-02T09:00:00Z'
    await engine.sending.send(project, { ...MAIL, to: 'ada@example.org', body: 'Hi', scheduledFor })
    await engine.idle()
    expect(inbox.mails).toEqual([])
    vi.setSystemTime(scheduledFor)
    await engine.idle()
    expect(inbox.last().raw.toString()).toContain('Date: Wed, 02 Jan 2030 09:00:00 +0000')
  })

  it('takes only times', () => {
    const clock = testClock('2030-01-01T00:00:00Z')
    expect(() => clock.set('soon')).toThrow('The clock cannot be set to soon')
    expect(() => clock.advance(Number.NaN)).toThrow('a number of milliseconds')
    clock.advance({ days: 1, hours: 1, minutes: 1, seconds: 1 })
    expect(clock.now().toISOString()).toMatch(/^2030-01-02T01:01:01/)
    clock.advance(-1000)
    expect(clock.now().toISOString()).toMatch(/^2030-01-02T01:01:00/)
  })
})

it('a test engine needs a project', async () => {
  await expect(createTestEngine({ projects: [] })).rejects.toThrow('A test engine needs a project')
})
