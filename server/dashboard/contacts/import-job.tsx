import { Alert, Button, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core'
import { IconDownload, IconMail } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { API_URL } from '../api/base.ts'
import { useMay, useProjectId } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { useFormats } from '../parts/formats.ts'
import { useSubscribed } from '../parts/imported.ts'
import { useNotices } from '../parts/notices.ts'
import { downloadFrom } from '../parts/save-file.ts'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import { RefusedRows } from './refused-rows.tsx'

/** An import under way, and what became of it. */
export function ImportJob({
  id,
  topic,
  onAnother,
}: {
  readonly id: string
  /** The topic of all contacts in the file; empty for none. */
  readonly topic: string
  readonly onAnother: () => void
}) {
  const t = useTexts()
  const formats = useFormats()
  const project = useProjectId()
  const queries = useQueryClient()
  const notices = useNotices()
  const job = useAsk(
    ['jobs', id],
    (api, signal) => api.GET('/contacts/import/{jobId}', { params: { path: { jobId: id } }, signal }),
    { every: (found) => (found?.state === 'completed' || found?.state === 'failed' ? false : 700) },
  )
  const isDone = job.data?.state === 'completed'
  useEffect(() => {
    if (isDone) void queries.invalidateQueries({ queryKey: [project, 'contacts'] })
  }, [isDone, queries, project])
  const another = (
    <Button variant="default" onClick={onAnother}>
      {t.contacts.another}
    </Button>
  )
  return (
    <Answer of={job}>
      {({ state, progress, result, failedReason, createdAt, updatedAt }) => {
        if (state === 'failed') {
          return (
            <Stack align="flex-start">
              <Alert color="red" title={t.contacts.importFailed} w="100%">
                {failedReason === null ? null : t.reasons(failedReason)}
              </Alert>
              {another}
            </Stack>
          )
        }
        if (state !== 'completed' || result === null) {
          return (
            <Paper withBorder p="md" role="status">
              <Text size="sm" mb="xs">
                {t.contacts.importing} {t.contacts.rowsDone(formats.number(result?.successCount ?? 0))}
              </Text>
              <Progress value={progress} animated aria-label={t.contacts.importing} />
            </Paper>
          )
        }
        const { createdCount, updatedCount, failureCount, keptCount = 0, errors } = result
        const { keptUnsubscribed = 0, resubscribed = 0 } = result
        return (
          <Paper withBorder p="md" role="status">
            <Stack>
              <Title order={2} size="h4">
                {t.contacts.importDone}: {t.contacts.created(formats.number(createdCount))},{' '}
                {t.contacts.updated(formats.number(updatedCount))}, {t.contacts.failed(formats.number(failureCount))}
              </Title>
              {keptUnsubscribed > 0 ? (
                <Text size="sm">{t.contacts.keptUnsubscribed(keptUnsubscribed, formats.number(keptUnsubscribed))}</Text>
              ) : null}
              {resubscribed > 0 ? (
                <Text size="sm">{t.contacts.resubscribed(resubscribed, formats.number(resubscribed))}</Text>
              ) : null}
              {errors.length > 0 ? <RefusedRows errors={errors} title={t.contacts.failedRows} /> : null}
              {failureCount > errors.length ? (
                <Text size="sm" c="dimmed">
                  {t.contacts.onlyFirst(formats.number(errors.length))}
                </Text>
              ) : null}
              <Group>
                <WriteToThem job={{ id, createdAt, updatedAt }} topic={topic} />
                <Button component={Link} href="/" variant="default">
                  {t.contacts.see}
                </Button>
                {keptCount > 0 ? (
                  <Button
                    variant="default"
                    leftSection={<IconDownload size={16} />}
                    onClick={() => void downloadRefused(id, project).catch(notices.refused)}
                  >
                    {t.contacts.downloadFailed(formats.number(keptCount))}
                  </Button>
                ) : null}
                {another}
              </Group>
            </Stack>
          </Paper>
        )
      }}
    </Answer>
  )
}

/** The way from an import to a newsletter for those of it who get mail. */
function WriteToThem({
  job,
  topic,
}: {
  readonly job: { readonly id: string; readonly createdAt: string; readonly updatedAt: string }
  readonly topic: string
}) {
  const t = useTexts()
  const formats = useFormats()
  const project = useProjectId()
  const may = useMay()
  const imported = useSubscribed(job, { enabled: may.campaigns })
  const all = useSubscribed('all', { enabled: may.campaigns })
  if (imported === undefined || all === undefined || imported === 0) return null
  const start = new URLSearchParams({
    ...(imported === all ? {} : { imported: job.id }),
    ...(topic === '' ? {} : { topic }),
  })
  return (
    <Button component={Link} href={toProject(project, `/campaigns/new?${start}`)} leftSection={<IconMail size={16} />}>
      {t.contacts.writeToThem(imported, formats.number(imported))}
    </Button>
  )
}

/** Downloads the rows that were refused, with the reasons: mended, the file is imported again. */
function downloadRefused(id: string, project: string) {
  return downloadFrom(new URL(`contacts/import/${id}/refused`, API_URL), project, 'rejected.csv')
}
