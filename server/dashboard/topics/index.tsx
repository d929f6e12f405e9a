import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core'
import { IconNews, IconPlus, IconTrash } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { useMay, useProjectId } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { useFormats } from '../parts/formats.ts'
import { Page } from '../parts/page.tsx'
import { DataTable } from '../parts/table.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import { type Topic, TopicForm } from './topic-form.tsx'

/** The kinds of marketing mail that contacts choose one by one. */
export default function Topics() {
  const t = useTexts()
  const may = useMay()
  const formats = useFormats()
  const project = useProjectId()
  const confirm = useConfirm()
  const { values, change } = useAddress()
  const topics = useAsk(['topics', 'list'], (api, signal) => api.GET('/topics', { signal }))
  const remove = useAct((api, { id }: Topic) => api.DELETE('/topics/{id}', { params: { path: { id } } }), {
    changes: ['topics'],
    done: (_, { name }) => t.topics.deleted(name),
  })
  const ask = async (topic: Topic) => {
    const question = { title: t.topics.deleteTitle(topic.name), text: t.topics.deleteHint, yes: t.topics.delete }
    if (await confirm({ ...question, grave: true })) remove.mutate(topic)
  }
  const close = () => change({ new: undefined, edit: undefined })
  const make = may.contacts ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => change({ new: '1' })}>
      {t.topics.new}
    </Button>
  ) : null
  const edited = topics.data?.data.find(({ id }) => id === values.edit)
  return (
    <Page
      title={t.topics.title}
      hint={t.topics.hint}
      actions={
        <>
          <CopyCurl path="/topics" />
          {make}
        </>
      }
    >
      <Answer of={topics}>
        {({ data }) => (
          <DataTable<Topic>
            name="topics"
            label={t.topics.title}
            rows={data}
            rowName={({ name }) => name}
            columns={[
              {
                key: 'name',
                title: t.topics.name,
                cell: (topic) => (
                  <>
                    {may.contacts ? (
                      <Button variant="subtle" size="compact-sm" px={0} onClick={() => change({ edit: topic.id })}>
                        {topic.name}
                      </Button>
                    ) : (
                      topic.name
                    )}
                    {topic.description === undefined ? null : (
                      <Text size="sm" c="dimmed" lineClamp={1}>
                        {topic.description}
                      </Text>
                    )}
                  </>
                ),
              },
              {
                key: 'standing',
                title: t.topics.standing,
                cell: ({ standing, public: shown, archived }) =>
                  [
                    t.topics.standings[standing],
                    ...(shown ? [] : [t.topics.hidden]),
                    ...(archived ? [t.topics.archived] : []),
                  ].join(', '),
              },
              ...(['subscribed', 'unsubscribed'] as const).map((figure) => ({
                key: figure,
                title: t.topics[figure],
                align: 'right' as const,
                cell: ({ slug, counts }: Topic) => (
                  <Link href={toPeople(project, slug, figure === 'subscribed')}>{formats.number(counts[figure])}</Link>
                ),
              })),
            ]}
            {...(may.contacts
              ? {
                  rowActions: (topic: Topic) => (
                    <Group gap={4} wrap="nowrap">
                      <Tooltip label={t.topics.delete}>
                        <ActionIcon
                          variant="subtle"
                          color="gray"
                          aria-label={t.topics.deleteTitle(topic.name)}
                          onClick={() => void ask(topic)}
                        >
                          <IconTrash size={16} />
                        </ActionIcon>
                      </Tooltip>
                    </Group>
                  ),
                }
              : {})}
            empty={<Empty icon={<IconNews />} title={t.topics.empty} hint={t.topics.emptyHint} action={make} />}
          />
        )}
      </Answer>
      <SidePanel title={t.topics.new} opened={values.new === '1'} onClose={close}>
        <TopicForm onDone={close} />
      </SidePanel>
      <SidePanel title={t.topics.edit} opened={edited !== undefined} onClose={close}>
        {edited === undefined ? null : <TopicForm key={edited.id} topic={edited} onDone={close} />}
      </SidePanel>
    </Page>
  )
}

/** The contacts that a count counts: those who chose the topic, or left it. */
function toPeople(project: string, slug: string, chose: boolean): string {
  const field = `topic.${slug}`
  const conditions = [
    { field, operator: 'exists' },
    { field, operator: 'equals', value: chose },
  ]
  const filter = JSON.stringify({ operator: 'AND', conditions })
  return toProject(project, `/contacts?filter=${encodeURIComponent(filter)}`)
}
