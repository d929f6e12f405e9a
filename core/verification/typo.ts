import { distance } from '../values/nearest.ts'
import { PROVIDERS } from './providers.ts'

/** The probable intention of a mistyped domain. */
export interface Suggestion {
  readonly domain: string
  /** So close to one of the largest providers that it is a typo even if the domain takes mail. */
  readonly isCertain: boolean
}

interface Parts {
  readonly domain: string
  readonly name: string
  readonly ending: string
}

const KNOWN = new Set(PROVIDERS)
const TARGETS: readonly Parts[] = PROVIDERS.map(partsOf)

/** Providers whose misspellings are all registered, mostly to catch mail that goes astray. */
const SQUATTED = new Set(['gmail.com', 'yahoo.com', 'hotmail.com', 'outlook.com', 'icloud.com'])
/** Typos of `com`: endings of countries, and endings that do not exist. */
const SLIPS_OF_COM = new Set([
  'co',
  'cm',
  'om',
  'con',
  'cmo',
  'ocm',
  'vom',
  'xom',
  'cim',
  'cpm',
  'comm',
  'ccom',
  'coom',
])
/** Real domains that are one typo away from a provider. */
const OWN_NAMES = new Set(['gail.com'])

/** Rows of neighbouring keys on the usual keyboards. */
const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']

/**
 * The domain that this one (in its Unicode form) may be a typo of; undefined for a provider, and when none is close. A
 * suggestion that is not certain counts only for a domain that takes no mail, since a similar name may be a company's
 * own.
 */
export function suggestion(domain: string): Suggestion | undefined {
  if (KNOWN.has(domain)) return
  const plain = inPlainLetters(domain)
  if (plain !== domain && KNOWN.has(plain)) return { domain: plain, isCertain: true }
  const given = partsOf(domain)
  if (given.name === '' || domain.length > 40) return
  let best: Parts | undefined
  let least = Number.POSITIVE_INFINITY
  for (const target of TARGETS) {
    const steps = stepsTo(given, target)
    if (steps < least) [best, least] = [target, steps]
  }
  return best && { domain: best.domain, isCertain: isClassic(given, best) }
}

/** How many typos lead from one domain to the other; infinite when there are too many. */
function stepsTo(given: Parts, target: Parts): number {
  if (Math.abs(given.domain.length - target.domain.length) > 2) return Number.POSITIVE_INFINITY
  const name = nameSlips(given.name, target.name)
  const ending = distance(given.ending, target.ending)
  const isNear = ending === 0 || (ending === 1 && isNoEnding(given.ending, target.ending))
  return isNear ? name + ending : Number.POSITIVE_INFINITY
}

/**
 * Every word of four letters is close to another, so only swapped letters count there; of two typos none may be at the
 * beginning.
 */
function nameSlips(given: string, meant: string): number {
  const slips = distance(given, meant)
  if (slips === 0) return 0
  if (meant.length <= 4) return slips === 1 && sorted(given) === sorted(meant) ? 1 : Number.POSITIVE_INFINITY
  if (slips === 1) return 1
  return slips === 2 && meant.length >= 7 && given[0] === meant[0] ? 2 : Number.POSITIVE_INFINITY
}

function sorted(word: string): string {
  return [...word].sort().join('')
}

let countries: Intl.DisplayNames | undefined

/** The list is made when it is first asked for: that takes 30 ms, which every start would wait for. */
function isCountry(code: string): boolean {
  countries ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  return countries.of(code) !== undefined
}

/** Whether an ending may be a typo: `fr` and `gr` are both countries, whose people have their own domains. */
function isNoEnding(ending: string, meant: string): boolean {
  if (meant === 'com' && SLIPS_OF_COM.has(ending)) return true
  const last = ending.slice(ending.lastIndexOf('.') + 1)
  return !/^[a-z]{2}$/.test(last) || !isCountry(last.toUpperCase())
}

/**
 * One typo: a letter left out, doubled, swapped with its neighbour or hit beside it, never the first; or `com` cut
 * short.
 */
function isClassic(given: Parts, target: Parts): boolean {
  if (!SQUATTED.has(target.domain) || OWN_NAMES.has(given.domain)) return false
  if (given.name === target.name) return SLIPS_OF_COM.has(given.ending)
  if (given.ending !== target.ending || given.name[0] !== target.name[0]) return false
  if (distance(given.name, target.name) !== 1) return false
  if (given.name.length < target.name.length) return true
  if (given.name.length > target.name.length)
    return /(.)\1/.test(given.name) && squeezed(given.name) === squeezed(target.name)
  const wrong = [...given.name].flatMap((letter, i) =>
    letter === target.name[i] ? [] : [[letter, target.name[i] ?? '']],
  )
  return wrong.length === 2 || wrong.every(([typed, meant]) => areNeighbours(typed ?? '', meant ?? ''))
}

function squeezed(name: string): string {
  return name.replace(/(.)\1+/g, '$1')
}

function areNeighbours(a: string, b: string): boolean {
  return ROWS.some((row) => row.includes(a) && row.includes(b) && Math.abs(row.indexOf(a) - row.indexOf(b)) === 1)
}

function partsOf(domain: string): Parts {
  const dot = domain.indexOf('.')
  return { domain, name: domain.slice(0, dot), ending: domain.slice(dot + 1) }
}

/** Letters of other alphabets that look like Latin ones, as in `gmаil.com` with a Cyrillic а. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  і: 'i',
  ј: 'j',
  ѕ: 's',
  ԁ: 'd',
  һ: 'h',
  ӏ: 'l',
  ԛ: 'q',
  ԝ: 'w',
  в: 'b',
  к: 'k',
  м: 'm',
  н: 'h',
  т: 't',
  г: 'r',
  ь: 'b',
  α: 'a',
  ο: 'o',
  ν: 'v',
  ρ: 'p',
  ι: 'i',
  κ: 'k',
  υ: 'u',
  γ: 'y',
  χ: 'x',
  ε: 'e',
  τ: 't',
  ω: 'w',
  η: 'n',
  ı: 'i',
  ɡ: 'g',
  ɩ: 'i',
  ɑ: 'a',
  օ: 'o',
  ո: 'n',
  ս: 'u',
  հ: 'h',
  ց: 'g',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ħ: 'h',
}

/** The domain as it looks: without accents, and with look-alikes as Latin letters. */
function inPlainLetters(domain: string): string {
  if (/^[\x00-\x7f]*$/.test(domain)) return domain
  return [...domain.normalize('NFKD').replace(/\p{M}/gu, '')].map((letter) => LOOKALIKES[letter] ?? letter).join('')
}
