import { Button, Paper, Text, Timeline, Title } from '@mantine/core'
import { Link } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { useMay, useProjectId } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import { stepName } from './graph.ts'
import { RunGraph } from './run-graph.tsx'
import { useIsWide } from './steps-view.tsx'

/** One contact's way through a workflow. */
export function RunPage({ workflow, id }: { readonly workflow: string; readonly id: string }) {
  const t = useTexts()
  const may = useMay()
  const project = useProjectId()
  const path = { params: { path: { id: workflow, executionId: id } } }
  const graph = useAsk(['workflows', workflow], (api, signal) =>
    api.GET('/workflows/{id}', { params: { path: { id: workflow } }, signal }),
  )
  const run = useAsk(
    ['workflows', workflow, 'executions', id],
    (api, signal) => api.GET('/workflows/{id}/executions/{executionId}', { ...path, signal }),
    { every: (found) => (found?.completedAt === null ? 3000 : false) },
  )
  const contactId = run.data?.contactId
  const contact = useAsk(
    ['contacts', contactId],
    (api, signal) => api.GET('/contacts/{id}', { params: { path: { id: contactId ?? '' } }, signal }),
    { enabled: contactId !== undefined },
  )
  const cancel = useAct((api) => api.DELETE('/workflows/{id}/executions/{executionId}', path), {
    changes: ['workflows'],
    done: t.workflows.runCancelled,
  })
  const isWide = useIsWide()
  const names = new Map(
    graph.data?.steps.map((step) => [step.id, stepName(step, graph.data, t) || t.workflows.kinds[step.type]]),
  )
  return (
    <Answer of={run} lines={6}>
      {(found) => (
        <Page
          title={contact.data?.email ?? t.workflows.contact}
          beside={<Pill status={found.status} />}
          trail={[
            { text: t.workflows.title, href: '/' },
            { text: graph.data?.name ?? '…', href: `/${workflow}?tab=runs` },
          ]}
          actions={
            <>
              <CopyCurl path={`/workflows/${workflow}/executions/${id}`} />
              {may.workflows && (found.status === 'RUNNING' || found.status === 'WAITING') ? (
                <Button variant="light" color="red" onClick={() => cancel.mutate()}>
                  {t.workflows.cancelRun}
                </Button>
              ) : null}
            </>
          }
        >
          <Paper withBorder p="md">
            <Facts
              of={[
                [
                  t.workflows.contact,
                  <Link key="contact" href={toProject(project, `/contacts/${found.contactId}`)}>
                    {contact.data?.email ?? found.contactId}
                  </Link>,
                ],
                [t.workflows.started, <Moment key="started" at={found.startedAt} />],
                [t.workflows.ended, <Moment key="ended" at={found.completedAt} />],
                [t.workflows.reason, found.exitReason && (t.workflows.exits[found.exitReason] ?? found.exitReason)],
                [t.anywhere.details, found.error && t.reasons(found.error)],
              ]}
            />
          </Paper>
          {graph.data && isWide ? <RunGraph workflow={graph.data} run={found} /> : null}
          <Paper withBorder p="md">
            <Title order={2} size="h4" mb="sm">
              {t.workflows.path}
            </Title>
            <Timeline bulletSize={14} lineWidth={2}>
              {found.steps.map(({ stepId, status, startedAt, error }, at) => (
                <Timeline.Item key={`${stepId} ${at}`} title={names.get(stepId) ?? stepId}>
                  <Pill status={status} />
                  <Text size="xs" c="dimmed">
                    <Moment at={startedAt} />
                  </Text>
                  {error ? <Text size="sm">{t.reasons(error)}</Text> : null}
                </Timeline.Item>
              ))}
            </Timeline>
          </Paper>
        </Page>
      )}
    </Answer>
  )
}
