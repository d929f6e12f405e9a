import { describe, expect, it, onTestFinished } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { sesIdentity } from '../../plugins/identity-ses/index.ts'
import { ses } from '../../plugins/mail-ses/index.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { engineWithSink } from '../support/engine.ts'
import { SES_KEY, SES_REGION, type SesRoute, startFakeSes } from '../support/fake-ses.ts'
import { sesIdentities } from '../support/fake-ses-identities.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'

const MAIL = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }

async function sending(settings: Parameters<typeof engineWithSink>[0], route?: SesRoute) {
  const fake = await startFakeSes(route)
  onTestFinished(() => fake.close())
  const given = { region: SES_REGION, endpoint: fake.endpoint, credentials: SES_KEY }
  const { engine, project } = await engineWithSink({
    transports: [ses(given)],
    identity: sesIdentity(given),
    ...settings,
  })
  await engine.start()
  const send = async (extra = {}) => {
    const { answer } = await engine.sending.send(project, { ...MAIL, ...extra })
    return answer.emails[0]?.email ?? ''
  }
  const get = (id: string) => engine.mails.get(project, id)
  const becomes = (id: string, status: string) =>
    until(`it is ${status}`, async () => (await get(id)).email.status === status)
  const access = () => engine.projects.get(project.id)
  return { fake, engine, project, send, get, becomes, access }
}

describe.each([QUICK])('mail through Amazon SES, on $name', ({ store }) => {
  it('is SENT at acceptance, and found by what Amazon calls it when it tells of the delivery', async () => {
    const { fake, engine, send, get, becomes } = await sending({ store: store() })
    const id = await send({ bcc: ['boss@example.org'] })
    await becomes(id, 'SENT')
    const [mail] = fake.mails
    expect(mail?.to).toEqual(['ada@example.org', 'boss@example.org'])
    expect(mail?.raw.toString()).not.toContain('boss@')
    const { email, events } = await get(id)
    expect(email.providerId).toBe(mail?.messageId)
    // a delivery told at acceptance could never be taken back by the bounce that follows
    expect(events.map(({ name, data }) => [name, data.messageId])).toEqual([
      ['email.sent', `<${mail?.messageId}@eu-central-1.amazonses.com>`],
    ])
    const report = { mail: { providerId: mail?.messageId ?? '' }, recipient: MAIL.to, at: new Date(), key: '1' }
    expect(await engine.feedback.take([{ ...report, kind: 'delivered' }])).toEqual(['changed'])
    expect((await get(id)).email.status).toBe('DELIVERED')
  })

  it('waits without using up tries while Amazon has paused the account, and goes out afterwards', async () => {
    const { fake, send, get, becomes } = await sending({ store: store(), delivery: { retryDelays: [0.2, 0.2] } })
    fake.always('POST /v2/email/outbound-emails', {
      ...{ status: 400, name: 'SendingPausedException', message: 'Sending is paused' },
    })
    const ids = [await send(), await send(), await send(), await send()]
    await new Promise((resolve) => setTimeout(resolve, 800))
    fake.always('POST /v2/email/outbound-emails', undefined)
    for (const id of ids) await becomes(id, 'SENT')
    for (const id of ids) expect((await get(id)).email.attempts).toBeLessThanOrEqual(3)
    expect(fake.mails).toHaveLength(4)
  })
})

it.each([QUICK])('a domain is proven at Amazon SES, which signs its mail, on $name', async ({ store }) => {
  const zone = await startDnsServer()
  const seen = new Set<string>()
  const amazon = sesIdentities((name) => seen.has(name))
  const { fake, engine, project, becomes, access } = await sending(
    { store: store(), dns: nodeDns({ servers: [zone.address] }) },
    amazon.route,
  )
  onTestFinished(() => zone.close())
  const added = await engine.domains.add(project, { domain: 'müller.example' })
  expect(amazon.domains.has('xn--mller-kva.example')).toBe(true)
  const required = added.records.filter((record) => record.required)
  expect(required.map(({ type, purpose }) => [type, purpose])).toEqual([
    ...[0, 1, 2].map(() => ['CNAME', 'dkim']),
    ['TXT', 'ownership'],
  ])
  for (const { type, name, value } of required) {
    seen.add(name)
    // all but the record that is ours: the keys alone prove nothing here
    if (type === 'CNAME') zone.set(name, 'CNAME', [value])
  }
  expect(await engine.domains.verify(project, added.id)).toMatchObject({ verified: false })
  const ownership = required[3]!
  zone.set(ownership.name, 'TXT', [ownership.value])
  expect(await engine.domains.verify(project, added.id)).toMatchObject({ verified: true })
  await expect(engine.domains.rotate(project, added.id)).rejects.toMatchObject({ code: 'CONFLICT' })

  const { answer } = await engine.sending.send(await access(), { ...MAIL, from: 'hi@müller.example' })
  await becomes(answer.emails[0]!.email, 'SENT')
  expect(fake.mails[0]?.from).toBe('hi@xn--mller-kva.example')
  // a signature of ours would be broken there
  expect(fake.mails[0]?.raw.toString()).not.toContain('DKIM-Signature')
})

it('one that fails at Amazon for the sender’s sake suppresses nobody, and another transport may take it', async () => {
  const { fake, engine, project, send, get, becomes } = await sending({})
  fake.next({ status: 400, name: 'MessageRejected', message: 'Email address is not verified: user unknown' })
  const id = await send()
  await becomes(id, 'FAILED')
  expect((await get(id)).email.error).toContain('not verified')
  expect((await engine.suppressions.list(project)).total).toBe(0)
})
