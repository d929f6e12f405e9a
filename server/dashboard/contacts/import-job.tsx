import { Alert, Button, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { useProjectId } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { useFormats } from '../parts/formats.ts'
import { saveFile } from '../parts/save-file.ts'
import { useTexts } from '../texts/texts.tsx'
import { csvOf } from './csv.ts'
import { type RefusedRow, RefusedRows } from './refused-rows.tsx'

/** An import under way, and what became of it. */
export function ImportJob({
  id,
  rows,
  onAnother,
}: {
  readonly id: string
  /** The file, so that rows that were refused can be mended and imported again. */
  readonly rows: readonly (readonly string[])[]
  readonly onAnother: () => void
}) {
  const t = useTexts()
  const formats = useFormats()
  const project = useProjectId()
  const queries = useQueryClient()
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
        const { createdCount, updatedCount, failureCount, errors } = result
        return (
          <Paper withBorder p="md" role="status">
            <Stack>
              <Title order={2} size="h4">
                {t.contacts.importDone}: {t.contacts.created(formats.number(createdCount))},{' '}
                {t.contacts.updated(formats.number(updatedCount))}, {t.contacts.failed(formats.number(failureCount))}
              </Title>
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
                {errors.length > 0 ? (
                  <Button variant="default" onClick={() => saveFile('rejected.csv', csvOf(refusedOf(rows, errors)))}>
                    {t.contacts.downloadFailed}
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

/** The rows that were refused as they stand in the file, with the reason behind them. */
function refusedOf(rows: readonly (readonly string[])[], errors: readonly RefusedRow[]) {
  const [header = []] = rows
  const lines = errors.map(({ row, error }) => {
    const cells = rows[row - 1] ?? []
    return [...cells, ...Array.from({ length: Math.max(0, header.length - cells.length) }, () => ''), error]
  })
  return [[...header, 'import_error'], ...lines]
}
