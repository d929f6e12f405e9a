import { Select, Stack, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { ApiError } from '../api/api-error.ts'
import { answerOf } from '../api/client.ts'
import { useApi, useMay, useProject } from '../api/project.tsx'
import { FormBox } from '../parts/form.tsx'
import { useSharedForm } from '../parts/joint-form.tsx'
import { changedOnly } from '../parts/three-way.ts'
import { useTexts } from '../texts/texts.tsx'
import { Affected } from './affected.tsx'
import { branchesOf, branchName, type Outlet, type Step, type Workflow } from './graph.ts'
import { insertStep, type NewStep } from './graph-edits.ts'
import { MailPart, newMail, templateOf } from './mail-part.tsx'
import { startOf, topicOf } from './start.ts'
import { StepFields } from './step-fields.tsx'
import { configOf, SHOWN_FIELDS, type StepValues, valuesOf } from './step-values.ts'
import { TRIED } from './tried.ts'
import { TryStep } from './try-step.tsx'

/** Makes a step, or changes one: the API checks its settings and says what is wrong beside the field. */
export function StepForm({
  workflow,
  step,
  outlet,
  type: newType,
  active = 0,
  onDone,
}: {
  readonly workflow: Workflow
  readonly step?: Step
  /** Where a new step is put. */
  readonly outlet?: Outlet
  /** The type of a new step. */
  readonly type?: string
  /** How many contacts stand on the step. */
  readonly active?: number
  readonly onDone: () => void
}) {
  const t = useTexts()
  const api = useApi()
  const may = useMay()
  const project = useProject()
  const [, navigate] = useLocation()
  const [isWriting, setWriting] = useState(false)
  /** The template that was made for this step a moment ago. */
  const written = useRef('')
  const requestOf = (values: StepValues, templateId = values.templateId) => {
    const { type, name } = values
    const template = type === 'SEND_EMAIL' && templateId !== '' ? { templateId } : {}
    // the API would name it in English
    const called = name.trim() || t.workflows.kinds[type]
    return { ...(called === undefined ? {} : { name: called }), config: configOf(values, t), ...template }
  }
  const form = useSharedForm({
    seen: { values: valuesOf(step, newType), version: workflow.version },
    // each change of the graph raises its version by one
    seenAfter: (saved: Step, before) => ({ values: valuesOf(saved), version: before.version + 1 }),
    async read() {
      const { steps, version } = await answerOf(api.GET('/workflows/{id}', { params: { path: { id: workflow.id } } }))
      return { values: valuesOf(steps.find(({ id }) => id === step?.id) ?? step, newType), version }
    },
    save(values, before) {
      const { type, goesOn } = values
      const body = requestOf(values, written.current || values.templateId)
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
    // with the template that may have been made for it
    changes: ['workflows', 'templates'],
    done: t.workflows.stepSaved,
    onSaved() {
      onDone()
      if (written.current !== '') navigate(templateOf(project.id, written.current, workflow.id))
    },
  })
  /** Saves the step with a mail that is still to be written, and leads to where that is done. */
  const write = async () => {
    setWriting(true)
    try {
      const subject = form.values.name.trim() || t.workflows.newMail
      const name = t.workflows.mailName(workflow.name, subject)
      const path = { id: await newMail(api, project, { name, subject, topicId: topicOf(startOf(workflow)) }, t) }
      written.current = path.id
      if (await form.submit()) return
      // what the step was refused for comes first
      written.current = ''
      await api.DELETE('/templates/{id}', { params: { path } })
    } catch (refused) {
      form.refuse(refused as Error)
    } finally {
      setWriting(false)
    }
  }
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
        <TextInput
          label={t.workflows.stepName}
          placeholder={t.workflows.kinds[type]}
          data-autofocus={step === undefined || undefined}
          {...form.text('name')}
        />
        {type === 'SEND_EMAIL' ? (
          <MailPart
            {...form.field('templateId')}
            error={form.errorOf('templateId') ?? errorOf('templateId')}
            workflow={workflow.id}
            onWrite={() => void write()}
            isWriting={isWriting}
          />
        ) : null}
        <StepFields form={form} errorOf={errorOf} />
        {outlet?.way !== undefined && branches.length > 0 ? (
          <Select
            label={t.workflows.followedGoesOn}
            data={[...new Set(branches)].map((branch) => ({
              value: branch,
              label: branchName({ branch }, type, t) ?? branch,
            }))}
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

/** The values of a form that decide which branches its step has. */
function drawnBy({ cases, branches, until }: StepValues) {
  return { cases, branches, ...(until.by === 'date' ? { field: until.field } : {}) }
}
