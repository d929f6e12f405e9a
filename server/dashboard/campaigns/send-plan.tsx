import {
  Alert,
  Anchor,
  Button,
  Checkbox,
  Chip,
  Fieldset,
  Group,
  NumberInput,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAct } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useProject, useProjectId } from '../api/project.tsx'
import { useFormats } from '../parts/formats.ts'
import { wordsOf } from '../parts/refusals.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import type { Campaign } from './queries.ts'

type Plan = components['schemas']['SendPlan']
type Day = NonNullable<Plan['days']>[number]

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const satisfies readonly Day[]
const RECIPIENT = 'recipient'
const PROJECT = ''
/** How mails leave within the hours. */
const WAYS = ['soon', 'at', 'spread'] as const
type Way = (typeof WAYS)[number]

/** When the mails of a draft may go. It is saved by itself, since the campaign's form is that of the steps before. */
export function PlanFields({
  campaign,
  onDirty,
}: {
  readonly campaign: Campaign
  readonly onDirty: (is: boolean) => void
}) {
  const t = useTexts()
  const formats = useFormats()
  const words = t.campaigns.plan
  const project = useProject()
  const [plan, setPlan] = useState<Plan>(campaign.plan ?? {})
  const [isOn, setOn] = useState(campaign.plan !== undefined)
  const save = useAct(
    (api, kept: Plan | null) =>
      api.PUT('/campaigns/{id}', { params: { path: { id: campaign.id } }, body: { plan: kept } }),
    { changes: ['campaigns'], onDone: () => onDirty(false), quiet: true },
  )
  const put = (change: Partial<Plan>) => {
    const next = Object.entries({ ...plan, ...change }).filter(([, value]) => value !== undefined && value !== '')
    setPlan(Object.fromEntries(next))
    save.reset()
    onDirty(true)
  }
  const way: Way = plan.at !== undefined ? 'at' : plan.overHours !== undefined ? 'spread' : 'soon'
  const hasHours = plan.from !== undefined || plan.until !== undefined
  return (
    <Fieldset legend={words.title}>
      <Stack>
        <Checkbox
          label={words.on}
          checked={isOn}
          onChange={({ currentTarget }) => {
            setOn(currentTarget.checked)
            if (!currentTarget.checked && campaign.plan !== undefined) save.mutate(null)
            // what was chosen before stands there again, and is not saved
            onDirty(currentTarget.checked && Object.keys(plan).length > 0)
          }}
        />
        {isOn ? (
          <>
            <div>
              <Text size="sm" fw={500}>
                {words.days}
              </Text>
              <Chip.Group
                multiple
                value={[...(plan.days ?? DAYS)]}
                onChange={(chosen) => put({ days: chosen.length === DAYS.length ? undefined : (chosen as Day[]) })}
              >
                <Group gap="xs" mt={4} role="group" aria-label={words.days}>
                  {DAYS.map((day) => (
                    <Chip key={day} value={day} size="xs">
                      {words.dayNames[day]}
                    </Chip>
                  ))}
                </Group>
              </Chip.Group>
            </div>
            <Checkbox
              label={words.hours}
              checked={hasHours}
              onChange={({ currentTarget }) =>
                put(currentTarget.checked ? { from: '09:00', until: '18:00' } : { from: undefined, until: undefined })
              }
            />
            {hasHours ? (
              <Group>
                {(['from', 'until'] as const).map((edge) => (
                  <TextInput
                    key={edge}
                    type="time"
                    label={words[edge]}
                    value={plan[edge] ?? ''}
                    onChange={({ currentTarget }) => put({ [edge]: currentTarget.value })}
                  />
                ))}
              </Group>
            ) : null}
            <Select
              label={words.zone}
              description={plan.timeZone === RECIPIENT ? words.zoneHint : undefined}
              data={[
                { value: PROJECT, label: words.ofProject(project.timeZone ?? 'UTC') },
                { value: RECIPIENT, label: words.ofRecipient },
                ...Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: zone })),
              ]}
              searchable
              allowDeselect={false}
              value={plan.timeZone ?? PROJECT}
              onChange={(timeZone) => put({ timeZone: timeZone ?? undefined })}
              maw={360}
            />
            <Select
              label={words.way}
              data={WAYS.map((value) => ({ value, label: words.ways[value] }))}
              allowDeselect={false}
              value={way}
              onChange={(chosen) =>
                put({
                  at: chosen === 'at' ? (plan.from ?? '09:00') : undefined,
                  overHours: chosen === 'spread' ? 4 : undefined,
                })
              }
              maw={360}
            />
            {way === 'at' ? (
              <TextInput
                type="time"
                label={words.at}
                value={plan.at ?? ''}
                onChange={({ currentTarget }) => put({ at: currentTarget.value || '09:00' })}
                maw={160}
              />
            ) : null}
            {way === 'spread' ? (
              <NumberInput
                label={words.overHours}
                min={1}
                max={720}
                allowDecimal={false}
                value={plan.overHours ?? ''}
                onChange={(hours) => put({ overHours: Number(hours) || 1 })}
                maw={160}
              />
            ) : null}
            <NumberInput
              label={words.perDay}
              description={words.perDayHint}
              min={1}
              allowDecimal={false}
              value={plan.perDay ?? ''}
              onChange={(most) => put({ perDay: Number(most) || undefined })}
              maw={360}
            />
            <Text size="sm" aria-live="polite">
              {planSentence(plan, t, project.timeZone ?? 'UTC', formats)}
            </Text>
            {save.error ? (
              <Alert color="red" role="alert">
                {wordsOf(save.error, t).message}
              </Alert>
            ) : null}
            <Group>
              <Button variant="default" loading={save.isPending} onClick={() => save.mutate(plan)}>
                {words.save}
              </Button>
              <Text size="sm" c="dimmed" role="status">
                {save.isSuccess ? words.saved : ''}
              </Text>
            </Group>
          </>
        ) : null}
      </Stack>
    </Fieldset>
  )
}

