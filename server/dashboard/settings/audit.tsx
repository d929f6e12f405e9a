import type { components } from '../api/client.ts'
import { Empty } from '../parts/empty.tsx'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { useTexts } from '../texts/texts.tsx'

type Entry = components['schemas']['AuditEntry']

/** Who changed what in the project. */
export function Audit() {
  const t = useTexts()
  return (
    <List<Entry>
      noun="audit"
      label={t.settings.tabs.audit}
      ask={(api, { page: _, ...query }, signal) => api.GET('/audit', { params: { query }, signal })}
      columns={[
        { key: 'what', title: t.settings.what, cell: ({ action }) => action },
        { key: 'who', title: t.settings.who, cell: ({ actor }) => `${t.settings.by[actor.type]} ${actor.name}` },
        {
          key: 'target',
          title: t.settings.target,
          cell: ({ target, fields }) =>
            [target.type, target.id?.slice(0, 8), fields.join(', ')].filter(Boolean).join(' · '),
        },
        { key: 'when', title: t.settings.when, cell: ({ timestamp }) => <Moment at={timestamp} /> },
      ]}
      empty={<Empty title={t.settings.noAudit} />}
    />
  )
}
