import fc from 'fast-check'

/**
 * Texts of any characters there are. Those of `fc.string` with the unit `binary` are alike, but to make it, fast-check
 * builds a table of all characters each time, which takes seconds.
 */
export function anyText(limits: { readonly minLength?: number; readonly maxLength: number }): fc.Arbitrary<string> {
  return fc.array(character, limits).map((all) => all.join(''))
}

const SURROGATES = { from: 0xd8_00, count: 0x8_00 }

const character = fc
  .nat({ max: 0x10_ff_ff - SURROGATES.count })
  .map((at) => String.fromCodePoint(at < SURROGATES.from ? at : at + SURROGATES.count))
