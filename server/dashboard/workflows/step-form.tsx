import { JsonInput, NumberInput, Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { answerOf, type components } from '../api/client.ts'
import { useApi, useProjectId } from '../api/project.tsx'
import { FilterBuilder } from '../parts/filter/filter-builder.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useNotices } from '../parts/notices.ts'
import { TemplateSelect } from '../parts/template-select.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import type { Place, Step } from './step-list.tsx'
import { filterOf } from './step-words.tsx'
import type { Workflow } from './workflow-page.tsx'

const TYPES = ['SEND_EMAIL', 'DELAY', 'WAIT_FOR_EVENT', 'CONDITION', 'WEBHOOK', 'UPDATE_CONTACT', 'EXIT'] as const
type NewStep = components['schemas']['NewSendEmailStep']

/** Makes a step, or changes one: the API checks its settings and says what is wrong beside the field. */
export function StepForm({
  workflow,
  step,
  place,
  onDone,
}: {
  readonly workflow: Workflow
  readonly step: Step | undefined
  readonly place: Place | undefined
  readonly onDone: () => void
}) {
  const t = useTexts()
  const api = useApi()
  const project = useProjectId()
  const queries = useQueryClient()
  const notices = useNotices()
  const path = { id: workflow.id }
  const form = useForm({
    initial: valuesOf(step),
    async save(values) {
      const { type, name } = values
      const named = name.trim() === '' ? {} : { name: name.trim() }
      const config = configOf(values, t)
      const template = type === 'SEND_EMAIL' && values.templateId !== '' ? { templateId: values.templateId } : {}
      if (step !== undefined) {
        const body = { ...named, config, ...template }
        return answerOf(
          api.PATCH('/workflows/{id}/steps/{stepId}', { params: { path: { ...path, stepId: step.id } }, body }),
        )
      }
      const isBranch = place?.branch !== undefined
      const after = isBranch ? { autoConnect: false } : { afterStepId: place?.after }
      const body = { type, ...named, config, ...template, ...after } as unknown as NewStep
      const made = await answerOf(api.POST('/workflows/{id}/steps', { params: { path }, body }))
      if (isBranch && place) {
        const way = { fromStepId: place.after, toStepId: made.id, branch: place.branch }
        await answerOf(api.POST('/workflows/{id}/transitions', { params: { path }, body: way as never }))
      }
      return made
    },
    async onSaved() {
      notices.done(t.workflows.stepSaved)
      onDone()
      await queries.invalidateQueries({ queryKey: [project, 'workflows'] })
    },
  })
  const { type } = form.values
  const errorOf = (name: string) => form.errorOf(`config.${name}`) ?? form.errorOf(name)
  return (
    <FormBox form={form} always={step === undefined} onCancel={onDone} shown={['type', 'name', 'config', 'templateId']}>
      {step === undefined ? (
        <Select
          label={t.workflows.kind}
          data={TYPES.map((value) => ({ value, label: t.workflows.kinds[value] ?? value }))}
          allowDeselect={false}
          value={type}
          onChange={(chosen) => chosen && form.set('type', chosen)}
          error={form.errorOf('type')}
        />
      ) : null}
      <TextInput label={t.workflows.stepName} {...form.text('name')} />
      {type === 'SEND_EMAIL' ? (
        <TemplateSelect
          label={t.workflows.template}
          {...form.field('templateId')}
          error={errorOf('templateId') ?? form.errorOf('config')}
        />
      ) : null}
      {type === 'DELAY' ? (
        <>
          <NumberInput
            label={t.workflows.amount}
            min={1}
            value={form.values.amount}
            onChange={(amount) => form.set('amount', Number(amount))}
            error={errorOf('amount')}
          />
          <Select
            label={t.workflows.unit}
            data={Object.entries(t.workflows.units).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            value={form.values.unit}
            onChange={(unit) => unit && form.set('unit', unit)}
            error={errorOf('unit')}
          />
        </>
      ) : null}
      {type === 'WAIT_FOR_EVENT' ? (
        <>
          <TextInput label={t.workflows.waitEvent} required {...form.text('eventName')} error={errorOf('eventName')} />
          <TextInput
            label={t.workflows.timeout}
            description={t.workflows.timeoutHint}
            inputMode="numeric"
            {...form.text('timeout')}
            error={errorOf('timeout')}
          />
        </>
      ) : null}
      {type === 'CONDITION' ? (
        <FilterBuilder
          value={form.values.condition}
          onChange={(condition) => form.set('condition', condition)}
          errorOf={(name) => form.errorOf(`config.${name}`)}
        />
      ) : null}
      {type === 'WEBHOOK' ? (
        <>
          <TextInput label={t.workflows.url} type="url" required {...form.text('url')} error={errorOf('url')} />
          <Select
            label={t.workflows.method}
            data={['POST', 'PUT', 'PATCH', 'GET', 'DELETE']}
            allowDeselect={false}
            value={form.values.method}
            onChange={(method) => method && form.set('method', method)}
            error={errorOf('method')}
          />
          <JsonInput
            label={t.workflows.requestHeaders}
            description={t.workflows.requestHeadersHint}
            autosize
            minRows={2}
            value={form.values.headers}
            onChange={(headers) => form.set('headers', headers)}
            error={errorOf('headers')}
          />
          <JsonInput
            label={t.workflows.requestBody}
            description={t.workflows.requestBodyHint}
            autosize
            minRows={3}
            value={form.values.body}
            onChange={(body) => form.set('body', body)}
            error={errorOf('body')}
          />
        </>
      ) : null}
      {type === 'UPDATE_CONTACT' ? (
        <>
          <Select
            label={t.workflows.subscribed}
            data={[
              { value: '', label: t.workflows.leave },
              { value: 'true', label: t.workflows.subscribe },
              { value: 'false', label: t.workflows.unsubscribe },
            ]}
            allowDeselect={false}
            value={form.values.subscribed}
            onChange={(value) => form.set('subscribed', value ?? '')}
            error={errorOf('subscribed')}
          />
          <JsonInput
            label={t.workflows.data}
            description={t.workflows.dataHint}
            autosize
            minRows={3}
            value={form.values.data}
            onChange={(data) => form.set('data', data)}
            error={errorOf('data')}
          />
        </>
      ) : null}
      {type === 'EXIT' ? (
        <TextInput label={t.workflows.reason} {...form.text('reason')} error={errorOf('reason')} />
      ) : null}
    </FormBox>
  )
}

type Values = ReturnType<typeof valuesOf>

function valuesOf(step: Step | undefined) {
  // one form for all types: what one of them lacks is empty
  const config: Readonly<Record<string, unknown>> = { ...step?.config }
  const text = (name: string, otherwise = '') =>
    config[name] === undefined || config[name] === null ? otherwise : String(config[name])
  const json = (name: string) =>
    config[name] === undefined || config[name] === null ? '' : JSON.stringify(config[name], null, 2)
  return {
    type: step?.type ?? 'SEND_EMAIL',
    name: step?.name ?? '',
    templateId: step?.templateId ?? text('templateId'),
    amount: Number(config.amount ?? 1),
    unit: text('unit', 'days'),
    eventName: text('eventName'),
    timeout: text('timeout'),
    condition: filterOf(config),
    url: text('url'),
    method: text('method', 'POST'),
    subscribed: text('subscribed'),
    headers: json('headers'),
    body: json('body'),
    data: json('data'),
    reason: text('reason'),
    /** What the form does not show is kept as it is. */
    rest: config,
  }
}

/** The settings of a step of this type, as the API takes them. */
function configOf(values: Values, t: Texts): Record<string, unknown> {
  const { type, rest, amount, unit, eventName, timeout, condition, url, method, subscribed, reason } = values
  const json = (name: 'headers' | 'body' | 'data', label: string) => {
    if (values[name].trim() === '') return {}
    try {
      return { [name]: JSON.parse(values[name]) }
    } catch {
      throw new Error(t.workflows.notJson(label))
    }
  }
  switch (type) {
    case 'DELAY':
      return { amount, unit }
    case 'WAIT_FOR_EVENT':
      return { eventName, ...(timeout.trim() === '' ? {} : { timeout: Number(timeout) }) }
    case 'CONDITION':
      return { ...condition }
    case 'WEBHOOK': {
      const { headers: _, body: __, ...others } = rest
      return {
        ...others,
        ...{ url, method },
        ...json('headers', t.workflows.requestHeaders),
        ...json('body', t.workflows.requestBody),
      }
    }
    case 'UPDATE_CONTACT':
      return {
        ...(subscribed === '' ? {} : { subscribed: subscribed === 'true' }),
        ...json('data', t.workflows.data),
      }
    case 'EXIT':
      return reason.trim() === '' ? {} : { reason }
    default:
      return { ...rest }
  }
}
