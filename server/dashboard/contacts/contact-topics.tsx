import { Alert, Button, Paper, Stack, Switch, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay, useProjectId } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { Moment } from '../parts/moment.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

/** Until when a contact wants no marketing mail; nothing when it wants some. */
export function Pause({ contact: { id, pausedUntil } }: { readonly contact: components['schemas']['Contact'] }) {
  const t = useTexts()
  const may = useMay()
  const end = useAct((api) => api.PATCH('/contacts/{id}', { params: { path: { id } }, body: { pausedUntil: null } }), {
    changes: ['contacts'],
    done: t.contacts.changed,
  })
  if (pausedUntil === undefined || Date.parse(pausedUntil) <= Date.now()) return null
  return (
    <Alert color="yellow" title={t.topics.paused}>
      <Stack gap="xs" align="flex-start">
        <Moment at={pausedUntil} />
        {may.contacts ? (
          <Button variant="default" size="xs" loading={end.isPending} onClick={() => end.mutate()}>
            {t.topics.endPause}
          </Button>
        ) : null}
      </Stack>
    </Alert>
  )
}

/**
 * The topics of a contact and whether it gets their mail, with the proof of its choices. Without topics there is
 * nothing to show.
 */
export function ChosenTopics({ id }: { readonly id: string }) {
  const t = useTexts()
  const may = useMay()
  const project = useProjectId()
  const path = { params: { path: { id } } }
  const chosen = useAsk(['contacts', id, 'topics'], (api, signal) =>
    api.GET('/contacts/{id}/topics', { ...path, signal }),
  )
  const choose = useAct(
    (api, topics: { readonly topic: string; readonly subscribed: boolean }[]) =>
      api.PUT('/contacts/{id}/topics', { ...path, body: { topics } }),
    { changes: ['contacts', 'topics'], done: t.contacts.changed },
  )
  if (chosen.data?.topics.length === 0) return null
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {t.topics.title}
      </Title>
      <Answer of={chosen}>
        {({ subscribed: isOn, topics }) => (
          <Stack gap="sm">
            {isOn ? null : (
              <Text size="sm" c="dimmed">
                {t.topics.offAnyway}
              </Text>
            )}
            {topics.map(({ topicId, name, subscribed, at, source, text }) => (
              <div key={topicId}>
                <Switch
                  label={name}
                  checked={subscribed}
                  disabled={!may.contacts || choose.isPending}
                  onChange={({ currentTarget }) =>
                    choose.mutate([{ topic: topicId, subscribed: currentTarget.checked }])
                  }
                />
                <Text size="sm" c="dimmed" component="div">
                  {at === null || source === null ? (
                    t.topics.neverChose
                  ) : (
                    <>
                      {t.topics.sources[source]}, <Moment at={at} />
                    </>
                  )}
                  {text === null ? null : ` – ${t.topics.quoted(text)}`}
                </Text>
              </div>
            ))}
            <Link href={toProject(project, '/topics')}>{t.topics.all}</Link>
          </Stack>
        )}
      </Answer>
    </Paper>
  )
}
