import { Alert, Button, Code, Group, Paper, Stack } from '@mantine/core'
import { IconPhotoCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { useAsk } from '../api/ask.ts'
import { useAdvice } from '../parts/advice.ts'
import { Answer } from '../parts/answer.tsx'
import { SectionHead } from '../parts/section-head.tsx'
import { useTexts } from '../texts/texts.tsx'

/** The logo that receivers may show beside mail of a domain, looked at on request: that asks another server. */
export function Logo({ id }: { readonly id: string }) {
  const t = useTexts()
  const say = useAdvice()
  const [isAsked, setAsked] = useState(false)
  const logo = useAsk(
    ['domains', id, 'bimi'],
    (api, signal) => api.GET('/domains/{id}/bimi', { params: { path: { id } }, signal }),
    { enabled: isAsked },
  )
  return (
    <Paper withBorder p="md">
      <Group justify="space-between">
        <SectionHead title={t.domains.logo} hint={t.domains.logoHint} />
        <Button
          variant="default"
          leftSection={<IconPhotoCheck size={16} />}
          loading={logo.isFetching}
          onClick={() => (isAsked ? void logo.refetch() : setAsked(true))}
        >
          {t.domains.checkLogo}
        </Button>
      </Group>
      {isAsked ? (
        <Answer of={logo} lines={2}>
          {({ isReady, advice, adviceCodes, record }) => (
            <Stack gap="xs" mt="md" aria-live="polite">
              <Alert color={isReady ? 'teal' : record === null ? 'gray' : 'red'} p="xs">
                {say(advice, adviceCodes)}
              </Alert>
              {record === null ? null : <Code style={{ overflowWrap: 'anywhere' }}>{record}</Code>}
            </Stack>
          )}
        </Answer>
      ) : null}
    </Paper>
  )
}
