import { Stack, Text } from '@mantine/core'
import type { components } from '../api/client.ts'
import { useFormats } from '../parts/formats.ts'
import { Moment } from '../parts/moment.tsx'
import { SectionHead } from '../parts/section-head.tsx'
import { DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'

type State = components['schemas']['OperatorState']

/** How much of the quotas of transports is used, as we count it and as their providers do. */
export function Quotas({ quotas, providerQuotas }: Pick<State, 'quotas' | 'providerQuotas'>) {
  const t = useTexts()
  const formats = useFormats()
  const words = t.operator.quotas
  if (quotas.length + providerQuotas.length === 0) return null
  const ours = quotas.map(({ transport, period, most, sent, renewsAt }) => {
    const left = { of: words.periods[period], used: formats.number(sent), most: formats.number(most), at: renewsAt }
    return { id: `${transport} ${period}`, transport, ...left, problem: undefined }
  })
  const theirs = providerQuotas.map(({ transport, perDay, perSecond, sent, at, error }) => ({
    id: `${transport} provider`,
    transport,
    of: words.provider,
    used: sent === undefined ? '–' : formats.number(sent),
    most:
      error === undefined
        ? words.most(
            perDay === undefined ? undefined : formats.number(perDay),
            perSecond === undefined ? undefined : formats.number(perSecond),
          )
        : '–',
    at,
    problem: error === undefined ? undefined : t.reasons(error),
  }))
  return (
    <Stack component="section" gap="xs">
      <SectionHead title={words.title} hint={words.hint} />
      <DataTable
        name="operator-quotas"
        label={words.title}
        rows={[...ours, ...theirs]}
        columns={[
          { key: 'transport', title: t.operator.transport, cell: ({ transport }) => transport },
          {
            key: 'of',
            title: words.counted,
            cell: ({ of, problem }) => (
              <>
                {of}
                {problem === undefined ? null : (
                  <Text size="sm" c="var(--mw-bad)">
                    {problem}
                  </Text>
                )}
              </>
            ),
          },
          { key: 'used', title: words.used, align: 'right', cell: ({ used }) => used },
          { key: 'most', title: words.allowed, align: 'right', cell: ({ most }) => most },
          { key: 'at', title: words.at, cell: ({ at }) => <Moment at={at} /> },
        ]}
        empty={null}
      />
    </Stack>
  )
}
