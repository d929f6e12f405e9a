import { Alert, Button, Fieldset, Group, Stack, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { type FormEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { type Effects, useEffects } from '../api/effects.ts'
import { useFirstTexts } from '../texts/texts.tsx'
import { BothChanged, type Question } from './both-changed.tsx'
import classes from './form.module.css'
import { useNotices } from './notices.ts'
import { hasAdvice, Suggestion, wordsOf, wordsOfField } from './refusals.tsx'
import { useUnsavedGuard } from './unsaved.tsx'

/** A form: its values, what the API said of each field, and whether something is unsaved. */
export interface Form<Values> {
  readonly values: Values
  /** The values as they were saved last. */
  readonly saved: Values
  readonly isChanged: boolean
  readonly isBusy: boolean
  readonly error: Error | undefined
  set<Name extends keyof Values>(name: Name, value: Values[Name]): void
  setAll(values: Partial<Values>): void
  /** Takes values as saved ones. */
  reset(values: Values): void
  /** Takes these values of others, by default as saved ones, and leaves all else as it was typed. */
  takeIn(values: Partial<Values>, areSaved?: boolean): void
  /** How often a field was taken from others: the key of an editor that has the text itself. */
  takenOf(name: keyof Values): number
  /** The values at this moment, also between two renderings. */
  current(): Current<Values>
  /** The same as `takeIn`, once nothing is being saved. */
  inTurn(work: (current: Current<Values>) => Partial<Values>): void
  /** Fields that others and this page have changed to different values; no more is saved until it is answered. */
  readonly question: Question | undefined
  /** The props of a text field: `<TextInput label="…" {...form.text('name')} />`. */
  text<Name extends keyof Values>(
    name: Name,
  ): { value: string; onChange: (event: { currentTarget: { value: string } }) => void; error: ReactNode; name: string }
  /** The props of a checkbox or switch. */
  check<Name extends keyof Values>(
    name: Name,
  ): { checked: boolean; onChange: (event: { currentTarget: { checked: boolean } }) => void; error: ReactNode }
  /** The props of a field that gives its value itself, such as a select or a number. */
  field<Name extends keyof Values>(
    name: Name,
  ): { value: Values[Name]; onChange: (value: Values[Name]) => void; error: ReactNode }
  /** The API's problem with a field: its dotted path begins with this name. */
  errorOf(name: string): string | undefined
  submit(): Promise<boolean>
  /** Saves what changed without a word beside the fields; answers what was refused. */
  saveQuietly(): Promise<Error | undefined>
  /** Shows a refusal that came by another way than saving; undefined: none any more. */
  refuse(error: Error | undefined): void
}

/** The values in a form, and those saved last. */
export type Current<Values> = Pick<Form<Values>, 'values' | 'saved'>

export interface FormOptions<Values, Data> extends Partial<Effects<Data, Values>> {
  readonly initial: Values
  /** Sends the values; `saved` are those sent before. What it throws is shown beside the fields it names. */
  readonly save: (values: Values, saved: Values) => Promise<Data>
  /** Asks before it is sent by the button, and answers whether to go on. */
  readonly agree?: (values: Values) => Promise<boolean>
  /**
   * The changes of others to take after a refusal, so that saving is tried again; undefined: none, it stays refused.
   */
  readonly merge?: (error: unknown, current: () => Current<Values>) => Promise<Partial<Values> | undefined>
  /** `quiet`: it was saved automatically, and the user expects no message. */
  readonly onSaved?: (data: Data, quiet: boolean) => void
  /** The form's name of a field of the API, where they differ. */
  readonly names?: Readonly<Record<string, keyof Values & string>>
  /** True for a form that is saved by itself, see `useAutosave`: leaving its page saves it, too. */
  readonly autosave?: boolean
  /** True while there is no record yet: submitting makes it, also of values that nothing was changed of. */
  readonly isNew?: () => boolean
  /** True for a form above the tabs of its page: another tab asks nothing, since what was typed stays. */
  readonly outlives?: boolean
  /** False for forms that may be left at any time, such as a search. Default true. */
  readonly guard?: boolean
}

/** The field of the form that a refusal is about: `mtaSts.mx.0` is about the one that `mtaSts.mx` names, or else its root. */
function ownerOf(field: string, names: Readonly<Record<string, string>>): string {
  const parts = field.split('.')
  const above = parts.map((_, at) => parts.slice(0, parts.length - at).join('.'))
  return above.map((each) => names[each]).find((found) => found !== undefined) ?? parts[0] ?? field
}

/** The codes of problems that a text has by itself. */
const OF_TEXT: ReadonlySet<string> = new Set(['invalid_string', 'invalid_type', 'too_small'])
const MISSING = { code: 'required', message: 'is required' } as const

/** A form that is not wanted any more once it is saved closes within this time. */
const CLOSES_MS = 2000

/** How often saving is tried again with what others changed meanwhile. */
const MERGES = 5

/** A form over an endpoint: values, refusals beside their fields, Ctrl+S, and a question before unsaved input is left. */
export function useForm<Values extends object, Data = unknown>({
  initial,
  save,
  agree,
  merge,
  onSaved,
  names = {},
  guard = true,
  autosave = false,
  isNew = () => false,
  outlives = false,
  ...effects
}: FormOptions<Values, Data>): Form<Values> {
  const t = useFirstTexts()
  const { report, renew } = useEffects({ changes: [], ...effects })
  const [saved, setSaved] = useState(initial)
  const [values, setValues] = useState(initial)
  const [refusal, setRefusal] = useState<{ readonly error: Error; readonly sent: Values } | undefined>()
  const error = refusal?.error
  const [isBusy, setBusy] = useState(false)
  const latest = useRef(values)
  latest.current = values
  const setError = (refused: Error | undefined) => setRefusal(refused && { error: refused, sent: latest.current })
  const isChanged = useMemo(() => JSON.stringify(values) !== JSON.stringify(saved), [values, saved])
  const stored = useRef(initial)
  const [takes, setTakes] = useState<ReadonlyMap<keyof Values, number>>(new Map())
  const takeIn = (taken: Partial<Values>, areSaved = true) => {
    latest.current = { ...latest.current, ...taken }
    setValues((before) => ({ ...before, ...taken }))
    if (areSaved) {
      stored.current = { ...stored.current, ...taken }
      setSaved((before) => ({ ...before, ...taken }))
    }
    const names = Object.keys(taken) as (keyof Values)[]
    setTakes((before) => new Map([...before, ...names.map((name) => [name, (before.get(name) ?? 0) + 1] as const)]))
  }
  const current = () => ({ values: latest.current, saved: stored.current })
  /** Where others were quicker, with what is taken of theirs. */
  const saveMerged = async (tries = MERGES): Promise<{ readonly sent: Values; readonly data: Data }> => {
    const sent = latest.current
    try {
      return { sent, data: await save(sent, stored.current) }
    } catch (thrown) {
      const taken = tries > 0 ? await merge?.(thrown, current) : undefined
      if (taken === undefined) throw thrown
      takeIn(taken)
      return saveMerged(tries - 1)
    }
  }
  const notices = useNotices()
  /** When a save by the button was answered that lacks what was typed meanwhile. */
  const outrunAt = useRef<number | undefined>(undefined)
  /** Says so where the form closes on it; a form that stays shows it as unsaved. */
  const tellLost = useRef(() => {})
  tellLost.current = () => {
    if (outrunAt.current !== undefined && performance.now() - outrunAt.current < CLOSES_MS)
      notices.done(t.anywhere.outrun)
    outrunAt.current = undefined
  }
  useEffect(() => () => tellLost.current(), [])
  const turn = useRef<Promise<unknown>>(Promise.resolve())
  /** One after the other, so that what was typed later never arrives first. */
  const store = (quiet: boolean): Promise<void> => {
    const saving = turn.current.then(async () => {
      if (autosave && !isNew() && JSON.stringify(latest.current) === JSON.stringify(stored.current)) return
      const { sent, data } = await saveMerged().catch((thrown) => {
        // changed in another tab or by another user, which the page shows then; what is gone stays, with what was typed
        if (thrown instanceof ApiError && thrown.status === 409) void renew()
        throw thrown
      })
      stored.current = sent
      setSaved(sent)
      setError(undefined)
      const isOutrun = !quiet && JSON.stringify(latest.current) !== JSON.stringify(sent)
      outrunAt.current = isOutrun ? performance.now() : undefined
      if (!quiet) report(data, sent)
      onSaved?.(data, quiet)
      void renew()
    })
    turn.current = saving.catch(() => {})
    return saving
  }
  const saveQuietly = async () => {
    try {
      await store(true)
      return undefined
    } catch (thrown) {
      return thrown as Error
    }
  }
  const saveAndLeave = async () => {
    const refused = await saveQuietly()
    // a user who stays sees why
    setError(refused)
    return refused === undefined
  }
  useUnsavedGuard(guard && isChanged && !isBusy, autosave ? saveAndLeave : undefined, outlives)

  const errorOf = (name: string) => {
    if (!(error instanceof ApiError)) return undefined
    const found = error.fields.find(({ field }) => {
      return field === name || ownerOf(field, names) === name
    })
    if (found === undefined) return undefined
    const sent: unknown = Reflect.get(refusal?.sent ?? {}, name)
    // an empty text or list is missing, whatever else it is not
    const isEmpty = Array.isArray(sent) ? sent.length === 0 : typeof sent === 'string' && sent.trim() === ''
    const isMissing = OF_TEXT.has(found.code) && isEmpty
    return sentence(wordsOfField(isMissing ? MISSING : found, t))
  }
  const setAll = useCallback((changed: Partial<Values>) => {
    setValues((before) => ({ ...before, ...changed }))
  }, [])
  const set = useCallback<Form<Values>['set']>((name, value) => {
    setValues((before) => ({ ...before, [name]: value }))
  }, [])
  const submit = async () => {
    if (agree && !(await agree(latest.current))) return false
    setBusy(true)
    setError(undefined)
    try {
      await store(false)
      return true
    } catch (thrown) {
      setError(thrown as Error)
      return false
    } finally {
      setBusy(false)
    }
  }
  return {
    values,
    saved,
    question: undefined,
    isChanged,
    isBusy,
    error,
    set,
    setAll,
    takeIn,
    current,
    takenOf: (name) => takes.get(name) ?? 0,
    inTurn(work) {
      turn.current = turn.current.then(() => takeIn(work(current())))
    },
    reset(fresh) {
      tellLost.current()
      stored.current = fresh
      setSaved(fresh)
      setValues(fresh)
      setError(undefined)
    },
    text: (name) => ({
      value: String(values[name] ?? ''),
      onChange: ({ currentTarget }) => set(name, currentTarget.value as Values[typeof name]),
      error: errorOf(String(name)),
      name: String(name),
    }),
    check: (name) => ({
      checked: values[name] === true,
      onChange: ({ currentTarget }) => set(name, currentTarget.checked as Values[typeof name]),
      error: errorOf(String(name)),
    }),
    field: (name) => ({
      value: values[name],
      onChange: (value) => set(name, value),
      error: errorOf(String(name)),
    }),
    errorOf,
    submit,
    saveQuietly,
    refuse: setError,
  }
}

export interface FormBoxProps<Values> {
  readonly form: Form<Values>
  readonly children: ReactNode
  /** The label of the button. Default "Save". */
  readonly submit?: string
  /** True where there is something to send before anything was changed. */
  readonly always?: boolean
  readonly onCancel?: () => void
  /** True for users who may only read it: nothing can be typed, and there is no button. */
  readonly readOnly?: boolean
  readonly beside?: ReactNode
  /** The buttons instead of the usual one, where saving is not what the page is about. */
  readonly actions?: ReactNode
  /** True for a form longer than the screen: the button and what was refused stay in view. */
  readonly isLong?: boolean
  /** Names of fields whose refusals are shown beside them; all others are listed above the button. */
  readonly shown?: readonly string[]
}

/** The form on the page: fields, refusals that belong to no field on it, and the button. Ctrl+S and Enter send it. */
export function FormBox<Values>({
  form,
  children,
  submit,
  always = false,
  onCancel,
  readOnly = false,
  beside,
  actions,
  isLong = false,
  shown,
}: FormBoxProps<Values>) {
  const t = useFirstTexts()
  const send = (event?: FormEvent) => {
    event?.preventDefault()
    if (!form.isBusy && !readOnly) void form.submit()
  }
  // in the editors of mails, too
  useHotkeys([['mod+S', () => send()]], [], true)
  if (readOnly) {
    return (
      <Fieldset variant="unstyled" disabled>
        <Stack>{children}</Stack>
      </Fieldset>
    )
  }
  return (
    <form onSubmit={send} noValidate>
      <Stack>
        {children}
        <Stack className={isLong ? classes.bar : classes.foot}>
          {form.question === undefined ? (
            <Refusal error={form.error} known={shown ?? Object.keys(form.values as object)} />
          ) : (
            <BothChanged question={form.question} />
          )}
          <Group justify="flex-end">
            {beside}
            {actions}
            {onCancel === undefined ? null : (
              <Button variant="default" onClick={onCancel}>
                {t.anywhere.cancel}
              </Button>
            )}
            {actions === undefined ? (
              <Button type="submit" loading={form.isBusy} disabled={!always && !form.isChanged}>
                {submit ?? t.anywhere.save}
              </Button>
            ) : null}
          </Group>
        </Stack>
      </Stack>
    </form>
  )
}

/** The API's refusal, but for the part that stands beside a field already. */
function Refusal({ error, known = [] }: { readonly error: Error | undefined; readonly known?: readonly string[] }) {
  const t = useFirstTexts()
  if (error === undefined) return null
  const { message } = wordsOf(error, t)
  const fields = error instanceof ApiError ? error.fields : []
  const isMarked = fields.length > 0
  const others = fields.filter(({ field }) => !known.includes(field) && !known.includes(field.split('.')[0] ?? field))
  return (
    <Alert color="red" variant="light" role="alert" title={isMarked ? t.anywhere.mend : message}>
      {/* without anything in it, the box would keep a gap for it */}
      {others.length === 0 && !hasAdvice(error, t) ? null : (
        <>
          {others.map((problem) => (
            <Text size="sm" key={problem.field}>
              {problem.field}: {wordsOfField(problem, t)}
            </Text>
          ))}
          <Suggestion error={error} />
        </>
      )}
    </Alert>
  )
}

/** "is required" becomes "Is required." */
function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?…]$/.test(first) ? first : `${first}.`
}
