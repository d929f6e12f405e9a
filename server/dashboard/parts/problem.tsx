import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { ApiError } from '../api/api-error.ts'
import { useFirstTexts } from '../texts/texts.tsx'
import { type Labels, labelled, Suggestion, wordsOfField } from './refusals.tsx'

/** Why something is not there, in the words of the API, with a way on. */
export function Problem({
  error,
  retry,
  labels = {},
}: {
  readonly error: Error
  readonly retry?: () => void
  readonly labels?: Labels
}) {
  const t = useFirstTexts()
  // a whole project that is closed to the reader has words of its own
  const isMissing = error instanceof ApiError && error.status === 404 && error.code !== 'PROJECT_NOT_FOUND'
  const title = isMissing ? t.anywhere.notFound : labelled(error, labels, t)
  const lines =
    error instanceof ApiError
      ? error.fields.map((each) => `${labels[each.field] ?? each.field}: ${wordsOfField(each, t)}`)
      : []
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle />} title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        {isMissing ? <Text size="sm">{t.anywhere.notFoundHint}</Text> : <Suggestion error={error} />}
        {lines
          .filter((line) => line !== title)
          .map((line) => (
            <Text size="sm" key={line}>
              {line}
            </Text>
          ))}
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
