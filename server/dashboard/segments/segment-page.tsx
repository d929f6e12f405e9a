import { Alert, Button, Checkbox, Group, Paper, Tabs, Text, Textarea } from '@mantine/core'
import { IconPlus, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf, type components } from '../api/client.ts'
import { useApi, useMay, useProjectId } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { FilterWords } from '../parts/filter/filter-builder.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useFormats } from '../parts/formats.ts'
import { type Seen, useSharedForm } from '../parts/joint-form.tsx'
import { Pages } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { DeleteButton } from '../parts/noun-actions.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { useRenaming } from '../parts/rename.ts'
import { DataTable } from '../parts/table.tsx'
import { changedOnly } from '../parts/three-way.ts'
import { Together } from '../parts/together/together.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import { Changes } from './changes.tsx'
import { SegmentFields, type SegmentValues } from './segment-fields.tsx'

type Segment = components['schemas']['Segment']

/** One segment: its members, and its rules. */
export function SegmentPage({ id }: { readonly id: string }) {
  const t = useTexts()
  const may = useMay()
  const formats = useFormats()
  const { values, change } = useAddress()
  const path = { params: { path: { id } } }
  const segment = useAsk<Segment>(['segments', id], (api, signal) => api.GET('/segments/{id}', { ...path, signal }))
  const refresh = useAct((api) => api.POST('/segments/{id}/refresh', path), {
    changes: ['segments'],
    done: ({ memberCount }) => t.segments.count(formats.number(memberCount)),
  })
  const tab = values.tab ?? 'members'
  return (
    <Answer of={segment} lines={8}>
      {(found) => (
        <Page
          title={found.name}
          beside={<Pill status={found.type} />}
          hint={t.segments.count(formats.number(found.memberCount))}
          trail={[{ text: t.segments.title, href: '/' }]}
          actions={
            <>
              <CopyCurl path={`/segments/${id}`} />
              {may.contacts ? (
                <>
                  <Button
                    variant="default"
                    leftSection={<IconRefresh size={16} />}
                    loading={refresh.isPending}
                    onClick={() => refresh.mutate()}
                  >
                    {t.segments.countNow}
                  </Button>
                  <DeleteButton
                    act={(api) => api.DELETE('/segments/{id}', path)}
                    changes={['segments']}
                    done={t.segments.deleted}
                    question={{
                      title: t.segments.deleteTitle(found.name),
                      text: t.segments.deleteHint,
                      yes: t.segments.delete,
                    }}
                  />
                </>
              ) : null}
            </>
          }
        >
          <Together kind="segments" id={id} version={found.version} />
          {found.problem === undefined ? null : (
            <Alert color="red" mb="md" title={t.segments.problem} role="alert">
              {t.reasons(found.problem)}
            </Alert>
          )}
          {found.warnings === undefined ? null : (
            <Alert color="yellow" mb="md">
              {t.segments.meaningChanged}
            </Alert>
          )}
          <Tabs
            value={tab}
            onChange={(chosen) => change({ tab: chosen ?? undefined, page: undefined, cursor: undefined })}
            keepMounted={false}
          >
            <Tabs.List mb="md">
              <Tabs.Tab value="members">{t.segments.members}</Tabs.Tab>
              {found.trackMembership ? <Tabs.Tab value="changes">{t.segments.changes}</Tabs.Tab> : null}
              {may.contacts ? (
                <Tabs.Tab value="rules">{found.type === 'DYNAMIC' ? t.segments.rules : t.anywhere.edit}</Tabs.Tab>
              ) : null}
            </Tabs.List>
            <Tabs.Panel value="members">
              {found.type === 'DYNAMIC' && found.filters ? (
                <Text size="sm" mb="sm">
                  <FilterWords filter={found.filters} />
                </Text>
              ) : null}
              <Members segment={found} />
            </Tabs.Panel>
            <Tabs.Panel value="changes">
              <Changes id={id} slug={found.slug} />
            </Tabs.Panel>
            <Tabs.Panel value="rules">
              <EditSegment segment={found} />
            </Tabs.Panel>
          </Tabs>
        </Page>
      )}
    </Answer>
  )
}

