import { Button, Group, Select, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAct } from '../api/ask.ts'
import type { components, operations } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { ContactPicker } from '../parts/contact-picker.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { ContactName } from '../parts/name-of.tsx'
import { Pill } from '../parts/pill.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Workflow } from './graph.ts'

type Execution = Pick<
  components['schemas']['Execution'],
  'id' | 'contactId' | 'status' | 'startedAt' | 'completedAt' | 'error' | 'exitReason'
>
type Query = NonNullable<operations['listExecutions']['parameters']['query']>
const STATES = ['RUNNING', 'WAITING', 'COMPLETED', 'EXITED', 'FAILED', 'CANCELLED'] as const

/** The address without anything that narrows the list. */
const EVERYBODY = {
  status: undefined,
  standingOn: undefined,
  stepId: undefined,
  stepStatus: undefined,
  goalReached: undefined,
  cursor: undefined,
  page: undefined,
} as const
/** The choice of those that the goal ended, beside the statuses. */
const GOAL = 'goal'

/** Who is in a workflow, and who was: all, by status, or those behind a count of a step. */
export function Runs({ workflow: { id, steps, enabled } }: { readonly workflow: Workflow }) {
  const t = useTexts()
  const may = useMay()
  const { values, change } = useAddress()
  const [contact, setContact] = useState<string | undefined>()
  const nameOf = (stepId: string) => steps.find(({ id: each }) => each === stepId)?.name ?? stepId
  const start = useAct(
    (api, contactId: string) =>
      api.POST('/workflows/{id}/executions', { params: { path: { id } }, body: { contactId } }),
    { changes: ['workflows'], done: t.workflows.startedFor, onDone: () => change({ start: undefined }) },
  )
  return (
    <>
      <List<Execution>
        noun="workflows"
        of={[id, 'executions']}
        label={t.workflows.runs}
        filters={['status', 'goalReached', 'standingOn', 'stepId', 'stepStatus']}
        says={(name, value) => {
          if (name === 'status') return t.status[value] ?? value
          if (name === 'goalReached') return t.workflows.goalReached
          if (name === 'standingOn') return t.workflows.ofStep(nameOf(value), t.workflows.hereNow)
          // the pill of the step says what its run came to
          if (name === 'stepStatus') return values.stepId ? null : value
          const status = t.status[values.stepStatus ?? ''] ?? ''
          const text = t.workflows.ofStep(nameOf(value), status)
          return [{ key: name, text, without: { stepId: undefined, stepStatus: undefined } }]
        }}
        controls={
          <Group gap="sm">
            <Select
              aria-label={t.anywhere.status}
              placeholder={t.campaigns.anyStatus}
              data={[
                ...STATES.map((value) => ({ value, label: t.status[value] ?? value })),
                { value: GOAL, label: t.workflows.goalReached },
              ]}
              value={values.goalReached ? GOAL : (values.status ?? null)}
              onChange={(chosen) =>
                change({
                  ...EVERYBODY,
                  ...(chosen === GOAL ? { goalReached: 'true' } : { status: chosen ?? undefined }),
                })
              }
              clearable
            />
            {may.workflows ? (
              <Button variant="default" onClick={() => change({ start: '1' })}>
                {t.workflows.start}
              </Button>
            ) : null}
          </Group>
        }
        ask={(api, { page: _, ...query }, signal) =>
          api.GET('/workflows/{id}/executions', { params: { path: { id }, query: query as Query }, signal })
        }
        every={() => 5000}
        href={(run) => `/${id}/runs/${run.id}`}
        columns={[
          { key: 'contact', title: t.workflows.contact, cell: ({ contactId }) => <ContactName id={contactId} /> },
          { key: 'started', title: t.workflows.started, cell: ({ startedAt }) => <Moment at={startedAt} /> },
          { key: 'status', title: t.anywhere.status, cell: ({ status }) => <Pill status={status} /> },
          { key: 'ended', title: t.workflows.ended, cell: ({ completedAt }) => <Moment at={completedAt} /> },
          {
            key: 'why',
            title: t.anywhere.details,
            sparse: true,
            cell: ({ error, exitReason }) =>
              exitReason === GOAL ? (
                <Link href={`/${id}?tab=runs&goalReached=true`}>{t.workflows.goalReached}</Link>
              ) : error ? (
                t.reasons(error)
              ) : (
                exitReason && (t.workflows.exits[exitReason] ?? exitReason)
              ),
          },
        ]}
        empty={<Empty title={t.workflows.noRuns} hint={t.workflows.noRunsHint} />}
      />
      <SidePanel title={t.workflows.start} opened={values.start === '1'} onClose={() => change({ start: undefined })}>
        <ContactPicker label={t.workflows.contact} value={contact} onChange={setContact} />
        {enabled ? null : (
          <Text size="sm" mt="md">
            {t.workflows.startsNobody}
          </Text>
        )}
        <Button
          mt="md"
          disabled={contact === undefined || !enabled}
          loading={start.isPending}
          onClick={() => contact && start.mutate(contact)}
        >
          {t.workflows.start}
        </Button>
      </SidePanel>
    </>
  )
}
