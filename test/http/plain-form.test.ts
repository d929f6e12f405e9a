import { describe, expect, it } from 'vitest'
import { type FormPart, parseForm } from '../../server/http/body.ts'
import { encodedForm, plainForm } from '../../server/http/plain-form.ts'

const TYPE = 'multipart/form-data; boundary=XX'
const part = (name: string, value: string) =>
  `--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const END = '--XX--\r\n'
const sorted = (parts: readonly FormPart[]) => parts.map(({ name, value }) => [name, String(value)])

describe('forms that are read as they lie in memory', () => {
  // catches a form that the two readers take for something else: a value cut short, or a part that only one of them sees
  it.each([
    ['texts', part('to', 'ada@example.org') + part('html', '<p>ü 漢 %41 +</p>') + END],
    ['a name twice, and an empty value', part('to', 'a') + part('to', '') + END],
    ['a value with line ends and dashes', part('text', '\r\n--X\r\n--\r\n--XX\n\r\n') + END],
    ['no part', '--XX--\r\n'],
    ['no line end behind the last boundary', `${part('a', 'b')}--XX--`],
    ['a file', `--XX\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nx\r\n${END}`],
    [
      'a type of a part',
      `--XX\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: text/plain\r\n\r\nx\r\n${END}`,
    ],
    ['fields in another order', `--XX\r\nX-A: b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n${END}`],
    ['a quoted sign in a name', `--XX\r\nContent-Disposition: form-data; name="a\\"b"\r\n\r\nx\r\n${END}`],
    ['a percent sign in a name', part('a%22b', 'x') + END],
    ['a preamble', `before\r\n${part('a', 'b')}${END}`],
    ['an epilogue', `${part('a', 'b')}${END}behind`],
    [
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from(part('a', 'x').slice(0, -2)), Buffer.from([0xff, 13, 10]), Buffer.from(END)]),
    ],
  ])('have the parts that the parser of streams finds: %s', async (_what, form) => {
    const bytes = Buffer.from(form)
    const parsed = await parseForm(bytes, TYPE)
    const plain = plainForm(bytes, TYPE, 100)
    expect(sorted(plain ?? parsed)).toEqual(sorted(parsed))
  })

  it('are those that clients write, and no others', () => {
    const read = (form: string, type = TYPE, most = 2) => plainForm(Buffer.from(form), type, most)
    expect(read(part('a', 'b') + part('c', 'd') + END)).toHaveLength(2)
    expect(read(part('a', 'b') + END, 'multipart/form-data;boundary="XX"')).toHaveLength(1)
    for (const other of [
      part('a', 'b'),
      part('a', 'b').repeat(3) + END,
      `x${part('a', 'b')}${END}`,
      `${part('a', 'b')}--XXY`,
    ])
      expect(read(other)).toBeUndefined()
    expect(read(part('a', 'x'.repeat(70_000)) + END)).toBeUndefined()
    expect(read(part('a', 'b') + END, 'multipart/form-data')).toBeUndefined()
  })

  // catches a file that is taken from the wrong place in its form: its first piece may be in memory of the parser
  it.each(['\r', '\r\n', '\r\n--X', 'ab\r\n--Xa'])('have the bytes of each file, full of %j', async (word) => {
    const head = (i: number) => `--XX\r\nContent-Disposition: form-data; name="${i}"; filename="a.txt"\r\n\r\n`
    for (let before = 0; before < 8; before++) {
      // the second file begins so many bytes before the end of a piece
      const first = 'x'.repeat(65_536 - before - 2 - 2 * head(0).length)
      const files = [first, word.repeat(30_000), '', word]
      const form = files.map((file, i) => `${head(i)}${file}\r\n`).join('') + END
      const parts = await parseForm(Buffer.from(form), TYPE)
      const found = new Map(parts.map(({ name, value }) => [name, String(value)]))
      for (const [i, file] of files.entries()) expect(found.get(String(i)) === file, `file ${i}`).toBe(true)
    }
  })

  it('are refused with more parts than may be', () => {
    expect(encodedForm(Buffer.from('a=b&a=b'), 2)).toHaveLength(2)
    expect(encodedForm(Buffer.from('a=b&a=b&a'), 2)).toBeUndefined()
  })

  it.each([
    'a=b&a=c&&d',
    '&',
    'a',
    'a=%4&b=%',
    'a=%f0%9f%98%80',
    'a=%ED%A0%80&b=%F0%9F',
    'a=b=c&=x&%61+%C3%BC=1+1%2B',
    'a=100%&b=%zz',
    'a=%FF&b=%C3',
    'a=%EF%BB%BFb',
    'ü=漢',
    '',
  ])('are read as a query is: %s', (text) => {
    expect(encodedForm(Buffer.from(text), 100)).toEqual(
      [...new URLSearchParams(text)].map(([name, value]) => ({ name, value })),
    )
  })
})
