import { Alert, Button, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { API_URL } from '../api/base.ts'
import { useProjectId } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { useFormats } from '../parts/formats.ts'
import { useNotices } from '../parts/notices.ts'
import { downloadFrom } from '../parts/save-file.ts'
import { useTexts } from '../texts/texts.tsx'
import { RefusedRows } from './refused-rows.tsx'

/** An import under way, and what became of it. */
export function ImportJob({ id, onAnother }: { readonly id: string; readonly onAnother: () => void }) {
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
      {({ state, progress, result, failedReason }) => {
        if (state === 'failed') {
          return (
            <Stack align="flex-start">
              <Alert color="red" title={t.contacts.importFailed} w="100%">
                {failedReason}
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
                <Button component={Link} href="/">
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

/** Downloads the rows that were refused, with the reasons: mended, the file is imported again. */
function downloadRefused(id: string, project: string) {
  return downloadFrom(new URL(`contacts/import/${id}/refused`, API_URL), project, 'rejected.csv')
}
