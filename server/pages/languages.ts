/** How many languages are read at most; a browser sends a handful. */
const MAX_LANGUAGES = 20

/**
 * The languages of an `Accept-Language` field (RFC 9110, section 12.5.4), best first. Those of the same weight keep
 * their order; those of weight 0 are left out.
 */
export function acceptedLanguages(field: string | undefined): readonly string[] {
  const ranges = (field ?? '').split(',', MAX_LANGUAGES).map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2)
    return { tag, weight: weight === undefined ? 1 : Number(weight) }
  })
  const wanted = ranges.filter(({ tag, weight }) => tag !== '' && weight > 0)
  return wanted.sort((a, b) => b.weight - a.weight).map(({ tag }) => tag)
}
