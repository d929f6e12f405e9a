import { Code, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { Suspense, useCallback, useMemo, useState } from 'react'
import type { components } from '../api/client.ts'
import { SidePanel } from '../parts/drawer.tsx'
import { Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pill } from '../parts/pill.tsx'
import { useTexts } from '../texts/texts.tsx'
import { stepName, type Workflow } from './graph.ts'
import type { Line } from './layout.ts'
import { ShownSteps } from './step-card.tsx'
import { GraphView } from './steps-view.tsx'

type Run = components['schemas']['Execution']

/** The workflow with the way of one run lit up, and when it came to each step. */
export function RunGraph({ workflow, run }: { readonly workflow: Workflow; readonly run: Run }) {
  const t = useTexts()
  const [opened, setOpened] = useState<string | undefined>()
  const shown = useMemo(
    () => ({
      workflow,
      visits: new Map(run.steps.map((each) => [each.stepId, each])),
      open: ({ id }: { readonly id: string }) => setOpened(id),
    }),
    [workflow, run],
  )
  const isTaken = useCallback((line: Line) => hasTaken(run, line), [run])
  const step = workflow.steps.find(({ id }) => id === opened)
  const done = run.steps.findLast(({ stepId }) => stepId === opened)
  return (
    <ShownSteps value={shown}>
      <Suspense fallback={<Skeleton height={480} />}>
        <GraphView isTaken={isTaken} />
      </Suspense>
      <SidePanel
        title={step ? stepName(step, workflow, t) : ''}
        opened={step !== undefined}
        onClose={() => setOpened(undefined)}
      >
        {done ? (
          <Stack>
            <Facts
              of={[
                [t.anywhere.status, <Pill key="status" status={done.status} />],
                [t.workflows.started, <Moment key="started" at={done.startedAt} />],
                [t.workflows.ended, <Moment key="ended" at={done.completedAt} />],
                [t.anywhere.details, done.error && t.reasons(done.error)],
              ]}
            />
            {done.output ? (
              <Paper withBorder>
                <Code block>{JSON.stringify(done.output, null, 2)}</Code>
              </Paper>
            ) : null}
          </Stack>
        ) : (
          <Text>{t.workflows.notVisited}</Text>
        )}
      </SidePanel>
    </ShownSteps>
  )
}

/** Whether the run went along this line: on its branch, from one step to the next. */
function hasTaken(run: Run, { outlet, toStepId }: Line): boolean {
  return run.steps.some(({ stepId, output }, at) => {
    const isNext = stepId === outlet.from && run.steps[at + 1]?.stepId === toStepId
    const branch = output?.branch
    return isNext && (outlet.branch === undefined || branch === undefined || branch === outlet.branch)
  })
}
