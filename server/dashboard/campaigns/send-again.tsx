import { Button, Menu, Stack, Text } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ApiError } from '../api/api-error.ts'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { useFormats } from '../parts/formats.ts'
import { wordsOf } from '../parts/refusals.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Campaign } from './queries.ts'

/** The longest part of the campaign's name that the draft takes over. */
const NAME = 200

type Filter = components['schemas']['Filter']
type Did = 'opened' | 'notOpened' | 'clicked' | 'notClicked' | 'failed' | 'fresh'

/** The API's name for each of them, and the filter that finds them. */
const CHOICES = {
  opened: { to: 'opened', operators: ['humanOpened'] },
  notOpened: { to: 'not-opened', operators: ['notHumanOpened'] },
  clicked: { to: 'clicked', operators: ['humanClicked'] },
  notClicked: { to: 'not-clicked', operators: ['notHumanClicked'] },
  failed: { to: 'failed', operators: ['failed', 'bounced'] },
  fresh: { to: 'new', operators: ['notMailed'] },
} as const

/** Offers a draft to those subscribed contacts who did this with the campaign, with their number, or says why there is none. */
export function SendAgain({ campaign, did }: { readonly campaign: Campaign; readonly did: Did }) {
  const may = useMay()
  const { total, title, ask, isPending, refusal } = useAgain(campaign, did, may.campaigns)
  if (refusal !== undefined)
    return (
      <Text size="sm" c="dimmed">
        {refusal}
      </Text>
    )
  if (!may.campaigns || !isFinished(campaign) || total === 0) return null
  return (
    <Button
      size="compact-sm"
      variant="light"
      // on a phone it takes two lines
      h="auto"
      mih={26}
      styles={{ label: { whiteSpace: 'normal' } }}
      onClick={ask}
      loading={isPending}
    >
      {title}
    </Button>
  )
}

/** Offers the same for the others, counted once the user looks. */
export function SendToOthers({ campaign }: { readonly campaign: Campaign }) {
  const t = useTexts()
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  const notClicked = useAgain(campaign, 'notClicked', isOpen)
  const failed = useAgain(campaign, 'failed', isOpen)
  const fresh = useAgain(campaign, 'fresh', isOpen)
  if (!may.campaigns || !isFinished(campaign)) return null
  const others = [notClicked, failed, fresh]
  const refusal = others.map((each) => each.refusal).find((each) => each !== undefined)
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end">
      <Menu.Target>
        <Button size="compact-sm" variant="default" rightSection={<IconChevronDown size={14} />}>
          {t.campaigns.againOthers}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {refusal === undefined ? (
          others.map(({ did, title, total, ask }) => (
            <Menu.Item key={did} onClick={ask} disabled={total === 0}>
              {title}
            </Menu.Item>
          ))
        ) : (
          <Menu.Label maw={320}>{refusal}</Menu.Label>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

function useAgain(campaign: Campaign, did: Did, isAsked: boolean) {
  const t = useTexts()
  const formats = useFormats()
  const confirm = useConfirm()
  const [, navigate] = useLocation()
  const { to, operators } = CHOICES[did]
  const either = operators.map((operator) => ({ field: `campaign.${campaign.id}`, operator }))
  const filter: Filter = {
    operator: 'AND',
    conditions: [...audienceOf(campaign), { operator: 'OR', conditions: either }],
  }
  const count = useAsk(
    ['contacts', 'of-campaign', campaign.id, did],
    (api, signal) =>
      api.GET('/contacts/count', { params: { query: { filter: JSON.stringify(filter), subscribed: true } }, signal }),
    // as often as the figures beside it
    { enabled: isAsked && isFinished(campaign), every: (found) => (found === undefined ? false : 20_000), keep: true },
  )
  const make = useAct(
    (api) =>
      api.POST('/campaigns/{id}/again', {
        params: { path: { id: campaign.id } },
        body: { to, name: t.campaigns.againName[did](campaign.name.slice(0, NAME)) },
      }),
    { changes: ['campaigns'], onDone: ({ id }) => navigate(`/${id}`) },
  )
  const { data, error } = count
  const total = data?.count ?? 0
  // what its rules name was deleted since; of other refusals, the last number is worth more
  const isGone = error instanceof ApiError && error.status === 422
  const refusal = isGone ? t.campaigns.againGone : error && data === undefined ? wordsOf(error, t).message : undefined
  const title = t.campaigns.again[did](data === undefined ? '…' : formats.number(total))
  const text = (
    <Stack gap="xs">
      <Text size="sm">{t.campaigns.againHint}</Text>
      {did === 'failed' ? <Text size="sm">{t.campaigns.againSuppressed}</Text> : null}
      {did === 'failed' || did === 'fresh' ? null : <Text size="sm">{t.campaigns.againHumans}</Text>}
      {did === 'notOpened' || did === 'notClicked' ? <Text size="sm">{t.campaigns.againUnknown}</Text> : null}
    </Stack>
  )
  const ask = async () => {
    if (await confirm({ title, text, yes: t.campaigns.againMake })) make.mutate()
  }
  return { did, total, title, ask: () => void ask(), isPending: make.isPending, refusal }
}

/** Whether all that was to be sent of it was sent. */
function isFinished({ status, startedAt }: Campaign): boolean {
  return startedAt !== undefined && (status === 'SENT' || status === 'CANCELLED' || status === 'FAILED')
}

/** Conditions that hold for those it was meant for. */
function audienceOf({ audienceType, segmentId, audienceFilter }: Campaign): Filter['conditions'] {
  if (audienceType === 'SEGMENT') return [{ field: `segment.${segmentId}`, operator: 'memberOfSegment' }]
  return audienceType === 'FILTERED' && audienceFilter !== undefined ? [audienceFilter] : []
}
