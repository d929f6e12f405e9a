import fc from 'fast-check'
import { expect, it } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import type { SendInput } from '../../core/mails/send-request.ts'
import { anyText } from '../support/any-text.ts'
import { dkimKey } from '../support/dkim.ts'
import { engineWithSink } from '../support/engine.ts'

/* All mail in the sink is held to the standards when the test ends (test/support/raw-mail.ts). */

const KEYS = [dkimKey('example.com', 'a'), dkimKey('xn--mnchen-3ya.example', 'b', 'ed25519')]
const MAIL = { from: 'hello@example.com', to: 'ada@example.org', subject: 'Hi', body: '<p>Hi</p>' }
const LONG = 'x'.repeat(120)

/** Values for a header or a body that are easily put there wrongly. */
const HARD: readonly Partial<SendInput>[] = [
  { from: { email: 'büro@münchen.example'.replace('ü', 'ue'), name: 'Büro' }, to: 'ada@bücher.example' },
  { from: { email: 'hello@example.com', name: 'A. "B" \\ C, <d@e.example>' } },
  { from: { email: 'hello@example.com', name: '=?UTF-8?Q?x?=' } },
  { from: { email: 'hello@example.com', name: 'long '.repeat(40).trim() } },
  { from: { email: 'hello@example.com', name: '👩‍👩‍👧‍👦'.repeat(20) } },
  { to: { email: `${'a'.repeat(64)}@${'b.'.repeat(88)}example.org`, name: '山田 太郎' } },
  { cc: [{ email: 'cc@example.org', name: LONG }, 'd@example.org'], bcc: ['secret@example.org'] },
  { cc: ['ada@example.org', 'ada@example.org'], bcc: ['ada@example.org'] },
  { reply: 'Ünsal <reply@bücher.example>' },
  { subject: `${'ü'.repeat(500)} end` },
  { subject: LONG.repeat(8) },
  { subject: `a  b   ${'c    '.repeat(60)}` },
  { subject: '=?utf-8?B?AAA=?= [x] =?' },
  { subject: ' ' },
  { subject: '\t tab \u0001 \u007f \u2028 control' },
  { body: `<p>${LONG.repeat(20)}</p>`, text: `From me\n.\n..\n${LONG.repeat(20)} \n\t\n--\n` },
  { body: '<p>--=_a_x--</p>\r\r\n\n\r', text: '\r--x\r\n--\r' },
  { body: `<pre>${'\u0000\u0001\u007f\ufeff\ufffd'.slice(1)}</pre>`, text: '\u200b' },
  { body: ' ', text: ' ' },
  { headers: { 'Feedback-ID': 'a:b:c:mine' } },
  { headers: { 'feedback-id': 'a:b:c:mine', 'X-A': '1', 'x-a': '2' } },
  { headers: { 'Auto-Submitted': 'auto-generated', Precedence: 'bulk', 'List-Id': 'My list <mine.example.com>' } },
  { headers: { 'In-Reply-To': `<${LONG}@example.org>`, References: `<${LONG}@example.org> `.repeat(7).trim() } },
  {
    headers: {
      'List-Unsubscribe': `<https://example.com/?${LONG}>, <mailto:u@example.com?subject=${LONG}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  },
  { headers: { 'X-Umlaut': 'Größe '.repeat(100), 'X-Empty': '', 'X-Blank': ' ', 'X-Encoded': '=?x' } },
  { headers: { [`X-${'n'.repeat(74)}`]: LONG } },
  { attachments: [attachment('Größe "klein".pdf'.replaceAll('"', ''), 'application/pdf', 0)] },
  { attachments: [attachment(`${'ü'.repeat(200)}.txt`, 'text/plain; charset="utf-8"', 1)] },
  { attachments: [attachment('a;b=c,d\\e.txt', 'text/plain; charset=', 57)] },
  { attachments: [attachment('mail.eml', 'message/rfc822', 58), attachment('x', 'multipart/mixed; boundary=x', 76)] },
  { attachments: [{ ...attachment('i.png', 'image/png', 3), disposition: 'inline', contentId: 'logo%"x' }] },
  { attachments: [attachment('x', `image/png; a="${LONG}"`, 10), attachment('y', 'text/html;;', 10)] },
]

function attachment(filename: string, contentType: string, bytes: number) {
  return { filename, contentType, content: Buffer.alloc(bytes, 0xa7).toString('base64') }
}

it('whatever is put into a mail, what the next hop receives is right, and its signature holds', async () => {
  const { engine, project, sink } = await engineWithSink({
    dkim: KEYS,
    publicUrl: 'https://mail.example.net',
    feedback: { returnPathHost: 'bounces.example.net' },
    projects: [{ name: 'Größe, "AG"', trustedDomains: ['example.com', 'münchen.example'] }],
  })
  const marketing = await engine.templates.create(project, {
    ...{
      name: 'News',
      type: 'MARKETING',
      subject: '{{ t }}',
      body: '<p>{{ t }} <a href="https://x.example">x</a></p>',
    },
  })
  const text = anyText({ minLength: 1, maxLength: 200 })
  const random = fc.record({ subject: text, body: text, t: text, name: text, text, header: text })
  const sends: SendInput[] = HARD.flatMap((change) => [
    { ...MAIL, ...change },
    { ...MAIL, ...change, template: marketing.id, subscribed: true, data: { t: change.body ?? 'x' } },
  ])
  for (const { t, name, header, ...words } of fc.sample(random, { numRuns: 60, seed: 7 })) {
    sends.push({ ...MAIL, ...words, from: { email: MAIL.from, name }, headers: { 'X-Random': header }, data: { t } })
    sends.push({ ...MAIL, template: marketing.id, subject: null, body: null, subscribed: true, data: { t }, name })
  }
  await engine.start()
  const took = sends.map(async (send): Promise<number> => {
    try {
      const { answer } = await engine.sending.send(project, send)
      return answer.emails.length
    } catch (error) {
      // what cannot be sent is refused with the name of the field
      if (EngineError.is(error) && error.code === 'VALIDATION_ERROR') return 0
      throw error
    }
  })
  const taken = (await Promise.all(took)).reduce((sum, count) => sum + count, 0)
  expect(taken).toBeGreaterThan(HARD.length + 60)
  await sink.waitFor(taken)
  const { total } = await engine.mails.list(project, { status: 'DELIVERED', limit: '1' })
  expect(total).toBe(taken)
})
