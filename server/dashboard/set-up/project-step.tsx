import { Paper, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { UNNAMED } from '../../../core/projects/unnamed.ts'
import { answerOf } from '../api/client.ts'
import { useApi, useProject } from '../api/project.tsx'
import { SESSION } from '../api/session.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useLanguage, useTexts } from '../texts/texts.tsx'

/** The project's name. */
export function ProjectStep({ onDone }: { readonly onDone: () => void }) {
  const t = useTexts()
  const api = useApi()
  const { language } = useLanguage()
  const { id, name, locale } = useProject()
  const queries = useQueryClient()
  const form = useForm({
    // one that no person has named yet is named here
    initial: { name: name === UNNAMED ? '' : name },
    save: (given) => {
      // a user who sets a project up in German writes to people who read German, until the settings say otherwise
      const body = locale === null && language !== 'en' ? { ...given, locale: language } : given
      return answerOf(api.PATCH('/projects/{id}', { params: { path: { id } }, body }))
    },
    guard: false,
    async onSaved() {
      await queries.invalidateQueries({ queryKey: SESSION })
      onDone()
    },
  })
  return (
    <Paper withBorder p="lg" maw={720}>
      <FormBox form={form} submit={t.setUp.next} always>
        <TextInput
          label={t.settings.name}
          description={t.setUp.nameHint}
          required
          data-autofocus
          {...form.text('name')}
        />
      </FormBox>
    </Paper>
  )
}