function Members({ segment }: { readonly segment: Segment }) {
  const { id, type, trackMembership } = segment
  const t = useTexts()
  const may = useMay()
  const { number } = useFormats()
  const project = useProjectId()
  const { values, change } = useAddress()
  const page = Number(values.page ?? 1)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const isByHand = type === 'STATIC' && may.contacts
  const members = useAsk(
    ['segments', id, 'contacts', page],
    (api, signal) =>
      api.GET('/segments/{id}/contacts', { params: { path: { id }, query: { page, pageSize: 20 } }, signal }),
    { keep: true },
  )
  const remove = useAct(
    (api) => api.DELETE('/segments/{id}/members', { params: { path: { id } }, body: { contactIds: [...selected] } }),
    {
      changes: ['segments', 'contacts'],
      done: ({ removed }) => t.segments.removed(number(removed)),
      // of a tracked segment the exit was an event, which may have started a workflow
      undo: ({ removedIds }) =>
        trackMembership || removedIds.length === 0
          ? undefined
          : (api) =>
              api.POST('/segments/{id}/members', { params: { path: { id } }, body: { contactIds: [...removedIds] } }),
      onDone: () => setSelected(new Set()),
    },
  )
  return (
    <>
      {isByHand ? (
        <Group mb="sm">
          <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => change({ add: '1' })}>
            {t.segments.addMembers}
          </Button>
          {selected.size > 0 ? (
            <Button size="xs" variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
              {t.segments.remove}
            </Button>
          ) : null}
        </Group>
      ) : null}
      <Answer of={members}>
        {(found) => (
          <>
            <DataTable
              name="segment-members"
              label={t.segments.members}
              rows={found.data}
              href={(contact) => toProject(project, `/contacts/${contact.id}`)}
              rowName={({ email }) => email}
              isStale={members.isPlaceholderData}
              {...(isByHand ? { selection: { ids: selected, change: setSelected } } : {})}
              columns={[
                { key: 'email', title: t.segments.address, cell: ({ email }) => email },
                {
                  key: 'subscribed',
                  title: t.anywhere.status,
                  cell: ({ subscribed }) => <Pill status={subscribed ? 'SUBSCRIBED' : 'NOT_SUBSCRIBED'} />,
                },
                { key: 'createdAt', title: t.anywhere.created, cell: ({ createdAt }) => <Moment at={createdAt} /> },
              ]}
              empty={<Empty title={t.segments.noMembers} />}
            />
            <Group justify="flex-end" mt="sm">
              <Pages total={found.totalPages} />
            </Group>
          </>
        )}
      </Answer>
      <SidePanel title={t.segments.addMembers} opened={values.add === '1'} onClose={() => change({ add: undefined })}>
        <AddMembers segment={segment} onDone={() => change({ add: undefined })} />
      </SidePanel>
    </>
  )
}

function AddMembers({
  segment: { id, trackMembership },
  onDone,
}: {
  readonly segment: Segment
  readonly onDone: () => void
}) {
  const t = useTexts()
  const api = useApi()
  const { number } = useFormats()
  const form = useForm({
    initial: { emails: '', createMissing: false },
    save: ({ emails, createMissing }) =>
      answerOf(
        api.POST('/segments/{id}/members', {
          params: { path: { id } },
          body: {
            emails: emails.split(/[\s,;]+/).filter(Boolean),
            createMissing,
            ...(createMissing ? { subscribed: false } : {}),
          },
        }),
      ),
    changes: ['segments', 'contacts'],
    done: ({ added, alreadyMembers, notFound }) =>
      t.segments.added(number(added), {
        already: alreadyMembers === 0 ? undefined : number(alreadyMembers),
        missing: notFound.length === 0 ? undefined : number(notFound.length),
      }),
    undo({ added, addedIds, created }) {
      // new contacts stay, and so does what an event has started
      if (added === 0 || created > 0 || trackMembership) return undefined
      const body = { contactIds: [...addedIds] }
      return (client) => client.DELETE('/segments/{id}/members', { params: { path: { id } }, body })
    },
    onSaved: onDone,
  })
  return (
    <FormBox form={form} submit={t.anywhere.add} onCancel={onDone}>
      <Textarea label={t.segments.addresses} autosize minRows={6} data-autofocus {...form.text('emails')} />
      <Checkbox label={t.segments.createMissing} {...form.check('createMissing')} />
    </FormBox>
  )
}

function EditSegment({ segment }: { readonly segment: Segment }) {
  const t = useTexts()
  const api = useApi()
  const { id } = segment
  const path = { params: { path: { id } } }
  const renaming = useRenaming()
  const form = useSharedForm({
    seen: seenOf(segment),
    seenAfter: seenOf,
    read: async () => seenOf(await answerOf(api.GET('/segments/{id}', path))),
    save: (values, before) =>
      renaming((more) =>
        answerOf(
          api.PATCH('/segments/{id}', {
            ...path,
            body: { ...changedOnly(requestOf(values), requestOf(before.values)), ...more, version: before.version },
          }),
        ),
      ),
    labels: {
      name: t.segments.name,
      description: t.segments.description,
      filters: t.segments.rules,
      trackMembership: t.segments.tracked,
    },
    show: { filters: (filter) => <FilterWords filter={filter} /> },
    changes: ['segments'],
    done: t.segments.saved,
  })
  return (
    <Paper withBorder p="lg" maw={960}>
      <FormBox form={form}>
        <SegmentFields form={form} />
      </FormBox>
    </Paper>
  )
}

function seenOf({ name, description = '', type, trackMembership, filters, version }: Segment): Seen<SegmentValues> {
  const rules = filters ?? { operator: 'AND' as const, conditions: [] }
  return { values: { name, description, type, filters: rules, trackMembership }, version }
}

function requestOf({ type, filters, ...rest }: SegmentValues) {
  return { ...rest, ...(type === 'DYNAMIC' ? { filters } : {}) }
}
