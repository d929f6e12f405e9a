import { expect, it } from 'vitest'
import { compose } from '../../server/dashboard/parts/mail-editor/compose.ts'
import { startersIn } from '../../server/dashboard/parts/starters.ts'
import { de } from '../../server/dashboard/texts/de/all.ts'
import { en } from '../../server/dashboard/texts/en/all.ts'

// SpamAssassin's HTML_IMAGE_ONLY_32 costs up to 2.2 points: fewer bytes of HTML than this, and an image, such as the pixel
it.each([en, de].flatMap(startersIn))('the letter "$key" is long enough to carry the pixel', ({ design }) => {
  expect(Buffer.byteLength(compose(design, {}))).toBeGreaterThan(3_200)
})
