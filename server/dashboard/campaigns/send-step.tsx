import { Button, Group, Paper, Radio, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { useAct } from '../api/ask.ts'
import { Answer } from '../parts/answer.tsx'
import { useFormats } from '../parts/formats.ts'
import { useLastQuestion } from '../parts/last-question.tsx'
import { useUnsavedGuard } from '../parts/unsaved.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ArchivedTopic } from './archived-topic.tsx'
import { AudienceCount } from './check-step.tsx'
import { useCampaignFindings } from './findings.ts'
import { Publish } from './publish.tsx'
import { type Campaign, usePreview } from './queries.ts'
import { PlanFields } from './send-plan.tsx'
import { TestFields } from './test-fields.tsx'

const ZONES = [
  'UTC',
  'America/New_York',
  'America/Los_Angeles',
  'Europe/London',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Asia/Tokyo',
  'Australia/Sydney',
]

/** Sends a draft, now or at a time. The number is asked for once more, so that it is the one that is mailed. */
export function SendStep({ campaign }: { readonly campaign: Campaign }) {
  const t = useTexts()
  const formats = useFormats()
  const { ask, isAsking } = useLastQuestion()
  const findings = useCampaignFindings()
  const preview = usePreview(campaign.id, 'send')
  const [when, setWhen] = useState<'now' | 'later'>(campaign.scheduledFor === null ? 'now' : 'later')
  const [time, setTime] = useState(localTime(campaign.scheduledFor))
  const [zone, setZone] = useState('UTC')
  const [isCounting, setCounting] = useState(false)
  const [isDirty, setDirty] = useState(false)
  const [isTestDirty, setTestDirty] = useState(false)
  // both are gone with this step, and the mail would go out without them
  useUnsavedGuard(isDirty || isTestDirty)
  const send = useAct(
    (api, scheduledFor: string | undefined) =>
      api.POST('/campaigns/{id}/send', {
        params: { path: { id: campaign.id } },
        body: scheduledFor === undefined ? {} : { scheduledFor },
      }),
    {
      changes: ['campaigns'],
      done: (_, at) => (at === undefined ? t.campaigns.sending : t.campaigns.scheduled(formats.time(at))),
      // of one that was scheduled before; a draft that is scheduled can be cancelled, but is no draft then
      undo: (_, at) => {
        const { id, status, scheduledFor } = campaign
        if (at === undefined || status !== 'SCHEDULED' || !isAhead(scheduledFor)) return undefined
        return (api) => api.POST('/campaigns/{id}/send', { params: { path: { id } }, body: { scheduledFor } })
      },
    },
  )
  const chosen = time === '' ? undefined : new Date(time)
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  /** The reason why it cannot be sent now; undefined when it can. */
  const why = (recipients: number): string | undefined => {
    // those of a later time are chosen then, and may be there by then; the last question says it, too
    if (recipients === 0 && when === 'now') return t.campaigns.nobodyGetsIt
    if (isDirty) return t.campaigns.savePlanFirst
    if (isTestDirty) return t.campaigns.saveTestFirst
    if (when === 'now') return undefined
    if (chosen === undefined) return t.campaigns.timeFirst
    return chosen.getTime() < Date.now() ? t.campaigns.timePast : undefined
  }
  const go = async () => {
    // people come and go while the page is open
    setCounting(true)
    const { data, isError } = await preview.refetch().finally(() => setCounting(false))
    const recipients = data?.totalRecipients ?? 0
    if (isError || why(recipients) !== undefined) return
    const find = () => findings(campaign)
    if (when === 'later') {
      if (chosen === undefined) return
      const question = {
        title: t.checks.scheduleTitle,
        yes: t.campaigns.sendAt,
        yesAllTheSame: t.checks.scheduleAllTheSame,
      }
      if (await ask(find, question)) send.mutate(chosen.toISOString())
      return
    }
    const question = { title: t.campaigns.sendTitle(formats.number(recipients)), hint: t.campaigns.sendHint }
    const answers = { yes: t.campaigns.sendNow, yesAllTheSame: t.checks.sendAllTheSame, always: true }
    if (await ask(find, { ...question, ...answers })) send.mutate(undefined)
  }
  return (
    // an older number is none to send by
    <Answer of={{ data: preview.error ? undefined : preview.data, error: preview.error, refetch: preview.refetch }}>
      {(found) => (
        <Stack>
          <AudienceCount {...found} isLater={when === 'later'} />
          <ArchivedTopic campaign={campaign} />
          <Paper withBorder p="lg">
            <Stack>
              <Radio.Group
                label={t.campaigns.when}
                value={when}
                onChange={(value) => setWhen(value === 'later' ? 'later' : 'now')}
              >
                <Stack gap="xs" mt="xs">
                  <Radio value="now" label={t.campaigns.now} />
                  <Radio value="later" label={t.campaigns.later} />
                </Stack>
              </Radio.Group>
              {when === 'later' ? (
                <Group align="flex-start">
                  <TextInput
                    type="datetime-local"
                    label={t.campaigns.sendTime}
                    description={t.campaigns.inYourZone(here)}
                    value={time}
                    onChange={({ currentTarget }) => setTime(currentTarget.value)}
                    w={260}
                  />
                  <Select
                    label={t.campaigns.otherZone}
                    description={
                      chosen === undefined
                        ? ' '
                        : t.campaigns.elsewhere(
                            new Intl.DateTimeFormat(formats.locale, {
                              dateStyle: 'medium',
                              timeStyle: 'short',
                              timeZone: zone,
                            }).format(chosen),
                            zone,
                          )
                    }
                    data={[...new Set([...ZONES, ...Intl.supportedValuesOf('timeZone')])]}
                    searchable
                    allowDeselect={false}
                    value={zone}
                    onChange={(value) => value && setZone(value)}
                    w={320}
                  />
                </Group>
              ) : null}
              {when === 'later' && chosen !== undefined && localTime(chosen.toISOString()) !== time.slice(0, 16) ? (
                <Text size="sm">{t.campaigns.timeSkipped(formats.time(chosen))}</Text>
              ) : null}
              <PlanFields campaign={campaign} onDirty={setDirty} />
              <TestFields campaign={campaign} recipients={found.totalRecipients} onDirty={setTestDirty} />
              {campaign.status === 'SCHEDULED' && campaign.scheduledFor !== null ? (
                <Text size="sm">{t.campaigns.scheduled(formats.exact(campaign.scheduledFor))}</Text>
              ) : null}
              <Publish campaign={campaign} />
              <Group justify="flex-end">
                {why(found.totalRecipients) === undefined ? null : (
                  <Text size="sm" c="dimmed" role="status">
                    {why(found.totalRecipients)}
                  </Text>
                )}
                <Button
                  leftSection={<IconSend size={16} />}
                  disabled={why(found.totalRecipients) !== undefined}
                  loading={send.isPending || isAsking || isCounting}
                  onClick={() => void go()}
                >
                  {when === 'now' ? t.campaigns.sendNow : t.campaigns.sendAt}
                </Button>
              </Group>
            </Stack>
          </Paper>
        </Stack>
      )}
    </Answer>
  )
}

/** A time as `datetime-local` wants it, in the viewer's zone. */
function localTime(iso: string | null): string {
  if (iso === null) return ''
  const date = new Date(iso)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Whether a time is still to come: in the past it would mean now. */
function isAhead(time: string | null): time is string {
  return time !== null && new Date(time).getTime() > Date.now() + 60_000
}
