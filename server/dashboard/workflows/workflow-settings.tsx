import { Checkbox, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../api/client.ts'
import { useApi, useMay, useProjectId } from '../api/project.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useNotices } from '../parts/notices.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Workflow } from './graph.ts'

/** What a workflow is called, and what starts it. */
export function WorkflowSettings({ workflow }: { readonly workflow: Workflow }) {
  const t = useTexts()
  const api = useApi()
  const may = useMay()
  const project = useProjectId()
  const queries = useQueryClient()
  const notices = useNotices()
  const { id, name, description = '', triggerConfig, allowReentry } = workflow
  const form = useForm({
    initial: { name, description, eventName: triggerConfig.eventName ?? '', allowReentry },
    save: (body) => answerOf(api.PATCH('/workflows/{id}', { params: { path: { id } }, body })),
    async onSaved() {
      notices.done(t.workflows.saved)
      await queries.invalidateQueries({ queryKey: [project, 'workflows'] })
    },
    names: { triggerConfig: 'eventName' },
  })
  return (
    <FormBox form={form} readOnly={!may.change}>
      <TextInput label={t.workflows.name} required readOnly={!may.change} {...form.text('name')} />
      <TextInput label={t.workflows.event} readOnly={!may.change} {...form.text('eventName')} />
      <Checkbox label={t.workflows.reentry} disabled={!may.change} {...form.check('allowReentry')} />
    </FormBox>
  )
}
