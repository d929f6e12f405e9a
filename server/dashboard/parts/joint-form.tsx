import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import type { Question, Side } from './both-changed.tsx'
import { type Form, type FormOptions, useForm } from './form.tsx'
import { type Group, isSame, type Merge, threeWay } from './three-way.ts'

/** A record as it was seen: what the form shows of it, and its version. */
export interface Seen<Values> {
  readonly values: Values
  readonly version: number
}

export interface SharedFormOptions<Values, Data> extends Omit<FormOptions<Values, Data>, 'initial' | 'save' | 'merge'> {
  /** The record as the page has it; a newer one is taken into the form. */
  readonly seen: Seen<Values>
  /** Sends what differs from `before`, the values that were saved last, as a change of that version. */
  readonly save: (values: Values, before: Seen<Values>) => Promise<Data>
  /** The record after it was saved. */
  readonly seenAfter: (data: Data, before: Seen<Values>) => Seen<Values>
  /** Asks for the record as it is now. */
  readonly read: () => Promise<Seen<Values>>
  /** Fields that are one thing. */
  readonly together?: readonly Group<Values>[]
  /** The labels of the fields, by the first of those that are one thing. */
  readonly labels: { readonly [Name in keyof Values]?: string }
  /** How a value is shown in the question, where that is not its text. */
  readonly show?: { readonly [Name in keyof Values]?: (value: Values[Name]) => ReactNode }
}

/** The changes of others meanwhile, until it is decided. */
interface Meanwhile<Values> {
  readonly now: Seen<Values>
  readonly disputed: readonly Group<Values>[]
  readonly chosen: ReadonlyMap<keyof Values, Side>
}

/**
 * The form of a record that others may edit at the same time. It sends the version that it began from. Where others changed
 * other fields, it takes theirs, keeps the own and saves again; where both changed one field, it asks.
 */
export function useSharedForm<Values extends object, Data>({
  seen,
  save,
  seenAfter,
  read,
  together = [],
  labels,
  show = {},
  ...options
}: SharedFormOptions<Values, Data>): Form<Values> {
  const t = useTexts()
  const known = useRef(seen)
  const [meanwhile, setMeanwhile] = useState<Meanwhile<Values> | undefined>()
  const mergeWith = (
    now: Seen<Values>,
    { values: mine, saved }: Pick<Form<Values>, 'values' | 'saved'>,
  ): Merge<Values> => threeWay({ mine, saved, theirs: now.values, known: known.current.values }, together)
  const form = useForm<Values, Data>({
    ...options,
    initial: seen.values,
    async save(values, saved) {
      const data = await save(values, { values: saved, version: known.current.version })
      known.current = seenAfter(data, known.current)
      setMeanwhile(undefined)
      return data
    },
    async merge(error, current) {
      if (!(error instanceof ApiError) || error.code !== 'VERSION_CONFLICT') return undefined
      const now = await read()
      const { taken, disputed } = mergeWith(now, current())
      if (disputed.length > 0) {
        setMeanwhile({ now, disputed, chosen: new Map() })
        return undefined
      }
      known.current = now
      return taken
    },
  })
  const latest = useRef(seen)
  latest.current = seen
  const { inTurn } = form
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer record is taken in once
  useEffect(() => {
    inTurn((current) => {
      const now = latest.current
      if (now.version <= known.current.version) return {}
      const { taken, disputed } = mergeWith(now, current)
      // saving finds out, and asks
      if (disputed.length > 0) return {}
      known.current = now
      return taken
    })
  }, [seen.version])

  const decide = ({ now, chosen, disputed }: Meanwhile<Values>) => {
    const taken: Partial<Values> = { ...mergeWith(now, form).taken }
    for (const group of disputed) {
      for (const name of group) {
        if (chosen.get(group[0] as keyof Values) === 'theirs') taken[name] = now.values[name]
        else delete taken[name]
      }
    }
    known.current = now
    setMeanwhile(undefined)
    form.takeIn(taken)
    if (!isSame({ ...form.values, ...taken }, { ...form.saved, ...taken })) void form.submit()
  }
  const question: Question | undefined = meanwhile && {
    fields: meanwhile.disputed.map((group) => {
      const name = group[0] as keyof Values
      const shown = (values: Values) => show[name]?.(values[name]) ?? wordsOfValue(values[name], t)
      return {
        name: String(name),
        label: labels[name] ?? String(name),
        mine: shown(form.values),
        theirs: shown(meanwhile.now.values),
        chosen: meanwhile.chosen.get(name),
        choose(side) {
          const next = { ...meanwhile, chosen: new Map(meanwhile.chosen).set(name, side) }
          if (next.chosen.size === next.disputed.length) decide(next)
          else setMeanwhile(next)
        },
      }
    }),
  }
  return { ...form, question }
}

/** A value as people read it: HTML as its words, lists and objects line by line. */
function wordsOfValue(value: unknown, t: Texts): string {
  if (typeof value === 'boolean') return value ? t.anywhere.yes : t.anywhere.no
  if (typeof value === 'string') return /<\w/.test(value) ? wordsOfHtml(value) : value
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map((each) => wordsOfValue(each, t)).join('\n')
  if (typeof value !== 'object') return String(value)
  const lines = Object.entries(value).map(([name, inner]) => [name, wordsOfValue(inner, t)] as const)
  return lines.flatMap(([name, words]) => (words === '' ? [] : [`${name}: ${words}`])).join('\n')
}

function wordsOfHtml(html: string): string {
  const page = new DOMParser().parseFromString(
    html.replace(/<\/(?:p|h\d|div|li|tr)>|<br\s*\/?>/gi, '$&\n'),
    'text/html',
  )
  for (const hidden of page.querySelectorAll('style, script, title')) hidden.remove()
  return (page.body.textContent ?? '')
    .replace(/[ \t]+/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
    .trim()
}
