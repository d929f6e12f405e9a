import { SegmentedControl, Text } from '@mantine/core'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Empty } from '../parts/empty.tsx'
import { fieldLabel } from '../parts/field-label.ts'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'

type Submission = components['schemas']['FormSubmission']

/** The people behind the figures, with the proof of what they agreed to. */
export function Submissions({ id }: { readonly id: string }) {
  const t = useTexts()
  const project = useProjectId()
  const { values, change } = useAddress()
  return (
    <List<Submission>
      noun="forms"
      of={[id, 'submissions']}
      label={t.forms.people}
      ask={(api, query, signal) => api.GET('/forms/{id}/submissions', { params: { path: { id }, query }, signal })}
      filters={['confirmed']}
      says={() => null}
      controls={
        <SegmentedControl
          size="xs"
          aria-label={t.forms.people}
          value={values.confirmed ?? ''}
          onChange={(confirmed) => change({ confirmed: confirmed || undefined, cursor: undefined, page: undefined })}
          data={[
            { value: '', label: t.forms.everyone },
            { value: 'true', label: t.forms.confirmed },
            { value: 'false', label: t.forms.unconfirmed },
          ]}
        />
      }
      href={({ contact }) => toProject(project, contact ? `/contacts/${contact.id}` : '/contacts')}
      rowName={({ contact }) => contact?.email ?? t.forms.removed}
      columns={[
        { key: 'contact', title: t.forms.contact, cell: ({ contact }) => contact?.email ?? t.forms.removed },
        { key: 'outcome', title: t.forms.outcome, cell: ({ outcome }) => t.forms.outcomes[outcome] },
        { key: 'at', title: t.forms.sent, cell: ({ createdAt }) => <Moment at={createdAt} /> },
        {
          key: 'confirmedAt',
          title: t.forms.confirmed,
          cell: ({ confirmedAt }) => (confirmedAt === null ? null : <Moment at={confirmedAt} />),
        },
        {
          key: 'answers',
          title: t.forms.answers,
          cell: ({ answers }) =>
            Object.entries(answers).map(([key, value]) => (
              <Text key={key} size="sm">
                <Text span c="dimmed" inherit>
                  {fieldLabel(key, t)}:
                </Text>{' '}
                {answerIn(value, t)}
              </Text>
            )),
          sparse: true,
        },
        {
          key: 'consent',
          title: t.forms.consent,
          cell: ({ consent }) => (
            <Text size="sm" lineClamp={2} title={consent}>
              {consent}
            </Text>
          ),
        },
        { key: 'address', title: t.forms.address, cell: ({ address }) => address, hidden: true },
      ]}
      empty={<Empty title={t.forms.noOne} hint={t.forms.noOneHint} />}
    />
  )
}

/** An answer as people read it. */
function answerIn(value: unknown, t: Texts): string {
  if (typeof value === 'boolean') return value ? t.anywhere.yes : t.anywhere.no
  return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}
