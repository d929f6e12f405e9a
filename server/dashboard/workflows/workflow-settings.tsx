import { Checkbox, TextInput } from '@mantine/core'
import { answerOf } from '../api/client.ts'
import { useApi, useMay } from '../api/project.tsx'
import { FormBox } from '../parts/form.tsx'
import { type Seen, useSharedForm } from '../parts/joint-form.tsx'
import { changedOnly } from '../parts/three-way.ts'
import { useTexts } from '../texts/texts.tsx'
import { EventInput } from './event-input.tsx'
import type { Workflow } from './graph.ts'
import { startOf, triggerOf } from './start.ts'
import { partError, START_FIELDS, StartFields } from './start-fields.tsx'

/** The name of a workflow, its trigger, and the goal that ends it early. */
export function WorkflowSettings({ workflow }: { readonly workflow: Workflow }) {
  const t = useTexts()
  const api = useApi()
  const may = useMay()
  const { id } = workflow
  const path = { params: { path: { id } } }
  const requestOf = ({ goal, start, ...body }: ReturnType<typeof valuesOf>) => ({
    ...body,
    ...triggerOf(start),
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
      start: t.workflows.starts,
      goal: t.workflows.goal,
      allowReentry: t.workflows.reentry,
    },
    changes: ['workflows'],
    done: t.workflows.saved,
    names: { triggerConfig: 'start', triggerType: 'start' },
  })
  return (
    <FormBox form={form} readOnly={!may.workflows} shown={SHOWN}>
      <TextInput label={t.workflows.name} required readOnly={!may.workflows} {...form.text('name')} />
      <StartFields
        value={form.values.start}
        onChange={(start) => form.set('start', start)}
        errorOf={(name) => partError(form, name)}
        readOnly={!may.workflows}
      />
      <EventInput label={t.workflows.goal} description={t.workflows.goalHint} {...form.field('goal')} />
      <Checkbox label={t.workflows.reentry} disabled={!may.workflows} {...form.check('allowReentry')} />
    </FormBox>
  )
}

const SHOWN = ['name', 'description', 'goal', 'allowReentry', ...START_FIELDS]

function valuesOf(workflow: Workflow) {
  const { name, description = '', allowReentry, goal } = workflow
  return { name, description, start: startOf(workflow), allowReentry, goal: goal?.eventName ?? '' }
}

function seenOf(workflow: Workflow): Seen<ReturnType<typeof valuesOf>> {
  return { values: valuesOf(workflow), version: workflow.version }
}
