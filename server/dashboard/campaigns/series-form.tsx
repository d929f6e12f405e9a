import { Chip, Group, InputWrapper, Select, Switch, TextInput } from '@mantine/core'
import type { components } from '../api/client.ts'
import type { Effects } from '../api/effects.ts'
import { CampaignSelect } from '../parts/campaign-select.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useTexts } from '../texts/texts.tsx'

type Rhythm = components['schemas']['Rhythm']
type Day = NonNullable<Rhythm['days']>[number]

/** The parts of a series, in the form its fields have. */
export interface SeriesFields {
  readonly name: string
  readonly campaignId: string
  readonly every: Rhythm['every']
  readonly days: readonly Day[]
  readonly day: string
  readonly at: string
  readonly timezone: string
  readonly feedUrl: string
  readonly sends: boolean
}

export const NEW_SERIES: SeriesFields = {
  name: '',
  campaignId: '',
  every: 'week',
  days: ['mon'],
  day: '1',
  at: '09:00',
  feedUrl: '',
  sends: false,
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
}

const DAYS: readonly Day[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const EVERY = ['hour', 'day', 'week', 'month'] as const

/** The fields of the API whose refusals stand beside these. */
const SHOWN = ['name', 'campaignId', 'feedUrl', 'rhythm']

/** The body for the API. */
export function seriesBody({ name, campaignId, every, days, day, at, timezone, feedUrl, sends }: SeriesFields) {
  const on = {
    ...(every === 'week' ? { days: [...days] } : {}),
    ...(every === 'month' ? { day: day === 'last' ? ('last' as const) : Number(day) } : {}),
  }
  return { name, campaignId, rhythm: { every, at, timezone, ...on }, feedUrl: feedUrl === '' ? null : feedUrl, sends }
}

/** The fields of a series, new or stored. */
export function SeriesForm<Data>({
  initial,
  save,
  agree,
  effects,
  onSaved,
  submit,
}: {
  readonly initial: SeriesFields
  readonly save: (fields: SeriesFields) => Promise<Data>
  readonly agree: (fields: SeriesFields) => Promise<boolean>
  readonly effects: Effects<Data, SeriesFields>
  readonly onSaved?: (data: Data) => void
  readonly submit: string
}) {
  const t = useTexts()
  const form = useForm({ initial, save, agree, ...effects, ...(onSaved ? { onSaved } : {}) })
  const { every, days, timezone } = form.values
  const zones = [...new Set([timezone, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
  const numbers = Array.from({ length: 31 }, (_, at) => String(at + 1))
  return (
    <FormBox form={form} submit={submit} shown={SHOWN}>
      <TextInput label={t.series.name} description={t.series.nameHint} required {...form.text('name')} />
      <CampaignSelect
        label={t.series.pattern}
        description={t.series.patternHint}
        required
        value={form.values.campaignId}
        onChange={(id) => form.set('campaignId', id)}
        error={form.errorOf('campaignId')}
      />
      <TextInput
        type="url"
        label={t.series.feedUrl}
        description={t.series.feedHint}
        placeholder="…/feed.xml"
        {...form.text('feedUrl')}
      />
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <Select
          label={t.series.rhythm}
          data={EVERY.map((value) => ({ value, label: t.series.every[value] }))}
          allowDeselect={false}
          value={every}
          onChange={(chosen) => form.set('every', EVERY.find((each) => each === chosen) ?? 'day')}
          error={form.errorOf('rhythm.every')}
        />
        {every === 'month' ? (
          <Select
            label={t.series.day}
            data={[...numbers, 'last'].map((value) => ({
              value,
              label: value === 'last' ? t.series.lastDay : t.series.onDay(value),
            }))}
            allowDeselect={false}
            value={form.values.day}
            onChange={(day) => form.set('day', day ?? '1')}
            error={form.errorOf('rhythm.day')}
          />
        ) : null}
        {every === 'hour' ? null : (
          <>
            <TextInput
              type="time"
              label={t.series.at}
              value={form.values.at}
              onChange={({ currentTarget }) => form.set('at', currentTarget.value)}
              error={form.errorOf('rhythm.at')}
            />
            <Select
              label={t.series.timezone}
              data={zones}
              searchable
              allowDeselect={false}
              value={timezone}
              onChange={(zone) => form.set('timezone', zone ?? 'UTC')}
              error={form.errorOf('rhythm.timezone')}
            />
          </>
        )}
      </Group>
      {every === 'week' ? (
        <InputWrapper label={t.series.weekdays} error={form.errorOf('rhythm.days')}>
          <Chip.Group
            multiple
            value={[...days]}
            onChange={(chosen) =>
              form.set(
                'days',
                DAYS.filter((day) => chosen.includes(day)),
              )
            }
          >
            <Group gap="xs" mt={4}>
              {DAYS.map((day) => (
                <Chip key={day} value={day} size="sm">
                  {t.series.days[day]}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        </InputWrapper>
      ) : null}
      <Switch label={t.series.sends} description={t.series.sendsHint} {...form.check('sends')} />
    </FormBox>
  )
}
