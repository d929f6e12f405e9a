import { Select, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import { answerOf } from '../api/client.ts'
import { useApi, useMay, useProjectId } from '../api/project.tsx'
import { FormBox } from '../parts/form.tsx'
import { useSharedForm } from '../parts/joint-form.tsx'
import { useNotices } from '../parts/notices.ts'
import { changedOnly } from '../parts/three-way.ts'
import { useTexts } from '../texts/texts.tsx'
import { Affected } from './affected.tsx'
import { branchesOf, branchName, type Outlet, type Step, type Workflow } from './graph.ts'
import { insertStep, type NewStep } from './graph-edits.ts'
import { StepFields } from './step-fields.tsx'
import { configOf, fitsBetween, SHOWN_FIELDS, type StepValues, valuesOf } from './step-values.ts'
import { TRIED } from './tried.ts'
import { TryStep } from './try-step.tsx'

const TYPES = Object.keys(SHOWN_FIELDS)

/** Makes a step, or changes one: the API checks its settings and says what is wrong beside the field. */
export function StepForm({
  workflow,
  step,
  outlet,
  active = 0,
  onDone,
}: {
  readonly workflow: Workflow
  readonly step?: Step
  /** Where a new step is put. */
  readonly outlet?: Outlet
  /** How many contacts stand on the step. */
  readonly active?: number
  readonly onDone: () => void
}) {
  const t = useTexts()
  const api = useApi()
  const may = useMay()
  const project = useProjectId()
  const queries = useQueryClient()
  const notices = useNotices()
  const requestOf = (values: StepValues) => {
    const { type, name, templateId } = values
    const template = type === 'SEND_EMAIL' && templateId !== '' ? { templateId } : {}
    return { ...(name.trim() === '' ? {} : { name: name.trim() }), config: configOf(values, t), ...template }
  }
  const form = useSharedForm({
    seen: { values: valuesOf(step), version: workflow.version },
    // each change of the graph raises its version by one
    seenAfter: (saved: Step, before) => ({ values: valuesOf(saved), version: before.version + 1 }),
    async read() {
      const { steps, version } = await answerOf(api.GET('/workflows/{id}', { params: { path: { id: workflow.id } } }))
      return { values: valuesOf(steps.find(({ id }) => id === step?.id) ?? step), version }
    },
    save(values, before) {
      const { type, goesOn } = values
      const body = requestOf(values)
      if (step !== undefined) {
        const params = { path: { id: workflow.id, stepId: step.id } }
        const changed = changedOnly(body, requestOf(before.values))
        const { version } = before
        return answerOf(api.PATCH('/workflows/{id}/steps/{stepId}', { params, body: { ...changed, version } }))
      }
      const place = outlet ?? { from: '', branch: undefined, way: undefined }
      const branches = branchesOf({ type, config: body.config })
      return insertStep(
        api,
        workflow,
        place,
        { type, ...body } as NewStep,
        branches.find((each) => each === goesOn) ?? branches[0],
      )
    },
    labels: {
      ...Object.fromEntries(Object.keys(valuesOf(step)).map((name) => [name, t.workflows.settings])),
      name: t.workflows.stepName,
      templateId: t.workflows.template,
    },
    async onSaved() {
      notices.done(t.workflows.stepSaved)
      onDone()
      await queries.invalidateQueries({ queryKey: [project, 'workflows'] })
    },
  })
  const { type } = form.values
  const refused = form.error instanceof ApiError ? form.error.fields.map(({ field }) => field) : []
  const isIn = (field: string, name: string) => field === `config.${name}` || field.startsWith(`config.${name}.`)
  const errorOf = (name: string) => {
    const field = refused.find((each) => isIn(each, name))
    return field === undefined ? undefined : form.errorOf(field)
  }
  const shown = refused.filter((field) => SHOWN_FIELDS[type]?.some((name) => isIn(field, name)))
  const branches = branchesOf({ type, config: drawnBy(form.values) })
  return (
    <Stack gap="lg">
      <FormBox
        form={form}
        always={step === undefined}
        onCancel={onDone}
        readOnly={!may.workflows}
        shown={['type', 'name', 'templateId', ...shown]}
      >
        {step === undefined ? (
          <Select
            label={t.workflows.kind}
            data={TYPES.filter((value) => fitsBetween(value, outlet)).map((value) => ({
              value,
              label: t.workflows.kinds[value] ?? value,
            }))}
            allowDeselect={false}
            value={type}
            onChange={(chosen) => chosen && form.set('type', chosen)}
            error={form.errorOf('type')}
            data-autofocus
          />
        ) : null}
        <TextInput label={t.workflows.stepName} {...form.text('name')} />
        <StepFields form={form} errorOf={errorOf} />
        {outlet?.way !== undefined && branches.length > 0 ? (
          <Select
            label={t.workflows.followedGoesOn}
            data={branches.map((branch) => ({ value: branch, label: branchName({ branch }, type, t) ?? branch }))}
            allowDeselect={false}
            value={branches.includes(form.values.goesOn) ? form.values.goesOn : branches[0]}
            onChange={(branch) => form.set('goesOn', branch ?? '')}
          />
        ) : null}
        <Affected workflow={workflow} step={step} active={active} />
      </FormBox>
      {step !== undefined && TRIED.includes(type) ? (
        <TryStep workflow={workflow} step={step} isChanged={form.isChanged} />
      ) : null}
    </Stack>
  )
}

/** What of a form decides which branches its step has. */
function drawnBy({ cases, branches, until }: StepValues) {
  return { cases, branches, ...(until.by === 'date' ? { field: until.field } : {}) }
}
