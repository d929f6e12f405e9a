import { SimpleGrid, Stack, Text } from '@mantine/core'
import type { components } from '../api/client.ts'
import { deliveredName, toFolderNote } from '../parts/delivered.ts'
import { Figure } from '../parts/figure.tsx'
import { useFormats } from '../parts/formats.ts'
import { useTexts } from '../texts/texts.tsx'
import { leftOutOf } from './left-out.tsx'

type Stats = components['schemas']['CampaignStats']

/** The figures of a campaign; each opens the people behind it. Those that are zero share a line, except the first four. */
export function ResultFigures({ id, data }: { readonly id: string; readonly data: Stats | undefined }) {
  const t = useTexts()
  const formats = useFormats()
  const { figures, none } = t.campaigns
  const value = (count: number | undefined) => (count === undefined ? undefined : formats.number(count))
  const behind = (query: string) => `/${id}?tab=recipients${query}`
  const share = (part: number) =>
    data && data.sent > 0 ? t.campaigns.ofSent(formats.percent((part / data.sent) * 100)) : undefined
  // refused at once is not sent, so that these two are shares of both
  const tried = (rate: number) => t.campaigns.ofTried(formats.percent(rate))
  // those counted without their names are in no list
  const shareOf = (part: number, anonymous: number) =>
    [share(part), anonymous > 0 ? t.campaigns.nameless(formats.number(anonymous)) : undefined]
      .filter((text) => text !== undefined)
      .join(' · ')
  const shared = (key: 'unsubscribed' | 'replied' | 'complained', { [key]: count }: Stats): Further => ({
    key,
    count,
    href: behind(`&${key}=true`),
    note: count === 0 ? undefined : share(count),
  })
  const further = (stats: Stats): readonly Further[] => [
    shared('unsubscribed', stats),
    shared('replied', stats),
    {
      key: 'bounced',
      count: stats.bounced,
      href: behind('&bounced=true'),
      note: stats.bounced === 0 ? undefined : tried(stats.bounceRate),
    },
    shared('complained', stats),
    { key: 'failed', count: stats.failed, href: behind('&status=FAILED') },
    {
      key: 'skipped',
      count: leftOutOf(stats.skipped),
      href: `/${id}?tab=left-out`,
      note: stats.leftOutAtStart > 0 ? t.campaigns.leftOutAtStart(formats.number(stats.leftOutAtStart)) : undefined,
    },
    { key: 'queued', count: stats.queued, href: behind('&status=QUEUED') },
  ]
  const all = data === undefined ? [] : further(data)
  const zeros = all.filter(({ count, note }) => count === 0 && note === undefined)
  const said = zeros.flatMap(({ key }) => none[key] ?? []).join(', ')
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Figure
          name={figures.sent}
          value={value(data?.sent)}
          href={behind('&sent=true')}
          note={data ? `${figures.recipients}: ${formats.number(data.totalRecipients)}` : undefined}
        />
        <Figure
          name={deliveredName(t, data?.delivered, data?.toFolder)}
          value={value(data?.delivered)}
          note={
            data &&
            (toFolderNote(t, data.delivered, data.toFolder, formats.number(data.toFolder)) ??
              (data.sent + data.bounced > 0 ? tried(data.deliveryRate) : undefined))
          }
          href={behind('&delivered=true')}
        />
        <Figure
          name={figures.opened}
          value={value(data?.opened)}
          note={data && shareOf(data.opened, data.anonymous.opened)}
          href={behind('&opened=true')}
        />
        <Figure
          name={figures.clicked}
          value={value(data?.clicked)}
          note={data && shareOf(data.clicked, data.anonymous.clicked)}
          href={behind('&clicked=true')}
        />
        {all
          .filter((figure) => !zeros.includes(figure))
          .map(({ key, count, href, note }) => (
            <Figure
              key={key}
              name={key === 'skipped' ? (t.status.SKIPPED ?? '') : figures[key]}
              value={value(count)}
              note={note}
              href={href}
            />
          ))}
      </SimpleGrid>
      {said !== '' && data !== undefined && data.sent > 0 ? (
        <Text size="sm" c="dimmed">
          {`${said.charAt(0).toUpperCase()}${said.slice(1)}.`}
        </Text>
      ) : null}
    </Stack>
  )
}

interface Further {
  readonly key: 'unsubscribed' | 'replied' | 'bounced' | 'complained' | 'failed' | 'skipped' | 'queued'
  readonly count: number
  readonly href: string
  readonly note?: string | undefined
}
