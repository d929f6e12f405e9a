import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { ApiError } from '../api/api-error.ts'
import { useFirstTexts } from '../texts/texts.tsx'
import { Suggestion, wordsOf, wordsOfField } from './refusals.tsx'

/** Why something is not there, in the words of the API, with a way on. */
export function Problem({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const t = useFirstTexts()
  const isMissing = error instanceof ApiError && error.status === 404
  const title = isMissing ? t.anywhere.notFound : wordsOf(error, t).message
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle />} title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        {isMissing ? <Text size="sm">{t.anywhere.notFoundHint}</Text> : <Suggestion error={error} />}
        {error instanceof ApiError
          ? error.fields.map((problem) => (
              <Text size="sm" key={problem.field}>
                {problem.field}: {wordsOfField(problem, t)}
              </Text>
            ))
          : null}
        {error instanceof ApiError && error.status >= 500 && error.requestId !== undefined ? (
          <Text size="xs" c="dimmed">
            {t.anywhere.requestId(error.requestId)}
          </Text>
        ) : null}
        {retry === undefined || isMissing ? null : (
          <Button size="compact-sm" variant="light" color="red" onClick={retry}>
            {t.anywhere.tryAgain}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
