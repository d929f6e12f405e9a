import { Alert, Button, Fieldset, Group, Stack, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { type FormEvent, type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useTexts } from '../texts/texts.tsx'
import { Suggestion, wordsOf, wordsOfField } from './refusals.tsx'
import { forgetUnsaved, useUnsavedGuard } from './unsaved.tsx'

/** A form: its values, what the API said of each field, and whether something is unsaved. */
export interface Form<Values> {
  readonly values: Values
  readonly isChanged: boolean
  readonly isBusy: boolean
  readonly error: Error | undefined
  set<Name extends keyof Values>(name: Name, value: Values[Name]): void
  setAll(values: Partial<Values>): void
  /** Takes values as saved ones. */
  reset(values: Values): void
  /** What a text field takes: `<TextInput label="…" {...form.text('name')} />`. */
  text<Name extends keyof Values>(
    name: Name,
  ): { value: string; onChange: (event: { currentTarget: { value: string } }) => void; error: ReactNode; name: string }
  /** What a checkbox or switch takes. */
  check<Name extends keyof Values>(
    name: Name,
  ): { checked: boolean; onChange: (event: { currentTarget: { checked: boolean } }) => void; error: ReactNode }
  /** What a field takes that gives its value itself, such as a select or a number. */
  field<Name extends keyof Values>(
    name: Name,
  ): { value: Values[Name]; onChange: (value: Values[Name]) => void; error: ReactNode }
  /** What the API said of a field: its dotted path begins with this name. */
  errorOf(name: string): string | undefined
  submit(): Promise<boolean>
  /** Saves what changed without a word beside the fields; answers what was refused. */
  saveQuietly(): Promise<Error | undefined>
  /** Shows a refusal that came by another way than saving. */
  refuse(error: Error): void
}

export interface FormOptions<Values, Data> {
  readonly initial: Values
  /** Sends the values. What it throws is shown beside the fields it names. */
  readonly save: (values: Values) => Promise<Data>
  /** `quiet`: it was saved automatically, and the user expects no message. */
  readonly onSaved?: (data: Data, quiet: boolean) => void
  /** The form's name of a field of the API, where they differ. */
  readonly names?: Readonly<Record<string, keyof Values & string>>
  /** True for a form that is saved by itself, see `useAutosave`: leaving its page saves it, too. */
  readonly autosave?: boolean
  /** False for forms nobody minds leaving, such as a search. Default true. */
  readonly guard?: boolean
}

/** A form over an endpoint: values, refusals beside their fields, Ctrl+S, and a question before unsaved input is left. */
export function useForm<Values extends object, Data = unknown>({
  initial,
  save,
  onSaved,
  names = {},
  guard = true,
  autosave = false,
}: FormOptions<Values, Data>): Form<Values> {
  const t = useTexts()
  const [saved, setSaved] = useState(initial)
  const [values, setValues] = useState(initial)
  const [error, setError] = useState<Error | undefined>()
  const [isBusy, setBusy] = useState(false)
  const latest = useRef(values)
  latest.current = values
  const isChanged = useMemo(() => JSON.stringify(values) !== JSON.stringify(saved), [values, saved])
  const stored = useRef(initial)
  const turn = useRef<Promise<unknown>>(Promise.resolve())
  /** One after the other, so that what was typed later never arrives first. */
  const store = (quiet: boolean): Promise<void> => {
    const saving = turn.current.then(async () => {
      const sent = latest.current
      if (autosave && JSON.stringify(sent) === JSON.stringify(stored.current)) return
      const data = await save(sent)
      stored.current = sent
      setSaved(sent)
      setError(undefined)
      onSaved?.(data, quiet)
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
    // whoever stays sees why
    setError(refused)
    return refused === undefined
  }
  useUnsavedGuard(guard && isChanged && !isBusy, autosave ? saveAndLeave : undefined)

  const errorOf = (name: string) => {
    if (!(error instanceof ApiError)) return undefined
    const found = error.fields.find(({ field }) => {
      const root = field.split('.')[0] ?? field
      return field === name || (names[field] ?? names[root] ?? root) === name
    })
    return found && sentence(wordsOfField(found, t))
  }
  const setAll = useCallback((changed: Partial<Values>) => {
    setValues((before) => ({ ...before, ...changed }))
  }, [])
  const set = useCallback<Form<Values>['set']>((name, value) => {
    setValues((before) => ({ ...before, [name]: value }))
  }, [])
  const submit = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await store(false)
      forgetUnsaved()
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
    isChanged,
    isBusy,
    error,
    set,
    setAll,
    reset(fresh) {
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
  /** What the button says. Default "Save". */
  readonly submit?: string
  /** True where there is something to send before anything was changed. */
  readonly always?: boolean
  readonly onCancel?: () => void
  /** True for whoever may read it alone: nothing can be typed, and there is no button. */
  readonly readOnly?: boolean
  readonly beside?: ReactNode
  /** What stands instead of the button, where saving is not what the page is about. */
  readonly actions?: ReactNode
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
  shown,
}: FormBoxProps<Values>) {
  const t = useTexts()
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
        <Refusal error={form.error} known={shown ?? Object.keys(form.values as object)} />
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
    </form>
  )
}

/** What the API refused, but for what stands beside a field already. */
function Refusal({ error, known = [] }: { readonly error: Error | undefined; readonly known?: readonly string[] }) {
  const t = useTexts()
  if (error === undefined) return null
  const { message, suggestion } = wordsOf(error, t)
  const fields = error instanceof ApiError ? error.fields : []
  const isMarked = fields.length > 0
  const others = fields.filter(({ field }) => !known.includes(field) && !known.includes(field.split('.')[0] ?? field))
  return (
    <Alert color="red" variant="light" role="alert" title={isMarked ? t.anywhere.mend : message}>
      {/* without anything in it, the box would keep a gap for it */}
      {others.length === 0 && suggestion === undefined ? null : (
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
