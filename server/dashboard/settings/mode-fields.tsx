import { Select, Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Project } from '../api/project.tsx'
import { useTexts } from '../texts/texts.tsx'

type Mode = Project['mode']

interface ModeForm {
  readonly values: { readonly mode: Mode; readonly allowedRecipients: string }
  set(field: 'mode', value: Mode): void
  text(field: 'allowedRecipients'): object
  errorOf(field: 'mode'): ReactNode
}

/** Where the mail of the project goes, and whom it reaches beside the members. */
export function ModeFields({ form }: { readonly form: ModeForm }) {
  const t = useTexts()
  return (
    <>
      <Select
        label={t.settings.mode}
        description={t.settings.modeHint}
        data={(['live', 'test', 'members'] as const).map((value) => ({ value, label: t.settings.modes[value] }))}
        allowDeselect={false}
        value={form.values.mode}
        onChange={(value) => value && form.set('mode', value as Mode)}
        error={form.errorOf('mode')}
      />
      {form.values.mode === 'members' ? (
        <Textarea
          label={t.settings.allowed}
          description={t.settings.allowedHint}
          autosize
          minRows={2}
          {...form.text('allowedRecipients')}
        />
      ) : null}
    </>
  )
}
