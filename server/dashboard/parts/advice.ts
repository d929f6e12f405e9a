import type { components } from '../api/client.ts'
import { useTexts } from '../texts/texts.tsx'
import { useFormats } from './formats.ts'

type AdviceCode = components['schemas']['AdviceCode']

/**
 * Answers a function that says in the reader's language what a text of the API says, by the codes beside it: the text
 * itself where there are none, or one has no words.
 */
export function useAdvice() {
  const t = useTexts()
  const formats = useFormats()
  const shown = (value: string | number) => {
    if (typeof value === 'number') return formats.number(value)
    if (/^\d{4}-\d\d-\d\d$/.test(value)) return formats.date(value)
    return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? formats.time(value) : value
  }
  const said = ({ code, params }: AdviceCode) =>
    t.advice[code]?.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = params[name]
      if (value === undefined) return whole
      return name === 'reason' ? t.reasons(String(value)) : shown(value)
    })
  return (text: string, codes: readonly AdviceCode[] = []): string => {
    const sentences = codes.map(said)
    return sentences.length === 0 || sentences.includes(undefined) ? text : sentences.join(' ')
  }
}
