import { Button } from '@mantine/core'
import { IconPlus, IconUsersGroup } from '@tabler/icons-react'
import { Link, Route, Switch } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { useMay } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { FilterWords } from '../parts/filter/filter-builder.tsx'
import { useFormats } from '../parts/formats.ts'
import { Moment } from '../parts/moment.tsx'
import { OnlyFor } from '../parts/only-for.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { DataTable } from '../parts/table.tsx'
import { MarkedName } from '../parts/together/marked-name.tsx'
import { useTexts } from '../texts/texts.tsx'
import { NewSegment } from './new-segment.tsx'
import { SegmentPage } from './segment-page.tsx'

/** Parts of the contacts, by rules or by hand. */
export default function Segments() {
  return (
    <Switch>
      <Route path="/">
        <SegmentList />
      </Route>
      <Route path="/new">
        <OnlyFor area="contacts">
          <NewSegment />
        </OnlyFor>
      </Route>
      <Route path="/:id">{({ id }) => <SegmentPage key={id} id={id} />}</Route>
    </Switch>
  )
}

function SegmentList() {
  const t = useTexts()
  const may = useMay()
  const formats = useFormats()
  const segments = useAsk(['segments', 'list'], (api, signal) => api.GET('/segments', { signal }))
  const make = may.contacts ? (
    <Button component={Link} href="/new" leftSection={<IconPlus size={16} />}>
      {t.segments.new}
    </Button>
  ) : null
  return (
    <Page
      title={t.segments.title}
      actions={
        <>
          <CopyCurl path="/segments" />
          {make}
        </>
      }
    >
      <Answer of={segments}>
        {(found) => (
          <DataTable
            name="segments"
            label={t.segments.title}
            rows={found}
            href={({ id }) => `/${id}`}
            columns={[
              {
                key: 'name',
                title: t.segments.name,
                cell: ({ id, name, version }) => <MarkedName kind="segments" id={id} name={name} version={version} />,
              },
              { key: 'type', title: t.segments.kind, cell: ({ type }) => <Pill status={type} /> },
              {
                key: 'rules',
                title: t.segments.rules,
                cell: ({ filters }) => (filters ? <FilterWords filter={filters} /> : ''),
              },
              {
                key: 'count',
                title: t.segments.members,
                align: 'right',
                cell: ({ memberCount }) => formats.number(memberCount),
              },
              { key: 'updatedAt', title: t.anywhere.updated, cell: ({ updatedAt }) => <Moment at={updatedAt} /> },
            ]}
            empty={
              <Empty icon={<IconUsersGroup />} title={t.segments.empty} hint={t.segments.emptyHint} action={make} />
            }
          />
        )}
      </Answer>
    </Page>
  )
}
