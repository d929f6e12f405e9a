import { Anchor, Autocomplete, Button, Group, Select, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { API_URL } from '../api/base.ts'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { useAuditWords } from '../parts/audit-words.ts'
import { Empty } from '../parts/empty.tsx'
import { useFormats } from '../parts/formats.ts'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { ContactName } from '../parts/name-of.tsx'
import { downloadFrom } from '../parts/save-file.ts'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

type Entry = components['schemas']['AuditEntry']

/** The page of a thing, or of all of its kind, by the API's name of the kind. */
const PAGES_OF: Readonly<Record<string, (id: string) => string>> = {
  campaigns: (id) => `/campaigns/${id}`,
  'campaign-series': (id) => `/campaigns/series/${id}`,
  contacts: (id) => `/contacts/${id}`,
  domains: (id) => `/domains/${id}`,
  emails: (id) => `/mails/${id}`,
  events: () => '/settings?tab=events',
  fields: () => '/settings?tab=fields',
  forms: (id) => `/forms/${id}`,
  keys: () => '/settings?tab=keys',
  layouts: (id) => `/templates/layouts/${id}`,
  'mail-servers': () => '/settings?tab=servers',
  members: () => '/settings?tab=members',
  projects: () => '/settings',
  segments: (id) => `/segments/${id}`,
  snippets: (id) => `/templates/snippets/${id}`,
  templates: (id) => `/templates/${id}`,
  topics: () => '/topics',
  uploads: () => '/uploads',
  webhooks: (id) => `/webhooks/${id}`,
  workflows: (id) => `/workflows/${id}`,
}

/** The days between which something was done, by their names in the address and in the API. */
const DAYS = ['startDate', 'endDate'] as const

/** Who changed what in the project. */
export function Audit() {
  const t = useTexts()
  const words = useAuditWords()
  const formats = useFormats()
  const project = useProjectId()
  const { values, change } = useAddress()
  return (
    <List<Entry>
      noun="audit"
      label={t.settings.tabs.audit}
      filters={['actor', 'kind', ...DAYS]}
      says={(name, value) => {
        if (name === 'kind') return words.kind(value)
        if (name === 'actor') return value
        return t.settings.auditDays[name === 'startDate' ? 'from' : 'until'](formats.date(value))
      }}
      controls={
        <>
          <Filters />
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() => void exportAudit(project, values)}
          >
            {t.settings.exportAudit}
          </Button>
        </>
      }
      ask={(api, { page: _, ...query }, signal) =>
        api.GET('/audit', { params: { query: { ...query, timezone: zoneHere() } }, signal })
      }
      columns={[
        {
          key: 'what',
          title: t.settings.what,
          cell: (entry) => (
            <Stack gap={0}>
              <Text size="sm">{words.deed(entry.action)}</Text>
              <Target of={entry} />
            </Stack>
          ),
        },
        {
          key: 'who',
          title: t.settings.who,
          cell: ({ actor: { type, name } }) => (
            <Group gap={4}>
              {type === 'key' ? t.settings.by.key : null}
              <UnstyledButton
                aria-label={t.settings.onlyBy(name)}
                title={t.settings.onlyBy(name)}
                onClick={() => change({ actor: name, cursor: undefined, page: undefined })}
              >
                <Text size="sm" td="underline dotted" style={{ overflowWrap: 'anywhere' }}>
                  {name}
                </Text>
              </UnstyledButton>
            </Group>
          ),
        },
        { key: 'when', title: t.settings.when, cell: ({ timestamp }) => <Moment at={timestamp} /> },
      ]}
      empty={<Empty title={t.settings.noAudit} hint={t.settings.noAuditHint} />}
    />
  )
}

/** The name of what was changed, as it was then, and the way to it. What was deleted has no page. */
function Target({ of: { action, target, createdId } }: { readonly of: Entry }) {
  const project = useProjectId()
  const own = { type: target.type, id: target.id ?? createdId }
  const { type, id } = target.partOf ?? own
  if (id === null) return null
  const name = type === 'contacts' ? <ContactName id={id} /> : (target.name ?? id)
  const page = PAGES_OF[type]
  const isGone = target.partOf === null && /^(delete|remove|revoke)/.test(action)
  const style = { overflowWrap: 'anywhere' } as const
  return page === undefined || isGone ? (
    <Text size="sm" c="dimmed" style={style}>
      {name}
    </Text>
  ) : (
    <Anchor component={Link} href={toProject(project, page(id))} size="sm" style={style}>
      {name}
    </Anchor>
  )
}

function Filters() {
  const t = useTexts()
  const words = useAuditWords()
  const project = useProjectId()
  const { values, change } = useAddress()
  const of = { params: { path: { id: project } } }
  const members = useAsk<readonly { readonly email: string }[]>(['members'], (api, signal) =>
    api.GET('/projects/{id}/members', { ...of, signal }),
  )
  const keys = useAsk<readonly { readonly name: string }[]>(['keys'], (api, signal) =>
    api.GET('/projects/{id}/keys', { ...of, signal }),
  )
  const names = [...(members.data ?? []).map(({ email }) => email), ...(keys.data ?? []).map(({ name }) => name)]
  const choose = (chosen: Readonly<Record<string, string | undefined>>) =>
    change({ ...chosen, cursor: undefined, page: undefined })
  return (
    <>
      <Autocomplete
        key={values.actor ?? ''}
        aria-label={t.settings.who}
        placeholder={t.settings.anyone}
        data={[...new Set(names)]}
        defaultValue={values.actor ?? ''}
        maxLength={200}
        onOptionSubmit={(actor) => choose({ actor })}
        onBlur={({ currentTarget }) => choose({ actor: currentTarget.value.trim() })}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && choose({ actor: currentTarget.value.trim() })}
      />
      <Select
        aria-label={t.settings.kindOf}
        placeholder={t.settings.anyKind}
        data={words.kinds}
        value={values.kind ?? null}
        onChange={(kind) => choose({ kind: kind ?? undefined })}
        clearable
        searchable
      />
      {DAYS.map((name) => {
        const other = values[name === 'startDate' ? 'endDate' : 'startDate']
        return (
          <TextInput
            key={`${name} ${values[name] ?? ''}`}
            type="date"
            aria-label={t.settings.auditDayLabels[name]}
            title={t.settings.auditDayLabels[name]}
            defaultValue={values[name] ?? ''}
            {...(name === 'startDate' ? { max: other } : { min: other })}
            onBlur={({ currentTarget }) => currentTarget.validity.valid && choose({ [name]: currentTarget.value })}
            onKeyDown={({ key, currentTarget }) =>
              key === 'Enter' && currentTarget.validity.valid && choose({ [name]: currentTarget.value })
            }
          />
        )
      })}
    </>
  )
}

/** Downloads the entries that the list shows, as CSV. */
function exportAudit(project: string, { actor, kind, startDate, endDate }: Readonly<Record<string, string>>) {
  const query = new URLSearchParams({ timezone: zoneHere() })
  for (const [name, value] of Object.entries({ actor, kind, startDate, endDate })) if (value) query.set(name, value)
  return downloadFrom(new URL(`audit/export?${query}`, API_URL), project, 'audit.csv')
}

function zoneHere(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}
