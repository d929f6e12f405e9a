import { Select } from '@mantine/core'
import { IconActivity } from '@tabler/icons-react'
import { type Activity, ActivityContact, ActivityText } from '../parts/activity-text.tsx'
import { useAddress } from '../parts/address.ts'
import { CopyCurl } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { FirstMail } from '../parts/first-mail.tsx'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { useTexts } from '../texts/texts.tsx'

/** The list of what happened, newest first. */
export default function ActivityPage() {
  const t = useTexts()
  const { values, change } = useAddress()
  return (
    <Page title={t.activity.title} hint={t.activity.hint} actions={<CopyCurl path="/activity" />}>
      <List<Activity>
        noun="activity"
        label={t.activity.title}
        filters={['types']}
        says={(_, value) => (t.activity.types as Readonly<Record<string, string>>)[value]}
        controls={
          <Select
            aria-label={t.activity.what}
            placeholder={t.activity.anything}
            data={Object.entries(t.activity.types).map(([value, label]) => ({ value, label }))}
            value={values.types ?? null}
            onChange={(types) => change({ types: types ?? undefined, cursor: undefined, page: undefined })}
            clearable
            searchable
          />
        }
        ask={(api, { page: _, ...query }, signal) => api.GET('/activity', { params: { query }, signal })}
        every={values.cursor ? undefined : () => 10_000}
        columns={[
          {
            key: 'what',
            title: t.activity.what,
            cell: (entry) => <ActivityText entry={entry} withContact={false} withTime={false} />,
          },
          {
            key: 'who',
            title: t.activity.who,
            cell: (entry) => <ActivityContact entry={entry} />,
          },
          { key: 'when', title: t.activity.when, cell: ({ timestamp }) => <Moment at={timestamp} /> },
        ]}
        empty={
          <Empty icon={<IconActivity />} title={t.activity.empty} hint={t.activity.emptyHint} action={<FirstMail />} />
        }
      />
    </Page>
  )
}
