import { Checkbox, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../api/client.ts'
import { useApi, useMay, useProjectId } from '../api/project.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useNotices } from '../parts/notices.ts'
import { useTexts } from '../texts/texts.tsx'
import { EventInput } from './event-input.tsx'
import type { Workflow } from './graph.ts'

/** What a workflow is called, what starts it, and what ends it early. */
export function WorkflowSettings({ workflow }: { readonly workflow: Workflow }) {
  const t = useTexts()
  const api = useApi()
  const may = useMay()
  const project = useProjectId()
  const queries = useQueryClient()
  const notices = useNotices()
  const { id, name, description = '', triggerConfig, allowReentry } = workflow
  const form = useForm({
    // the goal is sent only when somebody has touched it
    initial: {
      ...{ name, description, eventName: triggerConfig.eventName ?? '', allowReentry },
      goal: undefined as string | undefined,
    },
    save({ goal, eventName, ...body }) {
      const start = eventName.trim() === '' && workflow.triggerType === 'MANUAL' ? {} : { eventName }
      const end = goal === undefined ? {} : { goal: goal.trim() === '' ? null : { eventName: goal.trim() } }
      const whole = { ...body, ...start, ...end }
      return answerOf(api.PATCH('/workflows/{id}', { params: { path: { id } }, body: whole }))
    },
    async onSaved() {
      notices.done(t.workflows.saved)
      await queries.invalidateQueries({ queryKey: [project, 'workflows'] })
    },
    names: { triggerConfig: 'eventName' },
  })
  return (
    <FormBox form={form} readOnly={!may.change}>
      <TextInput label={t.workflows.name} required readOnly={!may.change} {...form.text('name')} />
      <EventInput label={t.workflows.event} {...form.field('eventName')} />
      <EventInput
        label={t.workflows.goal}
        description={t.workflows.goalHint}
        {...form.field('goal')}
        value={form.values.goal ?? workflow.goal?.eventName ?? ''}
      />
      <Checkbox label={t.workflows.reentry} disabled={!may.change} {...form.check('allowReentry')} />
    </FormBox>
  )
}
