import type { SearchTerm } from '../ports/store/mail-words.ts'
import { MOST_TEXT, plainWord } from './search-query.ts'

/** How many characters an excerpt has before the first word that was found, and altogether. */
const BEFORE = 60
const LENGTH = 200
/** How many places are compared. */
const MOST_PLACES = 200

/** A part of a text, and whether it is what was looked for. */
export interface ExcerptPart {
  /** The words as they were written, with single blanks. */
  readonly text: string
  /** Whether they were looked for. */
  readonly found: boolean
}

interface Place {
  readonly from: number
  readonly to: number
  /** The number of the term. */
  readonly term: number
}

/** The part of a text in which most of these terms stand together; undefined where there is none. It is text, never HTML. */
export function excerptOf(text: string, terms: readonly SearchTerm[]): readonly ExcerptPart[] | undefined {
  const whole = text.slice(0, MOST_TEXT).replace(/\s+/g, ' ')
  const places = placesIn(whole, terms)
  const best = bestOf(places)
  if (best === undefined) return undefined
  const [from, to] = [beginOf(whole, best.from), endOf(whole, best.from)]
  const parts: ExcerptPart[] = []
  let at = from
  const add = (end: number, found: boolean) => {
    if (end > at) parts.push({ text: whole.slice(at, end), found })
    at = Math.max(at, end)
  }
  for (const place of places) {
    if (place.from < at || place.from >= to) continue
    add(place.from, false)
    add(place.to, true)
  }
  add(to, false)
  const [first, last] = [parts[0], parts.at(-1)]
  if (first && from > 0) parts[0] = { ...first, text: `…${first.text}` }
  if (last && at < whole.trimEnd().length) parts[parts.length - 1] = { ...last, text: `${last.text}…` }
  return parts
}

/** Where the terms stand, in order. */
function placesIn(text: string, terms: readonly SearchTerm[]): readonly Place[] {
  const words = [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].map(({ 0: word, index }) => {
    return { plain: plainWord(word), from: index, to: index + word.length }
  })
  const places: Place[] = []
  for (let at = 0; at < words.length && places.length < MOST_PLACES; at++) {
    const term = terms.findIndex((each) => fits(each, (i) => words[at + i]?.plain))
    const [first, last] = [words[at], words[at + (terms[term]?.words.length ?? 1) - 1]]
    if (term >= 0 && first && last) places.push({ from: first.from, to: last.to, term })
  }
  return places
}

function fits({ words, isBeginning }: SearchTerm, wordAt: (i: number) => string | undefined): boolean {
  return words.every((word, i) => {
    const there = wordAt(i)
    return there === word || (isBeginning && i === words.length - 1 && there?.startsWith(word) === true)
  })
}

/** The place after which most terms stand within an excerpt; of several the first. */
function bestOf(places: readonly Place[]): Place | undefined {
  let best: Place | undefined
  let most = 0
  for (const [i, place] of places.entries()) {
    const near = new Set<number>()
    for (let j = i; j < places.length; j++) {
      const { from, term } = places[j] ?? place
      if (from - place.from > LENGTH - BEFORE) break
      near.add(term)
    }
    if (near.size > most) [best, most] = [place, near.size]
  }
  return best
}

/** Where an excerpt begins: with a sentence or with a word. */
function beginOf(text: string, found: number): number {
  const earliest = Math.max(0, found - BEFORE)
  if (earliest === 0) return 0
  const before = text.slice(earliest, found)
  const sentence = Math.max(...['. ', '! ', '? ', '。'].map((end) => before.lastIndexOf(end)))
  const blank = before.indexOf(' ')
  if (sentence >= 0) return earliest + sentence + (before[sentence] === '。' ? 1 : 2)
  return blank < 0 ? found : earliest + blank + 1
}

function endOf(text: string, found: number): number {
  const latest = found + LENGTH - BEFORE
  if (latest >= text.length) return text.trimEnd().length
  const blank = text.lastIndexOf(' ', latest)
  return blank > found ? blank : latest
}
