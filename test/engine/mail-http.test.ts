import { expect, it, onTestFinished } from 'vitest'
import { httpMail } from '../../plugins/mail-http/index.ts'
import { engineWithSink } from '../support/engine.ts'
import { startJsonProvider } from '../support/json-provider.ts'
import { until } from '../support/until.ts'

const body = {
  from: { email: '{{ from.email }}', name: '{{ from.name }}' },
  to: { '{{ each to }}': { email: '{{ item.email }}', name: '{{ item.name }}' } },
  subject: '{{ subject }}',
  text: '{{ text }}',
  html: '{{ html }}',
  headers: { '{{ each headers }}': { name: '{{ item.name }}', value: '{{ item.value }}' } },
}

it('mail goes out through a provider that the configuration describes, once the provider takes it', async () => {
  const { url, apiKey, mails, moods, close } = await startJsonProvider()
  onTestFinished(close)
  moods.status = 500
  const headers = { authorization: `Bearer ${apiKey}` }
  const { engine, project } = await engineWithSink({
    transports: [httpMail({ url, headers, body, id: 'id' })],
    egress: { allow: ['127.0.0.1'] },
    delivery: { retryDelays: [1, 1, 1, 1] },
  })
  await engine.start()
  const { answer } = await engine.sending.send(project, {
    to: 'ada@example.org',
    from: 'hello@example.com',
    subject: 'Hi',
    body: '<p>Grüße</p>',
  })
  const { email: id } = answer.emails[0]!
  const found = () => engine.mails.get(project, id)
  await until('a try has failed', async () => (await found()).tries.length > 0)
  delete moods.status
  await until('it was taken', async () => (await found()).email.status === 'DELIVERED')
  expect(mails).toMatchObject([
    { to: ['ada@example.org'], fields: { subject: 'Hi', from: { email: 'hello@example.com' } } },
  ])
  const { tries } = await found()
  expect(tries.map(({ outcome, transport }) => [outcome, transport])).toEqual(
    expect.arrayContaining([
      ['unknown', 'mail-http'],
      ['accepted', 'mail-http'],
    ]),
  )
  expect(tries.flatMap(({ conversation }) => conversation?.answers ?? [])).toContainEqual({
    command: 'POST /email',
    code: 200,
    text: '{"id":"acme-1"}',
  })
})
