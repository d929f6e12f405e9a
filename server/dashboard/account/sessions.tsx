import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { SESSION } from '../api/session.tsx'
import { Answer } from '../parts/answer.tsx'
import { Moment } from '../parts/moment.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'

type Session = components['schemas']['Session']

/** The browsers in which the user is logged in, to end one by one or together. */
export function Sessions() {
  const t = useTexts()
  const queries = useQueryClient()
  const sessions = useAsk<readonly Session[]>(['account', 'sessions'], (api, signal) =>
    api.GET('/users/@me/sessions', { signal }),
  )
  const changed = () => void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey.includes('sessions') })
  const end = useAct(
    (api, { id }: Session) => api.DELETE('/users/@me/sessions/{sessionId}', { params: { path: { sessionId: id } } }),
    { changes: [], done: (_, session) => t.account.sessionEnded(deviceOf(session, t)), onDone: changed },
  )
  const endOthers = useAct((api) => api.DELETE('/users/@me/sessions'), {
    changes: [],
    done: (ended) => t.account.othersEnded(ended.map((session) => deviceOf(session, t)).join(', ')),
    onDone: changed,
  })
  const endAll = useAct((api) => api.POST('/auth/logout-everywhere'), {
    changes: [],
    onDone: () => queries.setQueryData(SESSION, null),
  })
  return (
    <Stack>
      <Answer of={sessions}>
        {(found) => (
          <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
            {found.map((session) => (
              <Group key={session.id} component="li" justify="space-between" gap="xs">
                <div>
                  <Group gap="xs">
                    <Text size="sm" fw={500}>
                      {deviceOf(session, t)}
                    </Text>
                    {session.current ? <Badge variant="light">{t.account.thisSession}</Badge> : null}
                  </Group>
                  <Text size="xs" c="dimmed">
                    {session.address === null ? '' : `${session.address} · `}
                    {t.account.sessionUsed} <Moment at={session.lastUsedAt} /> · {t.account.sessionBegan}{' '}
                    <Moment at={session.createdAt} />
                  </Text>
                </div>
                {session.current ? null : (
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    color="red"
                    aria-label={t.account.endSessionOf(deviceOf(session, t))}
                    loading={end.isPending && end.variables?.id === session.id}
                    onClick={() => end.mutate(session)}
                  >
                    {t.account.endSession}
                  </Button>
                )}
              </Group>
            ))}
          </Stack>
        )}
      </Answer>
      <Group gap="xs">
        {(sessions.data?.length ?? 0) > 1 ? (
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {t.account.endOthers}
          </Button>
        ) : null}
        <Button variant="default" loading={endAll.isPending} onClick={() => endAll.mutate()}>
          {t.account.endAll}
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        {t.account.endAllHint}
      </Text>
    </Stack>
  )
}

/** A session in words: "Firefox on Windows". */
export function deviceOf({ browser, system }: Pick<Session, 'browser' | 'system'>, t: Texts): string {
  if (browser !== null && system !== null) return t.account.device(browser, system)
  return browser ?? system ?? t.account.unknownDevice
}
