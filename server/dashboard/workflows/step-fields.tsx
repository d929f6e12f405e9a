import { Group, JsonInput, NumberInput, Select, TextInput } from '@mantine/core'
import { AmountInput } from '../parts/amount-input.tsx'
import { FilterBuilder } from '../parts/filter/filter-builder.tsx'
import { PairsInput } from '../parts/pairs-input.tsx'
import { TransportSelect } from '../parts/transport-select.tsx'
import { useTexts } from '../texts/texts.tsx'
import { SplitFields, SwitchFields } from './branch-fields.tsx'
import { EventInput } from './event-input.tsx'
import type { FieldsProps } from './step-values.ts'
import { WaitUntilFields } from './wait-until-fields.tsx'

/** The fields of a step, by its type. */
export function StepFields({ form, errorOf }: FieldsProps) {
  const t = useTexts()
  const { values } = form
  const units = Object.entries(t.workflows.units).map(([value, label]) => ({ value, label }))
  switch (values.type) {
    case 'SEND_EMAIL':
      return (
        <>
          <NumberInput
            label={t.workflows.unlessMailed}
            description={t.workflows.unlessMailedHint}
            {...form.field('unlessMailedWithin')}
            error={errorOf('unlessMailedWithin')}
          />
          <NumberInput
            label={t.workflows.mostPerHour}
            description={t.workflows.mostPerHourHint}
            {...form.field('mostPerHour')}
            error={errorOf('mostPerHour')}
          />
          <TransportSelect {...form.field('transport')} error={errorOf('transport')} />
          <PairsInput
            label={t.campaigns.headers}
            description={t.campaigns.headersHint}
            value={values.headers}
            onChange={(headers) => form.set('headers', headers)}
            error={errorOf('headers')}
          />
        </>
      )
    case 'DELAY':
      return (
        <Group gap="sm" align="flex-start" grow>
          <AmountInput
            label={t.workflows.amount}
            value={values.amount}
            onChange={(amount) => form.set('amount', amount)}
            error={errorOf('amount')}
          />
          <Select
            label={t.workflows.unit}
            data={units}
            allowDeselect={false}
            value={values.unit}
            onChange={(unit) => unit && form.set('unit', unit)}
            error={errorOf('unit')}
          />
        </Group>
      )
    case 'WAIT_UNTIL':
      return <WaitUntilFields form={form} errorOf={errorOf} />
    case 'WAIT_FOR_EVENT':
      return (
        <>
          <EventInput
            label={t.workflows.waitEvent}
            required
            {...form.field('eventName')}
            error={errorOf('eventName')}
          />
          <Group gap="sm" align="flex-start" grow>
            <NumberInput
              label={t.workflows.timeout}
              description={t.workflows.timeoutHint}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              value={values.timeout.amount}
              onChange={(amount) => form.set('timeout', { ...values.timeout, amount: String(amount) })}
              error={errorOf('timeout')}
            />
            <Select
              label={t.workflows.unit}
              data={units}
              allowDeselect={false}
              value={values.timeout.unit}
              onChange={(unit) => unit && form.set('timeout', { ...values.timeout, unit: unit as 'days' })}
            />
          </Group>
        </>
      )
    case 'CONDITION':
      return (
        <FilterBuilder
          value={values.condition}
          onChange={(condition) => form.set('condition', condition)}
          ofRun
          errorOf={(name) => form.errorOf(`config.${name}`)}
        />
      )
    case 'SWITCH':
      return <SwitchFields form={form} errorOf={errorOf} />
    case 'SPLIT':
      return <SplitFields form={form} errorOf={errorOf} />
    case 'WEBHOOK':
      return <WebhookFields form={form} errorOf={errorOf} />
    case 'UPDATE_CONTACT':
      return (
        <>
          <Select
            label={t.workflows.subscribed}
            data={[
              { value: '', label: t.workflows.leave },
              { value: 'true', label: t.workflows.subscribe },
              { value: 'false', label: t.workflows.unsubscribe },
            ]}
            allowDeselect={false}
            value={values.subscribed}
            onChange={(value) => form.set('subscribed', value ?? '')}
            error={errorOf('subscribed')}
          />
          <PairsInput
            label={t.workflows.data}
            description={t.workflows.dataHint}
            value={values.data}
            onChange={(data) => form.set('data', data)}
            error={errorOf('data')}
            errorOf={(name) => errorOf(`data.${name}`)}
          />
        </>
      )
    case 'EXIT':
      return <TextInput label={t.workflows.reason} {...form.text('reason')} error={errorOf('reason')} />
    default:
      return null
  }
}

function WebhookFields({ form, errorOf }: FieldsProps) {
  const t = useTexts()
  return (
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
      <PairsInput
        label={t.workflows.requestHeaders}
        description={t.workflows.requestHeadersHint}
        value={form.values.headers}
        onChange={(headers) => form.set('headers', headers)}
        onlyTexts
        error={errorOf('headers')}
        errorOf={(name) => errorOf(`headers.${name}`)}
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
  )
}
