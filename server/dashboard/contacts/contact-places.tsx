import { Button, Paper, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { useProjectId } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pill } from '../parts/pill.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

/** The segments a contact is in. */
export function InSegments({ id }: { readonly id: string }) {
  const t = useTexts()
  const project = useProjectId()
  // a change of the contact may change what it is in
  const segments = useAsk(['contacts', id, 'segments'], (api, signal) =>
    api.GET('/contacts/{id}/segments', { params: { path: { id } }, signal }),
  )
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {t.contacts.segments}
      </Title>
      <Answer of={segments}>
        {({ data, unchecked }) => (
          <Stack gap={6}>
            {data.length === 0 && unchecked.length === 0 ? <Text c="dimmed">{t.contacts.noSegments}</Text> : null}
            {data.map(({ id: segment, name, type, since }) => (
              <Text size="sm" key={segment} component="div">
                <Pill status={type} /> <Link href={toProject(project, `/segments/${segment}`)}>{name}</Link>{' '}
                {since === null ? null : <Moment at={since} />}
              </Text>
            ))}
            {unchecked.length === 0 ? null : (
              <Text size="sm" c="dimmed">
                {t.contacts.unchecked(unchecked.map(({ name }) => name).join(', '))}
              </Text>
            )}
          </Stack>
        )}
      </Answer>
    </Paper>
  )
}

/** As many as the page shows at first, and at most: as many as one request answers. */
const [FIRST, ALL] = [10, 100]

/** The ways of a contact through workflows, and where it is now. */
export function InWorkflows({ id }: { readonly id: string }) {
  const t = useTexts()
  const project = useProjectId()
  const [limit, setLimit] = useState(FIRST)
  const ways = useAsk(
    ['workflows', 'of', id, limit],
    (api, signal) => api.GET('/contacts/{id}/workflows', { params: { path: { id }, query: { limit } }, signal }),
    { keep: true },
  )
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {t.workflows.title}
      </Title>
      <Answer of={ways}>
        {({ data, hasMore }) =>
          data.length === 0 ? (
            <Text c="dimmed">{t.contacts.noWorkflows}</Text>
          ) : (
            <Stack gap={6} align="flex-start">
              {data.map(({ id: run, workflowId, workflowName, status, step, startedAt, completedAt }) => (
                <Text size="sm" key={run} component="div">
                  <Pill status={status} />{' '}
                  <Link href={toProject(project, `/workflows/${workflowId}/runs/${run}`)}>{workflowName}</Link>{' '}
                  {step === null || completedAt !== null
                    ? null
                    : `${t.contacts.atStep(step.name || (t.workflows.kinds[step.type] ?? step.type))} `}
                  <Moment at={completedAt ?? step?.since ?? startedAt} />
                </Text>
              ))}
              {hasMore && limit === FIRST ? (
                <Button variant="subtle" size="xs" loading={ways.isPlaceholderData} onClick={() => setLimit(ALL)}>
                  {t.anywhere.more}
                </Button>
              ) : null}
            </Stack>
          )
        }
      </Answer>
    </Paper>
  )
}
