import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dotStuffed } from '../../plugins/kit/smtp-client/message-writer.ts'
import { type Reply, ReplyError, ReplyReader, refusalOf, sentence } from '../../plugins/kit/smtp-client/reply.ts'

function read(...chunks: readonly (string | Buffer)[]): Reply[] {
  const reader = new ReplyReader((text) => text)
  const replies: Reply[] = []
  for (const chunk of chunks) {
    reader.feed(Buffer.from(chunk))
    for (let reply = reader.next(); reply; reply = reader.next()) replies.push(reply)
  }
  return replies
}

describe('the replies of a server', () => {
  it.each<[string, string, Reply[]]>([
    ['one line', '250 Ok\r\n', [{ code: 250, text: 'Ok' }]],
    ['a bare code', '354\r\n', [{ code: 354, text: '' }]],
    ['a code and a space', '250 \r\n', [{ code: 250, text: '' }]],
    ['several lines', '250-a\r\n250-b\r\n250 c\r\n', [{ code: 250, text: 'a\nb\nc' }]],
    ['an empty line among several', '250-a\r\n250-\r\n250 c\r\n', [{ code: 250, text: 'a\n\nc' }]],
    ['a last line without text', '250-a\r\n250\r\n', [{ code: 250, text: 'a\n' }]],
    [
      'several replies at once',
      '250 a\r\n550 5.1.1 b\r\n354 c\r\n',
      [
        { code: 250, text: 'a' },
        { code: 550, text: '5.1.1 b' },
        { code: 354, text: 'c' },
      ],
    ],
    ['a line that ends with LF alone', '250 Ok\n', [{ code: 250, text: 'Ok' }]],
    ['UTF-8', '550 кто это?\r\n', [{ code: 550, text: 'кто это?' }]],
  ])('are read: %s', (_what, said, replies) => {
    expect(read(said)).toEqual(replies)
  })

  it('are read octet for octet when they are not UTF-8', () => {
    expect(read(Buffer.from('550 gr\xfc\xdfe\r\n', 'latin1'))).toEqual([{ code: 550, text: 'gr\xfc\xdfe' }])
  })

  it('are the same wherever the packets are split', () => {
    const line = fc.stringMatching(/^[ -~äß€]{0,20}$/)
    const reply = fc.record({ code: fc.integer({ min: 200, max: 599 }), lines: fc.array(line, { minLength: 1 }) })
    fc.assert(
      fc.property(fc.array(reply), fc.array(fc.nat(200)), (replies, cuts) => {
        const said = Buffer.from(
          replies
            .flatMap(({ code, lines }) =>
              lines.map((text, i) => `${code}${i + 1 < lines.length ? '-' : ' '}${text}\r\n`),
            )
            .join(''),
        )
        const at = [...new Set([0, ...cuts.map((cut) => Math.min(cut, said.length)), said.length])].sort(
          (a, b) => a - b,
        )
        const chunks = at.slice(1).map((end, i) => said.subarray(at[i], end))
        expect(read(...chunks)).toEqual(replies.map(({ code, lines }) => ({ code, text: lines.join('\n') })))
      }),
    )
  })

  it('are not complete before the last octet', () => {
    const reader = new ReplyReader((text) => text)
    for (const octet of '250-first\r\n250 last\r') {
      reader.feed(Buffer.from(octet))
      expect(reader.next()).toBeUndefined()
      expect(reader.empty).toBe(false)
    }
    reader.feed(Buffer.from('\n'))
    expect(reader.next()).toEqual({ code: 250, text: 'first\nlast' })
    expect(reader.empty).toBe(true)
  })

  it.each([
    ['text', 'hello\r\n'],
    ['an empty line', '\r\n'],
    ['a code out of range', '650 no\r\n'],
    ['a code of two digits', '25 no\r\n'],
    ['a code of four digits', '2500 no\r\n'],
    ['a code with something odd behind it', '250_no\r\n'],
    ['another code within a reply', '250-a\r\n251 b\r\n'],
    ['HTTP', 'HTTP/1.1 400 Bad Request\r\n'],
  ])('are refused when they are none: %s', (_what, said) => {
    expect(() => read(said)).toThrow(ReplyError)
  })

  it.each([
    ['a line without end', Array.from({ length: 40 }, () => 'x'.repeat(1000))],
    ['lines without end', Array.from({ length: 4000 }, () => '250-and more\r\n')],
  ])('are refused when they are too long: %s', (_what, chunks) => {
    expect(() => read('250-', ...chunks)).toThrow(ReplyError)
  })

  it.each<[string, Reply, object]>([
    [
      'an enhanced code',
      { code: 550, text: '5.1.1 No such user' },
      { permanent: true, code: 550, enhancedCode: '5.1.1', reason: 'No such user' },
    ],
    [
      'an enhanced code on every line',
      { code: 452, text: '4.2.2 The mailbox\n4.2.2 is full' },
      { permanent: false, code: 452, enhancedCode: '4.2.2', reason: 'The mailbox is full' },
    ],
    ['no enhanced code', { code: 550, text: 'Go away' }, { permanent: true, code: 550, reason: 'Go away' }],
    ['no text', { code: 554, text: '' }, { permanent: true, code: 554, reason: 'The server answered 554' }],
    ['a number that is no code', { code: 450, text: '4.2 wait' }, { permanent: false, code: 450, reason: '4.2 wait' }],
  ])('say as a refusal what went wrong: %s', (_what, reply, refusal) => {
    expect(refusalOf('rcpt', reply)).toEqual({ stage: 'rcpt', ...refusal })
  })

  it('are told on one line', () => {
    expect(sentence({ code: 250, text: '2.0.0 Ok\nqueued' })).toBe('250 2.0.0 Ok queued')
    expect(sentence({ code: 250, text: '' })).toBe('250')
  })
})

describe('dot-stuffing', () => {
  it.each([
    ['.\r\n', '..\r\n'],
    ['..\r\n', '...\r\n'],
    ['a\r\n.\r\nb\r\n', 'a\r\n..\r\nb\r\n'],
    ['.a\r\n.b\r\n.', '..a\r\n..b\r\n..'],
    ['a\r\n\r\n.', 'a\r\n\r\n..'],
    ['a.\r\n b.c\r\n', 'a.\r\n b.c\r\n'],
    ['', ''],
  ])('makes %j into %j', (message, stuffed) => {
    expect(dotStuffed(Buffer.from(message)).toString()).toBe(stuffed)
  })

  it('does not copy what needs no dots', () => {
    const message = Buffer.from('Subject: a.b\r\n\r\nno dots.\r\n')
    expect(dotStuffed(message)).toBe(message)
  })

  it('is undone by taking one dot from each line that begins with one', () => {
    const message = fc.array(fc.constantFrom('.', '\r\n', 'a', '..', '\r\n.')).map((parts) => parts.join(''))
    fc.assert(
      fc.property(message, (text) => {
        const stuffed = dotStuffed(Buffer.from(text)).toString()
        expect(stuffed.replace(/(^|\r\n)\./g, '$1')).toBe(text)
        expect(`\r\n${stuffed}\r\n`).not.toContain('\r\n.\r\n')
      }),
    )
  })
})
