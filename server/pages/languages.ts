/** So many languages are looked at; a browser names a handful. */
const MOST = 20

/**
 * The languages of an `Accept-Language` field (RFC 9110, section 12.5.4), best first; those of one weight in their order,
 * those of weight 0 left out.
 */
export function acceptedLanguages(field: string | undefined): readonly string[] {
  const ranges = (field ?? '').split(',', MOST).map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2)
    return { tag, weight: weight === undefined ? 1 : Number(weight) }
  })
  const wanted = ranges.filter(({ tag, weight }) => tag !== '' && weight > 0)
  return wanted.sort((a, b) => b.weight - a.weight).map(({ tag }) => tag)
}
