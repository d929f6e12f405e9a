import { Button, Group, Paper, Progress, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useAct, useAsk } from '../api/ask.ts'
import { type Api, answerOf } from '../api/client.ts'
import { useRenew, useTakeBack } from '../api/effects.ts'
import { useConfirm } from '../parts/confirm.tsx'
import { useFormats } from '../parts/formats.ts'
import { useNotices } from '../parts/notices.ts'
import { useTexts } from '../texts/texts.tsx'
import { SegmentMenus } from './segment-menus.tsx'

type What = 'subscribe' | 'unsubscribe' | 'delete'

/** The actions for the contacts that are selected, with the progress of the job that does it. */
export function BulkBar({ ids, onDone }: { readonly ids: ReadonlySet<string>; readonly onDone: () => void }) {
  const t = useTexts()
  const formats = useFormats()
  const confirm = useConfirm()
  const [job, setJob] = useState<string | undefined>()
  const contactIds = [...ids]
  const start = useAct((api, what: What) => api.POST(`/contacts/bulk-${what}`, { body: { contactIds } }), {
    changes: [],
    onDone: ({ jobId }) => setJob(jobId),
  })
  const ask = async () => {
    const title = t.contacts.deleteTitle(formats.number(ids.size))
    if (await confirm({ title, text: t.contacts.deleteHint, yes: t.contacts.delete, grave: true }))
      start.mutate('delete')
  }
  // taking it back might subscribe a contact who has left meanwhile
  const askUnsubscribe = async () => {
    const title = t.contacts.unsubscribeTitle(ids.size, formats.number(ids.size))
    if (await confirm({ title, text: t.contacts.unsubscribeAllHint, yes: t.contacts.unsubscribe, grave: true }))
      start.mutate('unsubscribe')
  }
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
            <Button size="xs" variant="default" onClick={() => void askUnsubscribe()}>
              {t.contacts.unsubscribe}
            </Button>
            <SegmentMenus contactIds={contactIds} onDone={onDone} />
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
  const renew = useRenew()
  const takeBack = useTakeBack(['contacts'])
  const { data } = useAsk(
    ['jobs', job],
    (api, signal) => api.GET('/contacts/bulk/{jobId}', { params: { path: { jobId: job } }, signal }),
    { every: (found) => (found?.state === 'completed' || found?.state === 'failed' ? false : 700) },
  )
  useEffect(() => {
    if (data?.state === 'failed')
      notices.refused(new Error(data.failedReason ? t.reasons(data.failedReason) : t.contacts.importFailed))
    if (data?.state === 'completed') {
      const { operation, successCount = 0, unchangedCount = 0, failureCount = 0, changedIds = [] } = data.result ?? {}
      const { keptUnsubscribed: kept = 0 } = data.result ?? {}
      const done = t.contacts.bulkDone(formats.number(successCount + unchangedCount), formats.number(failureCount))
      notices.done(
        kept > 0 ? `${done} ${t.contacts.bulkKept(kept, formats.number(kept))}` : done,
        operation === 'subscribe' && changedIds.length > 0
          ? () => void takeBack((api) => unsubscribe(api, changedIds))
          : undefined,
      )
    }
    if (data?.state !== 'completed' && data?.state !== 'failed') return
    void renew(['contacts'])
    onDone()
  }, [data, notices, formats, t, renew, onDone, takeBack])
  return <Progress value={data?.progress ?? 0} w={200} animated aria-label={t.contacts.running} />
}

/** Unsubscribes those who were subscribed, and answers when it is done. */
async function unsubscribe(api: Api, contactIds: readonly string[]) {
  const { jobId } = await answerOf(api.POST('/contacts/bulk-unsubscribe', { body: { contactIds: [...contactIds] } }))
  for (;;) {
    const answer = await api.GET('/contacts/bulk/{jobId}', { params: { path: { jobId } } })
    const { state, failedReason } = answer.data ?? {}
    if (state === 'failed') throw new Error(failedReason ?? jobId)
    if (state !== 'waiting' && state !== 'active') return answer
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
}
