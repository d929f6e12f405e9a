import { Button } from '@mantine/core'
import { IconPlus, IconRepeat } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { components } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { useFormats } from '../parts/formats.ts'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { useTexts } from '../texts/texts.tsx'
import { rhythmInWords } from './series-words.ts'

type Series = components['schemas']['Series']

/** The campaigns that are made again and again. */
export function SeriesList() {
  const t = useTexts()
  const formats = useFormats()
  const may = useMay()
  const make = may.campaigns ? (
    <Button component={Link} href="/series/new" leftSection={<IconPlus size={16} />}>
      {t.series.new}
    </Button>
  ) : null
  return (
    <Page
      title={t.series.title}
      hint={t.series.hint}
      trail={[{ text: t.campaigns.title, href: '/' }]}
      actions={
        <>
          <CopyCurl path="/campaign-series" />
          {make}
        </>
      }
    >
      <List<Series>
        noun="series"
        label={t.series.title}
        ask={(api, { page: _, ...query }, signal) => api.GET('/campaign-series', { params: { query }, signal })}
        href={({ id }) => `/series/${id}`}
        rowName={({ name }) => name}
        columns={[
          { key: 'name', title: t.series.name, cell: ({ name }) => name },
          { key: 'status', title: t.anywhere.status, cell: ({ status }) => <Pill status={status} /> },
          { key: 'rhythm', title: t.series.rhythm, cell: ({ rhythm }) => rhythmInWords(rhythm, t) },
          { key: 'next', title: t.series.next, cell: ({ nextAt }) => <Moment at={nextAt} /> },
          { key: 'issues', title: t.series.issues, align: 'right', cell: ({ issues }) => formats.number(issues) },
          {
            key: 'problem',
            title: t.series.problem,
            sparse: true,
            cell: ({ problem }) => (problem === undefined ? '' : t.reasons(problem)),
          },
        ]}
        empty={<Empty icon={<IconRepeat />} title={t.series.empty} hint={t.series.emptyHint} action={make} />}
      />
    </Page>
  )
}
