import { Alert, Button, Group, Progress, Select, Stack, Text } from '@mantine/core'
import { IconFileImport } from '@tabler/icons-react'
import { useState } from 'react'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { DropArea } from '../parts/drop-area.tsx'
import { useFormats } from '../parts/formats.ts'
import { useTexts } from '../texts/texts.tsx'

type Result = components['schemas']['ImportedSuppressions']
const REASONS = ['MANUAL', 'BOUNCE', 'COMPLAINT'] as const
/** How many refused rows are shown. */
const SHOWN = 20

/** Suppresses the addresses of a CSV file: of this service or of another. */
export function ImportSuppressions({ onDone }: { readonly onDone: () => void }) {
  const t = useTexts()
  const [reason, setReason] = useState<string>('MANUAL')
  const [result, setResult] = useState<Result | undefined>()
  const [jobId, setJob] = useState<string | undefined>()
  const start = useAct((api, file: File) => api.POST('/suppressions/import', { body: { file, reason } }), {
    changes: ['suppressions'],
    onDone(answer) {
      // a large file is done in the background
      if ('successCount' in answer) setResult(answer)
      else setJob(answer.jobId)
    },
  })
  const job = useAsk(
    ['suppressions', 'import', jobId],
    (api, signal) => api.GET('/suppressions/import/{jobId}', { params: { path: { jobId: jobId ?? '' } }, signal }),
    {
      enabled: jobId !== undefined,
      every: (found) => (found?.state === 'completed' || found?.state === 'failed' ? false : 1000),
    },
  )
  const done = result ?? (job.data?.state === 'completed' ? (job.data.result ?? undefined) : undefined)
  if (done !== undefined) return <Outcome result={done} onDone={onDone} />
  return (
    <Stack>
      {jobId === undefined ? (
        <>
          <Text size="sm" c="dimmed">
            {t.suppressions.importHint}
          </Text>
          <Select
            label={t.suppressions.reason}
            description={t.suppressions.importReason}
            data={REASONS.map((value) => ({ value, label: t.status[value] ?? value }))}
            allowDeselect={false}
            value={reason}
            onChange={(chosen) => chosen && setReason(chosen)}
          />
          <DropArea
            icon={<IconFileImport size={28} aria-hidden />}
            text={t.suppressions.drop}
            choose={t.suppressions.choose}
            accept=".csv,text/csv"
            onFiles={([file]) => file && start.mutate(file)}
            isBusy={start.isPending}
            tight
          />
        </>
      ) : job.data?.state === 'failed' ? (
        <Alert color="red">{job.data.failedReason && t.reasons(job.data.failedReason)}</Alert>
      ) : (
        <Progress value={job.data?.progress ?? 0} aria-label={t.suppressions.import} animated />
      )}
    </Stack>
  )
}

function Outcome({ result, onDone }: { readonly result: Result; readonly onDone: () => void }) {
  const t = useTexts()
  const { number } = useFormats()
  const { createdCount, successCount, failureCount, errors } = result
  return (
    <Stack role="status">
      <Alert color={failureCount === 0 ? 'teal' : 'yellow'}>
        {t.suppressions.imported(number(createdCount), number(successCount - createdCount), number(failureCount))}
      </Alert>
      {errors.slice(0, SHOWN).map(({ row, email, error }) => (
        <Text key={row} size="sm">
          {t.suppressions.row(number(row))}: {email} ({error})
        </Text>
      ))}
      <Group justify="flex-end">
        <Button onClick={onDone}>{t.anywhere.close}</Button>
      </Group>
    </Stack>
  )
}
