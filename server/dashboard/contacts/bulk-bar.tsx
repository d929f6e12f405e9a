import { Button, Group, Menu, Paper, Progress, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf } from '../api/client.ts'
import { useApi, useProjectId } from '../api/project.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { useFormats } from '../parts/formats.ts'
import { useNotices } from '../parts/notices.ts'
import { useTexts } from '../texts/texts.tsx'

type What = 'subscribe' | 'unsubscribe' | 'delete'
/** As many addresses as a segment takes in one request. */
const PIECE = 500

/** What can be done to the contacts that are selected, with the progress of the job that does it. */
export function BulkBar({ ids, onDone }: { readonly ids: ReadonlySet<string>; readonly onDone: () => void }) {
  const t = useTexts()
  const api = useApi()
  const formats = useFormats()
  const confirm = useConfirm()
  const [job, setJob] = useState<string | undefined>()
  const contactIds = [...ids]
  const start = useAct((_, what: What) => api.POST(`/contacts/bulk-${what}`, { body: { contactIds } }), {
    changes: [],
    onDone: ({ jobId }) => setJob(jobId),
  })
  const segments = useAsk(['segments', 'list'], (client, signal) => client.GET('/segments', { signal }))
  const add = useAct(
    async (client, segment: string) => {
      const people = await Promise.all(
        contactIds.map((id) => answerOf(client.GET('/contacts/{id}', { params: { path: { id } } }))),
      )
      const emails = people.map(({ email }) => email).slice(0, PIECE)
      return client.POST('/segments/{id}/members', { params: { path: { id: segment } }, body: { emails } })
    },
    { changes: ['segments'], done: t.contacts.addedToSegment, onDone },
  )
  const ask = async () => {
    const title = t.contacts.deleteTitle(formats.number(ids.size))
    if (await confirm({ title, text: t.contacts.deleteHint, yes: t.contacts.delete, grave: true }))
      start.mutate('delete')
  }
  const byHand = (segments.data ?? []).filter(({ type }) => type === 'STATIC')
  return (
    <Paper withBorder p="sm" role="region" aria-label={t.contacts.selected(formats.number(ids.size))}>
      <Group gap="sm">
        <Text size="sm" fw={600}>
          {t.contacts.selected(formats.number(ids.size))}
        </Text>
        {job === undefined ? (
          <>
            <Button size="xs" variant="default" onClick={() => start.mutate('subscribe')}>
              {t.contacts.subscribe}
            </Button>
            <Button size="xs" variant="default" onClick={() => start.mutate('unsubscribe')}>
              {t.contacts.unsubscribe}
            </Button>
            {byHand.length === 0 ? null : (
              <Menu>
                <Menu.Target>
                  <Button size="xs" variant="default">
                    {t.contacts.addToSegment}
                  </Button>
                </Menu.Target>
                <Menu.Dropdown>
                  {byHand.map(({ id, name }) => (
                    <Menu.Item key={id} onClick={() => add.mutate(id)}>
                      {name}
                    </Menu.Item>
                  ))}
                </Menu.Dropdown>
              </Menu>
            )}
            <Button size="xs" variant="light" color="red" onClick={() => void ask()}>
              {t.contacts.delete}
            </Button>
          </>
        ) : (
          <Running job={job} onDone={onDone} />
        )}
      </Group>
    </Paper>
  )
}

function Running({ job, onDone }: { readonly job: string; readonly onDone: () => void }) {
  const t = useTexts()
  const formats = useFormats()
  const notices = useNotices()
  const project = useProjectId()
  const queries = useQueryClient()
  const { data } = useAsk(
    ['jobs', job],
    (api, signal) => api.GET('/contacts/bulk/{jobId}', { params: { path: { jobId: job } }, signal }),
    { every: (found) => (found?.state === 'completed' || found?.state === 'failed' ? false : 700) },
  )
  useEffect(() => {
    if (data?.state === 'failed') notices.refused(new Error(data.failedReason ?? t.contacts.importFailed))
    if (data?.state === 'completed') {
      const { successCount = 0, unchangedCount = 0, failureCount = 0 } = data.result ?? {}
      notices.done(t.contacts.bulkDone(formats.number(successCount + unchangedCount), formats.number(failureCount)))
    }
    if (data?.state !== 'completed' && data?.state !== 'failed') return
    void queries.invalidateQueries({ queryKey: [project, 'contacts'] })
    onDone()
  }, [data, notices, formats, t, queries, project, onDone])
  return <Progress value={data?.progress ?? 0} w={200} animated aria-label={t.contacts.running} />
}
