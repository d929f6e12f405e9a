import { Checkbox, TextInput } from '@mantine/core'
import { answerOf } from '../api/client.ts'
import { useApi, useMay } from '../api/project.tsx'
import { FormBox } from '../parts/form.tsx'
import { type Seen, useSharedForm } from '../parts/joint-form.tsx'
import { changedOnly } from '../parts/three-way.ts'
import { useTexts } from '../texts/texts.tsx'
import { EventInput } from './event-input.tsx'
import type { Workflow } from './graph.ts'

/** What a workflow is called, what starts it, and what ends it early. */
export function WorkflowSettings({ workflow }: { readonly workflow: Workflow }) {
  const t = useTexts()
  const api = useApi()
  const may = useMay()
  const { id, triggerType } = workflow
  const path = { params: { path: { id } } }
  const requestOf = ({ goal, eventName, ...body }: ReturnType<typeof valuesOf>) => ({
    ...body,
    ...(eventName.trim() === '' && triggerType === 'MANUAL' ? {} : { eventName }),
    goal: goal.trim() === '' ? null : { eventName: goal.trim() },
  })
  const form = useSharedForm({
    seen: seenOf(workflow),
    seenAfter: seenOf,
    read: async () => seenOf(await answerOf(api.GET('/workflows/{id}', path))),
    save: (values, before) =>
      answerOf(
        api.PATCH('/workflows/{id}', {
          ...path,
          body: { ...changedOnly(requestOf(values), requestOf(before.values)), version: before.version },
        }),
      ),
    labels: {
      name: t.workflows.name,
      eventName: t.workflows.event,
      goal: t.workflows.goal,
      allowReentry: t.workflows.reentry,
    },
    changes: ['workflows'],
    done: t.workflows.saved,
    names: { triggerConfig: 'eventName' },
  })
  return (
    <FormBox form={form} readOnly={!may.workflows}>
      <TextInput label={t.workflows.name} required readOnly={!may.workflows} {...form.text('name')} />
      <EventInput label={t.workflows.event} {...form.field('eventName')} />
      <EventInput label={t.workflows.goal} description={t.workflows.goalHint} {...form.field('goal')} />
      <Checkbox label={t.workflows.reentry} disabled={!may.workflows} {...form.check('allowReentry')} />
    </FormBox>
  )
}

function valuesOf({ name, description = '', triggerConfig, allowReentry, goal }: Workflow) {
  return { name, description, eventName: triggerConfig.eventName ?? '', allowReentry, goal: goal?.eventName ?? '' }
}

function seenOf(workflow: Workflow): Seen<ReturnType<typeof valuesOf>> {
  return { values: valuesOf(workflow), version: workflow.version }
}
