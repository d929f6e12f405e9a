import { Link } from 'wouter'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { useAuditWords } from '../parts/audit-words.ts'
import { Empty } from '../parts/empty.tsx'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

type Entry = components['schemas']['AuditEntry']

/** The kinds of things with a page for each one, by the API's name. */
const PAGES_OF = {
  campaigns: 'campaigns',
  contacts: 'contacts',
  emails: 'mails',
  forms: 'forms',
  layouts: 'templates/layouts',
  segments: 'segments',
  snippets: 'templates/snippets',
  templates: 'templates',
  workflows: 'workflows',
} as const

function isNoun(type: string): type is keyof typeof PAGES_OF {
  return type in PAGES_OF
}

/** Who changed what in the project. */
export function Audit() {
  const t = useTexts()
  const deed = useAuditWords()
  const project = useProjectId()
  return (
    <List<Entry>
      noun="audit"
      label={t.settings.tabs.audit}
      ask={(api, { page: _, ...query }, signal) => api.GET('/audit', { params: { query }, signal })}
      columns={[
        { key: 'what', title: t.settings.what, cell: ({ action }) => deed(action) },
        { key: 'who', title: t.settings.who, cell: ({ actor }) => `${t.settings.by[actor.type]} ${actor.name}` },
        {
          key: 'target',
          title: t.settings.target,
          sparse: true,
          cell: ({ target: { type, id } }) =>
            id !== null && isNoun(type) ? (
              <Link href={toProject(project, `/${PAGES_OF[type]}/${id}`)}>{t.settings.showTarget}</Link>
            ) : null,
        },
        { key: 'when', title: t.settings.when, cell: ({ timestamp }) => <Moment at={timestamp} /> },
      ]}
      empty={<Empty title={t.settings.noAudit} hint={t.settings.noAuditHint} />}
    />
  )
}
