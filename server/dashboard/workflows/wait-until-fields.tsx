import { Autocomplete, Checkbox, Chip, Group, Select, Text, TextInput } from '@mantine/core'
import { AmountInput } from '../parts/amount-input.tsx'
import { useTexts } from '../texts/texts.tsx'
import { useDataFields } from './branch-fields.tsx'
import type { FieldsProps } from './step-values.ts'

/** Until when a step waits: a date of the contact, or the next of some weekdays at a time of day. */
export function WaitUntilFields({ form, errorOf }: FieldsProps) {
  const t = useTexts()
  const { until } = form.values
  const fields = useDataFields()
  const put = (changed: Partial<typeof until>) => form.set('until', { ...until, ...changed })
  const { weekdays, units } = t.workflows.until
  const { directions, distance, zoneHint } = t.workflows.starting
  return (
    <>
      <Select
        label={t.workflows.until.by}
        data={[
          { value: 'date', label: t.workflows.until.date },
          { value: 'time', label: t.workflows.until.time },
        ]}
        allowDeselect={false}
        value={until.by}
        onChange={(by) => put({ by: by === 'time' ? 'time' : 'date' })}
      />
      {until.by === 'date' ? (
        <>
          <Autocomplete
            label={t.workflows.until.field}
            description={t.workflows.until.fieldHint}
            required
            data={fields}
            value={until.field}
            onChange={(field) => put({ field })}
            error={errorOf('field')}
          />
          <Group gap="sm" align="flex-start" grow>
            <Select
              label={t.workflows.until.direction}
              data={Object.entries(directions).map(([value, label]) => ({ value, label }))}
              allowDeselect={false}
              value={until.direction}
              onChange={(direction) => put({ direction: direction as typeof until.direction })}
            />
            {until.direction === 'on' ? null : (
              <>
                <AmountInput
                  label={distance}
                  value={until.amount}
                  onChange={(amount) => put({ amount })}
                  error={errorOf('offset')}
                />
                <Select
                  label={t.workflows.unit}
                  data={Object.entries(units).map(([value, label]) => ({ value, label }))}
                  allowDeselect={false}
                  value={until.unit}
                  onChange={(unit) => unit && put({ unit })}
                />
              </>
            )}
          </Group>
          <Checkbox
            label={t.workflows.until.yearly}
            checked={until.yearly}
            onChange={({ currentTarget }) => put({ yearly: currentTarget.checked })}
          />
        </>
      ) : (
        <div>
          <Text size="sm" fw={500} mb={4}>
            {t.workflows.until.days}
          </Text>
          <Chip.Group multiple value={[...until.weekdays]} onChange={(chosen) => put({ weekdays: chosen })}>
            <Group gap="xs" role="group" aria-label={t.workflows.until.days}>
              {Object.entries(weekdays).map(([value, label]) => (
                <Chip key={value} value={value} size="xs">
                  {label}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
          {errorOf('weekdays') ? (
            <Text size="xs" c="var(--mantine-color-error)">
              {errorOf('weekdays')}
            </Text>
          ) : null}
        </div>
      )}
      <Group gap="sm" align="flex-start" grow>
        <TextInput
          label={t.workflows.until.at}
          type="time"
          required={until.by === 'time'}
          value={until.at}
          onChange={({ currentTarget }) => put({ at: currentTarget.value })}
          error={errorOf('at')}
        />
        <Autocomplete
          label={t.workflows.until.zone}
          description={zoneHint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={Intl.supportedValuesOf('timeZone')}
          limit={20}
          value={until.timezone}
          onChange={(timezone) => put({ timezone })}
          error={errorOf('timezone')}
        />
      </Group>
    </>
  )
}
