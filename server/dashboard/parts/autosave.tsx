import { Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Unreachable } from '../api/api-error.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Form } from './form.tsx'
import { useFormats } from './formats.ts'
import { type Labels, labelled } from './refusals.tsx'

/** How long nothing was typed when it is saved, and when saving is tried again while the server is away. */
const PAUSE_MS = 2000
const AGAIN_MS = 10_000

/** The state of what was typed. */
export type Saving =
  | { readonly state: 'unsaved' }
  | { readonly state: 'saving' }
  | { readonly state: 'saved'; readonly at: Date }
  | { readonly state: 'failed'; readonly error: Error }

/**
 * Saves a form by itself, a moment after the last key and when its page goes out of sight. Nothing is asked while
 * nothing changed, and what is refused stays in the form and is tried again with the next change.
 */
export function useAutosave<Values>(form: Form<Values>, wanted: boolean): Saving {
  const enabled = wanted && form.question === undefined
  const [saving, setSaving] = useState<Saving>({ state: 'unsaved' })
  const latest = useRef({ form, enabled })
  latest.current = { form, enabled }
  const save = useRef(async () => {
    const { form: current, enabled: isWanted } = latest.current
    if (!isWanted || !current.isChanged) return
    setSaving({ state: 'saving' })
    const error = await current.saveQuietly()
    setSaving(error === undefined ? { state: 'saved', at: new Date() } : { state: 'failed', error })
  })
  const { values, isChanged } = form
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the values begins the pause anew
  useEffect(() => {
    if (!enabled || !isChanged) return
    const timer = setTimeout(() => void save.current(), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [values, isChanged, enabled])
  const wasChanged = useRef(false)
  useEffect(() => {
    // by whatever way it was saved, such as Ctrl+S
    if (wasChanged.current && !isChanged) setSaving({ state: 'saved', at: new Date() })
    wasChanged.current = isChanged
  }, [isChanged])
  useEffect(() => {
    if (saving.state !== 'failed' || !(saving.error instanceof Unreachable)) return
    const timer = setTimeout(() => void save.current(), AGAIN_MS)
    return () => clearTimeout(timer)
  }, [saving])
  useEffect(() => {
    const onHidden = () => {
      if (document.visibilityState === 'hidden') void save.current()
    }
    document.addEventListener('visibilitychange', onHidden)
    return () => document.removeEventListener('visibilitychange', onHidden)
  }, [])
  return saving
}

/** Says so, quietly; a failure in red. */
export function SavingText({
  saving,
  saved,
  labels = {},
}: {
  readonly saving: Saving
  readonly saved: (at: string) => string
  /** The labels of the fields, by their names in the API. */
  readonly labels?: Labels
}) {
  const t = useTexts()
  const formats = useFormats()
  const failed = saving.state === 'failed' ? t.anywhere.notSaved(labelled(saving.error, labels, t)) : ''
  const text =
    saving.state === 'saved' ? saved(formats.clock(saving.at)) : saving.state === 'saving' ? t.anywhere.saving : failed
  return (
    <Text
      size="sm"
      c={saving.state === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'}
      role="status"
      data-unsaved={saving.state === 'failed' || undefined}
    >
      {text}
    </Text>
  )
}
