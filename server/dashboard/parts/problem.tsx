import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { ApiError } from '../api/api-error.ts'
import { useTexts } from '../texts/texts.tsx'

/** Why something is not there, in the words of the API, with a way on. */
export function Problem({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const t = useTexts()
  const isMissing = error instanceof ApiError && error.status === 404
  const title = isMissing ? t.anywhere.notFound : error.name === 'Unreachable' ? t.anywhere.unreachable : error.message
  const suggestion =
    error instanceof ApiError ? (error.suggestion ?? (isMissing ? t.anywhere.notFoundHint : undefined)) : undefined
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle />} title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        {suggestion === undefined ? null : <Text size="sm">{suggestion}</Text>}
        {error instanceof ApiError
          ? error.fields.map(({ field, message }) => (
              <Text size="sm" key={field}>
                {field}: {message}
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
