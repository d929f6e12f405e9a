import { Alert, Autocomplete, Button, Checkbox, Group, Select, Text, TextInput } from '@mantine/core'
import { ApiError } from '../api/api-error.ts'
import { useAct, useAsk } from '../api/ask.ts'
import { useMay } from '../api/project.tsx'
import { AmountInput } from '../parts/amount-input.tsx'
import { CampaignSelect } from '../parts/campaign-select.tsx'
import { fieldInWords } from '../parts/field-in-words.ts'
import type { Form } from '../parts/form.tsx'
import { useTexts } from '../texts/texts.tsx'
import { useDataFields } from './branch-fields.tsx'
import { EventInput } from './event-input.tsx'
import { START_GROUPS, type Start, type StartKind } from './start.ts'

interface Props {
  readonly value: Start
  readonly onChange: (start: Start) => void
  /** The API's refusal of a part of the trigger. */
  readonly errorOf: (name: string) => string | undefined
  readonly readOnly?: boolean
  /** True for a workflow still to be made: what starts it by hand is chosen later. */
  readonly isNew?: boolean
}

/** The fields of the API whose refusals stand beside these, as far as one of their parts is refused. */
export const START_FIELDS = [
  'triggerType',
  'eventName',
  ...[
    'eventName',
    'formId',
    'topicId',
    'campaignId',
    'field',
    'offset',
    'offset.amount',
    'yearly',
    'at',
    'timezone',
  ].map((part) => `triggerConfig.${part}`),
]

/** The refusal of a part of the trigger. */
export function partError(form: Pick<Form<object>, 'error' | 'errorOf'>, part: string): string | undefined {
  const fields = form.error instanceof ApiError ? form.error.fields.map(({ field }) => field) : []
  const of = [part, `triggerConfig.${part}`]
  const found = fields.find((field) => of.some((each) => field === each || field.startsWith(`${each}.`)))
  return found === undefined ? undefined : form.errorOf(found)
}

/** Chooses what starts a workflow: what happens to people first, and what a program sends last. */
export function StartFields({ value, onChange, errorOf, readOnly = false, isNew = false }: Props) {
  const t = useTexts()
  const words = t.workflows.starting
  const kinds = START_GROUPS.map(([group, items]) => ({
    group: words.groups[group],
    items: items
      .filter((kind) => !(isNew && kind === 'manual'))
      .map((kind) => ({ value: kind, label: words.kinds[kind] })),
  }))
  return (
    <>
      <Select
        label={words.when}
        description={words.hints[value.kind]}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        data={kinds}
        value={value.kind}
        onChange={(kind) => onChange({ ...value, kind: (kind ?? value.kind) as StartKind })}
        allowDeselect={false}
        disabled={readOnly}
        maxDropdownHeight={420}
        error={errorOf('triggerType')}
      />
      <Parts value={value} onChange={onChange} errorOf={errorOf} readOnly={readOnly} />
    </>
  )
}

/** The fields that depend on the kind. */
function Parts({ value, onChange, errorOf, readOnly = false }: Props) {
  const t = useTexts()
  const words = t.workflows.starting
  const put = (changed: Partial<Start>) => onChange({ ...value, ...changed })
  switch (value.kind) {
    case 'topic':
    case 'leavesTopic':
      return (
        <ThingSelect
          noun="topics"
          label={t.topics.one}
          value={value.topicId}
          onChange={(topicId) => put({ topicId })}
          error={errorOf('topicId')}
          readOnly={readOnly}
        />
      )
    case 'form':
    case 'subscribes':
      return (
        <ThingSelect
          noun="forms"
          label={words.form}
          {...(value.kind === 'subscribes' ? { whichever: words.anyWay } : {})}
          value={value.formId}
          onChange={(formId) => put({ formId })}
          error={errorOf('formId')}
          readOnly={readOnly}
        />
      )
    case 'opens':
    case 'clicks':
    case 'replies':
      return (
        <CampaignSelect
          label={words.campaign}
          placeholder={words.anyMail}
          clearable
          value={value.campaignId}
          onChange={(campaignId) => put({ campaignId })}
          error={errorOf('campaignId')}
          disabled={readOnly}
        />
      )
    case 'enters':
    case 'leaves':
      return <SegmentPart value={value} onChange={onChange} errorOf={errorOf} readOnly={readOnly} />
    case 'date':
      return <DateParts value={value} onChange={onChange} errorOf={errorOf} readOnly={readOnly} />
    case 'event':
      return (
        <EventInput
          label={t.workflows.event}
          description={t.workflows.eventHint}
          required
          disabled={readOnly}
          value={value.eventName}
          onChange={(eventName) => put({ eventName })}
          error={errorOf('eventName')}
        />
      )
    default:
      return null
  }
}

/** Chooses one of the project's topics or forms by its name. */
function ThingSelect({
  noun,
  label,
  whichever,
  value,
  onChange,
  error,
  readOnly,
}: {
  readonly noun: 'topics' | 'forms'
  readonly label: string
  /** The choice of none, where there is one. */
  readonly whichever?: string
  readonly value: string
  readonly onChange: (id: string) => void
  readonly error: string | undefined
  readonly readOnly: boolean
}) {
  const t = useTexts()
  const things = useThings(noun)
  const data = [...(whichever === undefined ? [] : [{ value: '', label: whichever }]), ...things]
  return (
    <Select
      label={label}
      data={data}
      value={value === '' && whichever === undefined ? null : value}
      onChange={(id) => onChange(id ?? '')}
      required={whichever === undefined}
      allowDeselect={false}
      searchable
      disabled={readOnly}
      placeholder={whichever === undefined && data.length === 0 ? t.workflows.starting.none[noun] : undefined}
      nothingFoundMessage={t.anywhere.nothingFound}
      error={error}
    />
  )
}