/** The plan in plain words. */
function planSentence(
  { days, from, until, timeZone, at, overHours, perDay }: Plan,
  t: Texts,
  zone: string,
  { number }: Pick<ReturnType<typeof useFormats>, 'number'>,
): string {
  const { sentence, dayNames } = t.campaigns.plan
  const chosen = DAYS.filter((day) => days?.includes(day)).map((day) => dayNames[day])
  const clocks =
    timeZone === RECIPIENT
      ? sentence.byRecipient
      : timeZone === undefined
        ? sentence.byZone(zone)
        : sentence.byZone(timeZone)
  return [
    chosen.length === 0 ? sentence.everyDay : sentence.onDays(chosen.join(', ')),
    from !== undefined && until !== undefined ? sentence.between(from, until) : sentence.allDay,
    clocks,
    ...(at === undefined ? [] : [sentence.at(at)]),
    ...(overHours === undefined ? [] : [sentence.spread(overHours)]),
    ...(perDay === undefined ? [] : [sentence.perDay(number(perDay))]),
  ].join(' ')
}

/** When the last mail goes, and why the next one waits. */
export function PlanProgress({ campaign }: { readonly campaign: Campaign }) {
  const t = useTexts()
  const formats = useFormats()
  const project = useProject()
  const { plan, planZones, waiting } = campaign
  const words = t.campaigns.plan
  const { contact = 0, country = 0, project: rest = 0 } = planZones ?? {}
  return (
    <>
      {plan === undefined ? null : <Text size="sm">{planSentence(plan, t, project.timeZone ?? 'UTC', formats)}</Text>}
      {planZones === undefined ? null : (
        <Text size="sm" c="dimmed">
          {words.zones(formats.number(contact), formats.number(country), formats.number(rest))}
        </Text>
      )}
      {waiting?.reason === undefined ? null : <Waiting waiting={waiting} />}
    </>
  )
}

function Waiting({ waiting }: { readonly waiting: NonNullable<Campaign['waiting']> }) {
  const t = useTexts()
  const formats = useFormats()
  const words = t.campaigns.plan
  const project = useProjectId()
  const { reason, message, nextAt, lastAt } = waiting
  const why = reason === 'putOff' ? words.reasons.putOff(message ?? '') : words.reasons[reason ?? 'plan']
  return (
    <Text size="sm">
      {words.waits(formats.time(nextAt), why)}{' '}
      {formats.time(lastAt) === formats.time(nextAt) ? null : words.last(formats.time(lastAt))}
      {reason === 'quota' || reason === 'ramp' ? (
        <>
          {' '}
          <Anchor component={Link} href={toProject(project, '/settings?tab=limits')} inherit underline="always">
            {words.toLimits}
          </Anchor>
        </>
      ) : null}
    </Text>
  )
}
