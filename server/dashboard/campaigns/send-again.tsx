import { Button, Stack, Text } from '@mantine/core'
import { useLocation } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { useFormats } from '../parts/formats.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Campaign } from './queries.ts'

/** The longest part of the campaign's name that the draft takes over. */
const NAME = 200

/** Offers a draft to those subscribed contacts who did this with the campaign, with their number. */
export function SendAgain({
  campaign,
  did,
}: {
  readonly campaign: Campaign
  readonly did: 'opened' | 'notOpened' | 'clicked'
}) {
  const t = useTexts()
  const may = useMay()
  const formats = useFormats()
  const confirm = useConfirm()
  const [, navigate] = useLocation()
  const filter: components['schemas']['Filter'] = {
    operator: 'AND',
    conditions: [{ field: `campaign.${campaign.id}`, operator: did }],
  }
  const count = useAsk(
    ['contacts', 'of-campaign', campaign.id, did],
    (api, signal) =>
      api.GET('/contacts/count', { params: { query: { filter: JSON.stringify(filter), subscribed: true } }, signal }),
    { enabled: may.change },
  )
  const make = useAct(
    (api) => {
      const { name, subject, preheader, body, design, source, layoutId, from, fromName, replyTo } = campaign
      return api.POST('/campaigns', {
        body: {
          name: t.campaigns.againName[did](name.slice(0, NAME)),
          ...{ subject, from },
          ...(source === undefined ? { body } : { source }),
          ...(fromName === undefined ? {} : { fromName }),
          ...(preheader === undefined ? {} : { preheader }),
          ...(design === undefined ? {} : { design }),
          ...(layoutId === undefined ? {} : { layoutId }),
          ...(replyTo === undefined ? {} : { replyTo }),
          audienceType: 'FILTERED',
          audienceFilter: filter,
        },
      })
    },
    { changes: ['campaigns'], onDone: ({ data }) => navigate(`/${data.id}?step=audience`) },
  )
  const total = count.data?.count ?? 0
  if (!may.change || total === 0) return null
  const title = t.campaigns.again[did](formats.number(total))
  const text = (
    <Stack gap="xs">
      <Text size="sm">{t.campaigns.againHint}</Text>
      {did === 'notOpened' ? <Text size="sm">{t.campaigns.againUnknown}</Text> : null}
    </Stack>
  )
  const ask = async () => {
    if (await confirm({ title, text, yes: t.campaigns.againMake })) make.mutate()
  }
  return (
    <Button
      size="compact-sm"
      variant="light"
      // on a phone it takes two lines
      h="auto"
      mih={26}
      styles={{ label: { whiteSpace: 'normal' } }}
      onClick={() => void ask()}
      loading={make.isPending}
    >
      {title}
    </Button>
  )
}
