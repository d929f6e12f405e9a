import { expect, it } from 'vitest'
import { createEngine } from '../../config/library.ts'
import { type LogFields, silentLog } from '../../core/ports/log.ts'
import { dkimKey, verdicts, verify } from '../support/dkim.ts'
import { engineWithSink } from '../support/engine.ts'

const RSA = dkimKey('example.com', 'rsa')
const ED25519 = dkimKey('example.com', 'ed', 'ed25519')
const SHORT = dkimKey('short.example', 'old', 'rsa', 1024)
const MAIL = { from: 'hello@example.com', to: 'ada@example.org', subject: 'Hi {{ name }}', data: { name: 'Ä' } }
const BODIES = [
  '<p>Dear {{ name }}</p>',
  '.\n..\n<p>.</p>\n.\n',
  '',
  '\t<td>  a   b </td> \n\n\n',
  '<p>Größe {{ name }}</p>\n'.repeat(2000),
]

it('what the next hop receives verifies, with both keys', async () => {
  const { engine, project, sink } = await engineWithSink({ dkim: [RSA, ED25519] })
  await engine.start()
  for (const body of BODIES) {
    await engine.sending.send(project, {
      ...{ ...MAIL, body: body || ' ', cc: ['cc@example.org'], reply: 'reply@example.com' },
      headers: { 'X-Order': '42', 'List-Unsubscribe': '<https://example.com/u>' },
      attachments: [
        { filename: 'a.txt', content: Buffer.from('.\r\n..\r\n').toString('base64'), contentType: 'text/plain' },
      ],
    })
  }
  for (const { raw } of await sink.waitFor(BODIES.length)) {
    expect(await verdicts(raw, [RSA, ED25519])).toEqual(['pass', 'pass'])
    const changed = raw.toString('latin1').replace('ada@example.org', 'bob@example.org')
    expect(await verdicts(changed, [RSA, ED25519])).toEqual(['fail', 'fail'])
  }
})

it('mail of a domain without a key is sent without a signature', async () => {
  const { engine, project, sink } = await engineWithSink({ dkim: [dkimKey('other.example', 'ed', 'ed25519')] })
  await engine.start()
  await engine.sending.send(project, { ...MAIL, body: '<p>x</p>' })
  const [mail] = await sink.waitFor(1)
  expect(mail!.raw.toString()).toMatch(/^From: /)
})

it('every try is signed anew and verifies', async () => {
  const received: Buffer[] = []
  const judge = ({ raw }: { readonly raw: Buffer }) => {
    received.push(raw)
    return received.length === 1 ? { code: 451, message: '4.7.1 greylisted' } : undefined
  }
  const { engine, project, sink } = await engineWithSink({ dkim: [RSA], delivery: { retryDelays: [0.2] } }, { judge })
  await engine.start()
  await engine.sending.send(project, { ...MAIL, body: '<p>x</p>' })
  await sink.waitFor(1)
  for (const raw of received) expect((await verify(raw, [RSA]))[0]?.status.result).toBe('pass')
  expect(received).toHaveLength(2)
})

it('a short key signs, and the log says that it is short', async () => {
  const lines: unknown[] = []
  const log = { ...silentLog, warn: (message: string, fields?: LogFields) => void lines.push([message, fields]) }
  await engineWithSink({ dkim: [RSA, SHORT], log: { ...log, with: () => log } })
  expect(lines).toEqual([
    ['a DKIM key is short: make one of 2048 bits', { domain: 'short.example', selector: 'old', bits: 1024 }],
  ])
})

it('what is wrong with a key is told before anything is opened', async () => {
  const dkim = [RSA, { ...RSA, privateKey: 'x' }]
  await expect(createEngine({ dkim })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    fields: [
      { field: 'dkim[1].privateKey', message: 'is not a PEM private key' },
      { field: 'dkim[1].selector', message: 'is taken already: rsa of example.com' },
    ],
  })
})
