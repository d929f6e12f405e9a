import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import type { Question, Side } from './both-changed.tsx'
import { type Current, type Form, type FormOptions, useForm } from './form.tsx'
import { useFormats } from './formats.ts'
import { linesOf } from './html-lines.ts'
import { type Group, isSame, type Merge, threeWay } from './three-way.ts'

/** A record as it was seen: what the form shows of it, and its version. */
export interface Seen<Values, Version = number> {
  readonly values: Values
  readonly version: Version
  /** The values that the form and this record both began from, where those are not the values saved last. */
  readonly base?: Values
}

export interface SharedFormOptions<Values, Data, Version = number>
  extends Omit<FormOptions<Values, Data>, 'initial' | 'save' | 'merge'> {
  /** The record as the page has it; a newer one is taken into the form. */
  readonly seen: Seen<Values, Version>
  /** Sends what differs from `before`, the values that were saved last, as a change of that version. */
  readonly save: (values: Values, before: Seen<Values, Version>) => Promise<Data>
  /** The record after it was saved. */
  readonly seenAfter: (data: Data, before: Seen<Values, Version>) => Seen<Values, Version>
  /** Asks for the record as it is now, after another was quicker than a change of `known`. */
  readonly read: (known: Seen<Values, Version>) => Promise<Seen<Values, Version>>
  /** Whether one version came after another. Default: whether it is greater. */
  readonly isLater?: (version: Version, known: Version) => boolean
  /** Fields that are one thing. */
  readonly together?: readonly Group<Values>[]
  /** The labels of the fields, by the first of those that are one thing. */
  readonly labels: { readonly [Name in keyof Values]?: string }
  /** How a value is shown in the question, where that is not its text. */
  readonly show?: { readonly [Name in keyof Values]?: (value: Values[Name]) => ReactNode }
}

/** A form that others may fill in, too. */
export interface SharedForm<Values, Version> extends Form<Values> {
  /**
   * Does something with the version that the form began from, such as publishing it. Where others changed other fields, theirs
   * are taken in and saved, and it is tried again; undefined when they changed the same ones, which the form asks about.
   */
  act<Done>(work: (version: Version) => Promise<Done>): Promise<Done | undefined>
  /** Takes a record as the one that is known, when something else than saving made it. */
  know(seen: Seen<Values, Version>): void
}

/** The changes of others meanwhile, until it is decided. */
interface Meanwhile<Values, Version> {
  readonly now: Seen<Values, Version>
  readonly disputed: readonly Group<Values>[]
  readonly chosen: ReadonlyMap<keyof Values, Side>
}

/**
 * The form of a record that others may edit at the same time. It sends the version that it began from. Where others changed
 * other fields, it takes theirs, keeps the own and saves again; where both changed one field, it asks.
 */
export function useSharedForm<Values extends object, Data, Version = number>({
  seen,
  save,
  seenAfter,
  read,
  isLater = (version, before) => version > before,
  together = [],
  labels,
  show = {},
  ...options
}: SharedFormOptions<Values, Data, Version>): SharedForm<Values, Version> {
  const t = useTexts()
  const formats = useFormats()
  const known = useRef(seen)
  const [meanwhile, setMeanwhile] = useState<Meanwhile<Values, Version> | undefined>()
  const mergeWith = (
    { values: theirs, base }: Seen<Values, Version>,
    { values: mine, saved }: Current<Values>,
  ): Merge<Values> => threeWay({ mine, theirs, saved: base ?? saved, known: base ?? known.current.values }, together)
  /** The values taken of others after a refusal; undefined when it is another refusal, or is asked about. */
  const takenAfter = async (error: unknown, current: () => Current<Values>) => {
    if (!isOvertaken(error)) return undefined
    const now = await read(known.current)
    const { taken, disputed } = mergeWith(now, current())
    if (disputed.length > 0) {
      setMeanwhile({ now, disputed, chosen: new Map() })
      return undefined
    }
    known.current = now
    return { taken, isSaved: now.base === undefined }
  }
  const form = useForm<Values, Data>({
    ...options,
    initial: seen.values,
    async save(values, saved) {
      const data = await save(values, { values: saved, version: known.current.version })
      known.current = seenAfter(data, known.current)
      setMeanwhile(undefined)
      return data
    },
    merge: async (error, current) => (await takenAfter(error, current))?.taken,
  })
  const latest = useRef(seen)
  latest.current = seen
  const { inTurn } = form
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer record is taken in once
  useEffect(() => {
    inTurn((current) => {
      const now = latest.current
      if (!isLater(now.version, known.current.version)) return {}
      const { taken, disputed } = mergeWith(now, current)
      // saving finds out, and asks
      if (disputed.length > 0) return {}
      known.current = now
      return taken
    })
  }, [JSON.stringify(seen.version)])

  const act = async <Done,>(work: (version: Version) => Promise<Done>, tries = ACTS): Promise<Done | undefined> => {
    try {
      return await work(known.current.version)
    } catch (error) {
      if (!isOvertaken(error) || tries === 0) throw error
      const found = await takenAfter(error, form.current)
      if (found === undefined) return undefined
      form.takeIn(found.taken, found.isSaved)
      const refused = await form.saveQuietly()
      if (refused !== undefined) throw refused
      return act(work, tries - 1)
    }
  }
  const decide = ({ now, chosen, disputed }: Meanwhile<Values, Version>) => {
    const taken: Partial<Values> = { ...mergeWith(now, form).taken }
    for (const group of disputed) {
      for (const name of group) {
        if (chosen.get(group[0] as keyof Values) === 'theirs') taken[name] = now.values[name]
        else delete taken[name]
      }
    }
    known.current = now
    setMeanwhile(undefined)
    const isSaved = now.base === undefined
    form.takeIn(taken, isSaved)
    if (!isSame({ ...form.values, ...taken }, isSaved ? { ...form.saved, ...taken } : form.saved)) void form.submit()
  }
  const question: Question | undefined = meanwhile && {
    fields: meanwhile.disputed.map((group) => {
      const name = group[0] as keyof Values
      const shown = (values: Values) => show[name]?.(values[name]) ?? wordsOfValue(values[name], t, formats)
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
  return {
    ...form,
    question,
    act,
    know(record) {
      known.current = record
    },
  }
}

/** How often something is done anew with what others changed meanwhile. */
const ACTS = 5

/** Whether it was refused since another was quicker. */
function isOvertaken(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  // drafts have revisions beside versions
  return error.code === 'VERSION_CONFLICT' || error.fields.some(({ field }) => field === 'revision')
}

/** A value as people read it: HTML as its words, lists and objects line by line. */
function wordsOfValue(value: unknown, t: Texts, formats: Pick<ReturnType<typeof useFormats>, 'plain'>): string {
  if (typeof value === 'boolean') return value ? t.anywhere.yes : t.anywhere.no
  if (typeof value === 'string') return /<\w/.test(value) ? wordsOfHtml(value) : value
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map((each) => wordsOfValue(each, t, formats)).join('\n')
  if (typeof value === 'number') return formats.plain(value)
  if (typeof value !== 'object') return String(value)
  const lines = Object.entries(value).map(([name, inner]) => [name, wordsOfValue(inner, t, formats)] as const)
  return lines.flatMap(([name, words]) => (words === '' ? [] : [`${name}: ${words}`])).join('\n')
}

function wordsOfHtml(html: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const hidden of page.querySelectorAll('style, script')) hidden.remove()
  return linesOf(page.body).replace(/\n+/g, '\n')
}
