import { Checkbox, Input, NumberInput, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useTexts } from '../texts/texts.tsx'
import type { Rule } from './rules.ts'

/** A ramp as it is typed. */
export interface RampValues {
  readonly to: string
  readonly from: string
  readonly start: number | string
  readonly add: number | string
  readonly backAt: number | string
}

/** The fields of the ramp of a rule. */
export function RampFields({
  values,
  names,
  error,
  onChange,
}: {
  readonly values: RampValues | undefined
  readonly names: readonly string[]
  readonly error: string | undefined
  readonly onChange: (values: RampValues | undefined) => void
}) {
  const { ramp: words, chooseTransport } = useTexts().routes
  const put = (changed: Partial<RampValues>) => values && onChange({ ...values, ...changed })
  const percent = (name: 'start' | 'add' | 'backAt', label: string, description?: string) => (
    <NumberInput
      label={label}
      description={description}
      min={0}
      max={100}
      decimalScale={1}
      suffix=" %"
      value={values?.[name] ?? ''}
      onChange={(value) => put({ [name]: value })}
    />
  )
  return (
    <Stack gap="xs">
      <Checkbox
        label={words.on}
        description={words.hint}
        checked={values !== undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? fresh() : undefined)}
      />
      {values === undefined ? null : (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <Select
              label={words.to}
              placeholder={chooseTransport}
              data={names}
              value={values.to || null}
              onChange={(to) => put({ to: to ?? '' })}
            />
            <TextInput
              type="date"
              label={words.from}
              value={values.from.slice(0, 10)}
              onChange={({ currentTarget }) => put({ from: currentTarget.value })}
            />
            {percent('start', words.start)}
            {percent('add', words.add)}
          </SimpleGrid>
          {percent('backAt', words.backAt, words.backAtHint)}
        </>
      )}
      {error === undefined ? null : <Input.Error>{error}</Input.Error>}
    </Stack>
  )
}

/** One that begins today. */
function fresh(): RampValues {
  return { to: '', from: new Date().toISOString().slice(0, 10), start: 5, add: 10, backAt: 2 }
}

/** The ramp of a rule, as it is typed. */
export function rampValues({ to, from, start, add, backAt }: NonNullable<Rule['ramp']>): RampValues {
  return { to, from, start, add, backAt }
}

/** The ramp as the API takes it. */
export function rampOf({ to, from, start, add, backAt }: RampValues): NonNullable<Rule['ramp']> {
  return { to, from, start: numberOf(start), add: numberOf(add), backAt: numberOf(backAt) }
}

/** An empty field is not zero: it becomes what the API refuses. */
function numberOf(typed: number | string): number {
  return typed === '' ? Number.NaN : Number(typed)
}
