import { expect, it } from 'vitest'
import { digestInTurns, digestOf } from '../../core/values/digest.ts'
import { decodeInTurns, encodeInTurns } from '../../core/values/long-text.ts'

/** Some pieces long; shifted by a few bytes, so that pieces end at every place within a character. */
const TEXTS = ['', 'a', 'ab', 'abc'].map((start) => `${start}${'😀'.repeat(200_000)}é${'漢'.repeat(300_000)}`)

it('encodes and decodes long texts as Buffer does, wherever a piece ends', async () => {
  for (const text of [...TEXTS, '', 'short', '\ufeffwith a byte order mark']) {
    const bytes = await encodeInTurns(text)
    expect(Buffer.compare(bytes, Buffer.from(text))).toBe(0)
    expect((await decodeInTurns(bytes)) === text).toBe(true)
    expect(await digestInTurns(text)).toBe(digestOf(text))
  }
})
