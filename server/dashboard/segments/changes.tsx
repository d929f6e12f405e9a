import { SegmentedControl } from '@mantine/core'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Empty } from '../parts/empty.tsx'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

/** Who entered a tracked segment, or left it, newest first. */
export function Changes({ id, slug }: { readonly id: string; readonly slug: string }) {
  const t = useTexts()
  const project = useProjectId()
  const { values, change } = useAddress()
  const way = values.way === 'exit' ? 'exit' : 'entry'
  return (
    <List<components['schemas']['ListedEvent']>
      noun="segments"
      of={[id, way]}
      label={t.segments.changes}
      controls={
        <SegmentedControl
          aria-label={t.segments.changes}
          value={way}
          onChange={(chosen) => change({ way: chosen, cursor: undefined, page: undefined })}
          data={[
            { value: 'entry', label: t.segments.entered },
            { value: 'exit', label: t.segments.left },
          ]}
        />
      }
      ask={async (api, query, signal) => {
        const asked = { ...query, eventName: `segment.${slug}.${way}` }
        const { data, ...answer } = await api.GET('/events', { params: { query: asked }, signal })
        if (data === undefined) return answer
        return { ...answer, data: { ...data, data: data.events, hasMore: data.cursor !== null } }
      }}
      href={({ contactId }) => toProject(project, `/contacts/${contactId}`)}
      rowName={({ contact }) => contact?.email ?? ''}
      columns={[
        {
          key: 'contact',
          title: t.segments.address,
          cell: ({ contact }) => contact?.email,
        },
        { key: 'when', title: t.segments.when, cell: ({ createdAt }) => <Moment at={createdAt} /> },
      ]}
      empty={<Empty title={way === 'entry' ? t.segments.noneEntered : t.segments.noneLeft} />}
    />
  )
}
