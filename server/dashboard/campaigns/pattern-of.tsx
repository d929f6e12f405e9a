import { Alert, Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { useFormats } from '../parts/formats.ts'
import { useTexts } from '../texts/texts.tsx'

/** Names the series that are made from a draft: what is changed in it goes out with their next issue. */
export function PatternOf({ id }: { readonly id: string }) {
  const t = useTexts()
  const formats = useFormats()
  const series = useAsk(['series', 'patterns'], (api, signal) =>
    api.GET('/campaign-series', { params: { query: { limit: 100 } }, signal }),
  )
  const made = (series.data?.series ?? []).filter(({ campaignId }) => campaignId === id)
  return made.map(({ id: of, name, nextAt }) => (
    <Alert key={of} color="blue" mb="md">
      {t.series.patternOf}{' '}
      <Anchor component={Link} href={`/series/${of}`} inherit underline="always">
        {name}
      </Anchor>
      . {nextAt === null ? t.series.patternPaused : t.series.patternNext(formats.time(nextAt))}
    </Alert>
  ))
}
