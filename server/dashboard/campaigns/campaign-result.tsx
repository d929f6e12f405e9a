import { Alert, Group, Paper, Progress, Stack, Tabs, Text, Title } from '@mantine/core'
import { useReducedMotion } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useAsk } from '../api/ask.ts'
import { useAddress } from '../parts/address.ts'
import { deliveredName } from '../parts/delivered.ts'
import { useFormats } from '../parts/formats.ts'
import { MailFrame } from '../parts/mail-frame.tsx'
import { Problem } from '../parts/problem.tsx'
import { useTexts } from '../texts/texts.tsx'
import { BrakeQuestion } from './brake-question.tsx'
import { Course } from './course.tsx'
import { LeftOut } from './left-out.tsx'
import { Links } from './links.tsx'
import { Publish } from './publish.tsx'
import { type Campaign, usePreview } from './queries.ts'
import { Recipients } from './recipients.tsx'
import { ResultFigures } from './result-figures.tsx'
import { SendAgain, SendToOthers } from './send-again.tsx'
import { PlanProgress } from './send-plan.tsx'
import { VariantResults } from './variant-results.tsx'

/** The choices of figures among the lists. */
const BEHIND = [
  ...['sent', 'delivered', 'opened', 'clicked', 'unsubscribed', 'replied', 'bounced', 'complained', 'status'],
  ...['variant', 'metric', 'link'],
]
/** So many pixels of the lists must be in view, or the page moves there. */
const SEEN = 200

/** The results of a campaign: each figure opens the people behind it. */
export function CampaignResult({ campaign }: { readonly campaign: Campaign }) {
  const t = useTexts()
  const { values, change } = useAddress()
  const stats = useAsk(
    ['campaigns', campaign.id, 'stats', campaign.status],
    (api, signal) => api.GET('/campaigns/{id}/stats', { params: { path: { id: campaign.id } }, signal }),
    { every: campaign.status === 'SENDING' ? 2000 : 20_000, keep: true },
  )
  const { data } = stats
  const tab = values.tab ?? 'recipients'
  const lists = useRef<HTMLDivElement>(null)
  const isStill = useReducedMotion()
  // a figure leads to its list, which is far below it
  const chosen = JSON.stringify([tab, ...BEHIND.map((name) => values[name])])
  const shownFirst = useRef(chosen)
  useEffect(() => {
    if (chosen === shownFirst.current) return
    shownFirst.current = chosen
    const { top = 0 } = lists.current?.getBoundingClientRect() ?? {}
    const behavior = isStill ? 'auto' : 'smooth'
    if (top > window.innerHeight - SEEN) lists.current?.scrollIntoView({ behavior, block: 'start' })
  }, [chosen, isStill])
  return (
    <Stack>
      <WhatHappened campaign={campaign} />
      {campaign.status === 'SENDING' || campaign.status === 'PAUSED' ? <Live campaign={campaign} /> : null}
      <VariantResults campaign={campaign} />
      <ResultFigures id={campaign.id} data={data} />
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {t.campaigns.openNote}
        </Text>
        <Group gap="xs">
          <SendAgain campaign={campaign} did="notOpened" />
          <SendToOthers campaign={campaign} />
        </Group>
      </Group>
      <Publish campaign={campaign} />
      {campaign.startedAt === undefined ? null : (
        <Course campaign={campaign} delivered={deliveredName(t, data?.delivered, data?.toFolder)} />
      )}
      <Tabs
        ref={lists}
        value={tab}
        onChange={(chosen) =>
          change({ tab: chosen ?? undefined, reason: undefined, cursor: undefined, page: undefined })
        }
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="recipients">{t.campaigns.people_behind}</Tabs.Tab>
          <Tabs.Tab value="left-out">{t.campaigns.leftOut}</Tabs.Tab>
          <Tabs.Tab value="links">{t.campaigns.links}</Tabs.Tab>
          <Tabs.Tab value="mail">{t.campaigns.mail}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="recipients">
          <Recipients campaign={campaign} />
        </Tabs.Panel>
        <Tabs.Panel value="left-out">
          <LeftOut campaign={campaign} skipped={data?.skipped} />
        </Tabs.Panel>
        <Tabs.Panel value="links">
          <Links id={campaign.id} />
        </Tabs.Panel>
        <Tabs.Panel value="mail">
          <Sample campaign={campaign} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

/** Why it is not simply on its way, or done. */
function WhatHappened({ campaign: { id, status, statusReason, braked, testing } }: { readonly campaign: Campaign }) {
  const t = useTexts()
  if (status === 'PAUSED' && braked?.decision === null) return <BrakeQuestion id={id} braked={braked} />
  // that its rest waits is said with the results of its test
  if (statusReason === undefined || (status === 'SENDING' && testing?.phase === 'waiting')) return null
  return (
    <Alert color={status === 'SENT' ? 'yellow' : 'red'} title={t.campaigns.problem}>
      {t.reasons(statusReason)}
    </Alert>
  )
}

function Sample({ campaign }: { readonly campaign: Campaign }) {
  const t = useTexts()
  const preview = usePreview(campaign.id, 'result')
  const sample = preview.data?.sample
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {sample?.subject ?? campaign.subject}
      </Title>
      {preview.error ? (
        <Problem error={preview.error} retry={() => void preview.refetch()} />
      ) : (
        <MailFrame html={sample?.html ?? campaign.body} title={t.preview.title} pictures />
      )}
    </Paper>
  )
}

/** How far it is, how fast it goes and when it will be done. */
function Live({ campaign }: { readonly campaign: Campaign }) {
  const t = useTexts()
  const formats = useFormats()
  const { totalRecipients, queued, status } = campaign
  const done = Math.max(0, totalRecipients - queued)
  const perSecond = useRate(done, status === 'SENDING')
  // mails that wait for a time of their own come no sooner at any rate; that time is said below
  const isPrompt = perSecond > 0 && queued > 0 && campaign.waiting?.reason === undefined
  const left = isPrompt ? new Date(Date.now() + Math.max(1, queued / perSecond) * 1000) : undefined
  return (
    <Paper withBorder p="md">
      <Progress
        value={totalRecipients === 0 ? 0 : (done / totalRecipients) * 100}
        animated={status === 'SENDING'}
        color={status === 'PAUSED' ? 'yellow' : undefined}
        size="lg"
        aria-label={t.status[status]}
      />
      <Text size="sm" mt="xs" aria-live="polite">
        {t.anywhere.progress(formats.number(done), formats.number(totalRecipients))}
        {perSecond > 0 ? ` · ${t.campaigns.rate(formats.number(Math.round(perSecond * 60)))}` : ''}
        {left ? ` · ${t.campaigns.endsAt(formats.ago(left))}` : ''}
      </Text>
      <PlanProgress campaign={campaign} />
    </Paper>
  )
}

/** How many a second, over the last looks. */
function useRate(done: number, isLive: boolean): number {
  const looks = useRef<{ readonly at: number; readonly done: number }[]>([])
  const [rate, setRate] = useState(0)
  useEffect(() => {
    const now = { at: Date.now(), done }
    looks.current = [...looks.current, now].slice(-8)
    const [first = now] = looks.current
    const seconds = (now.at - first.at) / 1000
    setRate(isLive && seconds > 0 ? Math.max(0, now.done - first.done) / seconds : 0)
  }, [done, isLive])
  return rate
}
