import { Paper } from '@mantine/core'
import { useLocation } from 'wouter'
import { answerOf } from '../api/client.ts'
import { useApi } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Page } from '../parts/page.tsx'
import { useTexts } from '../texts/texts.tsx'
import { useSeriesQuestion } from './ask-of-series.ts'
import { NEW_SERIES, SeriesForm, seriesBody } from './series-form.tsx'

/** Makes a series, of the campaign in the address if there is one. */
export function NewSeries() {
  const t = useTexts()
  const api = useApi()
  const { values } = useAddress()
  const [, navigate] = useLocation()
  const agree = useSeriesQuestion()
  return (
    <Page
      title={t.series.new}
      trail={[
        { text: t.campaigns.title, href: '/' },
        { text: t.series.title, href: '/series' },
      ]}
    >
      <Paper withBorder p="lg" maw={800}>
        <SeriesForm
          initial={{ ...NEW_SERIES, campaignId: values.campaign ?? '' }}
          save={(fields) => answerOf(api.POST('/campaign-series', { body: seriesBody(fields) }))}
          agree={agree}
          effects={{ changes: ['series'] }}
          onSaved={({ id }) => navigate(`/series/${id}`)}
          submit={t.series.make}
        />
      </Paper>
    </Page>
  )
}