function useThings(noun: 'topics' | 'forms'): { value: string; label: string }[] {
  const topics = useAsk(['topics', 'list'], (api, signal) => api.GET('/topics', { signal }), {
    enabled: noun === 'topics',
  })
  const query = { pageSize: 100 }
  const forms = useAsk(['forms', 'choice'], (api, signal) => api.GET('/forms', { params: { query }, signal }), {
    enabled: noun === 'forms',
  })
  const all = { topics: topics.data?.data, forms: forms.data?.data }[noun] ?? []
  return all.map(({ id, name }) => ({ value: id, label: name }))
}

/** Chooses a segment; where it does not record who comes and goes, that is turned on here. */
function SegmentPart({ value, onChange, errorOf, readOnly = false }: Props) {
  const t = useTexts()
  const may = useMay()
  const words = t.workflows.starting
  const segments = useAsk(['segments', 'list'], (api, signal) => api.GET('/segments', { signal }))
  const all = segments.data ?? []
  const chosen = all.find(({ slug }) => slug === value.segment)
  const track = useAct(
    (api, id: string) => api.PATCH('/segments/{id}', { params: { path: { id } }, body: { trackMembership: true } }),
    { changes: ['segments'], done: words.tracked },
  )
  const isQuiet = chosen?.type === 'DYNAMIC' && !chosen.trackMembership
  return (
    <>
      <Select
        label={words.segment}
        data={all.map(({ slug, name }) => ({ value: slug, label: name }))}
        value={value.segment === '' ? null : value.segment}
        onChange={(segment) => onChange({ ...value, segment: segment ?? '' })}
        required
        allowDeselect={false}
        searchable
        disabled={readOnly}
        placeholder={segments.data?.length === 0 ? words.none.segments : undefined}
        nothingFoundMessage={t.anywhere.nothingFound}
        error={errorOf('eventName')}
      />
      {isQuiet ? (
        <Alert color="yellow" p="sm">
          <Group justify="space-between" gap="sm">
            <Text size="sm">{words.notTracked}</Text>
            {may.contacts ? (
              <Button
                size="compact-sm"
                variant="default"
                loading={track.isPending}
                onClick={() => track.mutate(chosen.id)}
              >
                {words.track}
              </Button>
            ) : null}
          </Group>
        </Alert>
      ) : null}
    </>
  )
}

/** Fields that are no keys of the data. */
const OF_RECORD = /^(data\.|contact\.|createdAt$|updatedAt$)/

function DateParts({ value, onChange, errorOf, readOnly = false }: Props) {
  const t = useTexts()
  const { until, starting: words } = t.workflows
  const fields = [...useDataFields().map((field) => field.replace(/^data\./, '')), 'createdAt']
  const put = (changed: Partial<Start>) => onChange({ ...value, ...changed })
  return (
    <>
      <Autocomplete
        label={until.field}
        description={words.fieldHint}
        required
        data={fields}
        renderOption={({ option }) => (
          <Text size="sm">
            {fieldInWords(option.value)}{' '}
            <Text span size="xs" c="dimmed">
              {option.value}
            </Text>
          </Text>
        )}
        disabled={readOnly}
        value={value.field.replace(/^data\./, '')}
        onChange={(name) => put({ field: name === '' || OF_RECORD.test(name) ? name : `data.${name}` })}
        error={errorOf('field')}
      />
      <Group gap="sm" align="flex-start" grow>
        <Select
          label={until.direction}
          data={Object.entries(words.directions).map(([key, label]) => ({ value: key, label }))}
          allowDeselect={false}
          disabled={readOnly}
          value={value.direction}
          onChange={(direction) => put({ direction: (direction ?? 'on') as Start['direction'] })}
        />
        {value.direction === 'on' ? null : (
          <>
            <AmountInput
              label={words.distance}
              value={value.amount}
              onChange={(amount) => put({ amount })}
              error={errorOf('offset')}
            />
            <Select
              label={t.workflows.unit}
              data={(['days', 'weeks'] as const).map((unit) => ({ value: unit, label: until.units[unit] }))}
              allowDeselect={false}
              disabled={readOnly}
              value={value.unit}
              onChange={(unit) => put({ unit: unit === 'weeks' ? 'weeks' : 'days' })}
            />
          </>
        )}
        <TextInput
          label={until.at}
          type="time"
          disabled={readOnly}
          value={value.at}
          onChange={({ currentTarget }) => put({ at: currentTarget.value })}
          error={errorOf('at')}
        />
      </Group>
      <Checkbox
        label={until.yearly}
        disabled={readOnly}
        checked={value.yearly}
        onChange={({ currentTarget }) => put({ yearly: currentTarget.checked })}
      />
      <Autocomplete
        label={until.zone}
        description={words.zoneHint}
        data={Intl.supportedValuesOf('timeZone')}
        limit={20}
        disabled={readOnly}
        value={value.timezone}
        onChange={(timezone) => put({ timezone })}
        error={errorOf('timezone')}
      />
    </>
  )
}
