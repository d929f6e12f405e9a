import { Button, Divider, Select, Stack } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useAsk } from '../api/ask.ts'
import { useMay } from '../api/project.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { useTexts } from '../texts/texts.tsx'
import { branchName, type Outlet, outletsOf, type Step, stepName, type Workflow } from './graph.ts'
import { type Shown, ShownSteps } from './step-card.tsx'
import { StepForm } from './step-form.tsx'
import { StepsView } from './steps-view.tsx'
import { useStepEdits } from './use-step-edits.tsx'
import { WorkflowSettings } from './workflow-settings.tsx'

/** The steps of a workflow, as a graph or as a list, and the panel in which they are made and changed. */
export function Steps({ workflow }: { readonly workflow: Workflow }) {
  const t = useTexts()
  const may = useMay()
  const [edited, setEdited] = useState<string | undefined>()
  const [added, setAdded] = useState<{ readonly outlet: Outlet; readonly type: string } | undefined>()
  const close = () => {
    setEdited(undefined)
    setAdded(undefined)
  }
  const stats = useAsk(
    ['workflows', workflow.id, 'stats'],
    (api, signal) => api.GET('/workflows/{id}/stats', { params: { path: { id: workflow.id } }, signal }),
    { every: 10_000 },
  )
  const counts = useMemo(() => new Map((stats.data?.steps ?? []).map((step) => [step.stepId, step])), [stats.data])
  const { remove, connect } = useStepEdits(workflow, counts, close)
  const { goalReached = 0 } = stats.data?.executions ?? {}
  const shown = useShownSteps(
    {
      workflow,
      counts,
      goalReached,
      open: ({ id }) => setEdited(id),
      add: (outlet, type) => setAdded({ outlet, type }),
      remove,
    },
    may.workflows,
  )
  const step = workflow.steps.find(({ id }) => id === edited)
  const kind = t.workflows.kinds[step?.type ?? added?.type ?? ''] ?? ''
  const name = step && stepName(step, workflow, t)
  const title = name === undefined || name === kind ? kind : `${kind}: ${name}`
  return (
    <ShownSteps value={shown}>
      <StepsView connect={may.workflows ? connect : undefined} />
      <SidePanel title={title} opened={step !== undefined || added !== undefined} onClose={close} size="xl">
        {added ? <StepForm workflow={workflow} {...added} onDone={close} /> : null}
        {step ? (
          <Stack gap="lg">
            {step.type === 'TRIGGER' ? (
              <WorkflowSettings workflow={workflow} />
            ) : (
              <StepForm
                key={step.id}
                workflow={workflow}
                step={step}
                active={counts.get(step.id)?.active ?? 0}
                onDone={close}
              />
            )}
            <GoesOn workflow={workflow} step={step} connect={may.workflows ? connect : undefined} />
            {may.workflows && step.type !== 'TRIGGER' ? (
              <Button
                variant="subtle"
                color="red"
                w="fit-content"
                leftSection={<IconTrash size={16} />}
                onClick={() => remove(step)}
              >
                {t.workflows.removeStep}
              </Button>
            ) : null}
          </Stack>
        ) : null}
      </SidePanel>
    </ShownSteps>
  )
}

/** Where a step goes on, on each of its ways: chosen by keyboard where the graph has handles to drag. */
function GoesOn({
  workflow,
  step,
  connect,
}: {
  readonly workflow: Workflow
  readonly step: Step
  readonly connect: ((outlet: Outlet, to?: string) => void) | undefined
}) {
  const t = useTexts()
  const outlets = outletsOf(workflow, step)
  if (outlets.length === 0) return null
  const targets = workflow.steps.filter(({ id, type }) => id !== step.id && type !== 'TRIGGER')
  return (
    <Stack gap="sm">
      <Divider label={t.workflows.goesOn} labelPosition="left" />
      {outlets.map((outlet) => (
        <Select
          key={outlet.branch ?? ''}
          label={branchName(outlet, step.type, t) ?? t.workflows.next}
          data={targets.map((target) => ({ value: target.id, label: stepName(target, workflow, t) }))}
          placeholder={t.workflows.leadsNowhere}
          value={outlet.way?.toStepId ?? null}
          onChange={(to) => to !== outlet.way?.toStepId && connect?.(outlet, to ?? undefined)}
          disabled={connect === undefined}
          searchable
          clearable
        />
      ))}
    </Stack>
  )
}

/** Keeps the same object while nothing of it changed, so that a card is drawn anew only when it says something else. */
function useShownSteps(shown: Shown, mayChange: boolean): Shown {
  const { workflow, counts, goalReached } = shown
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions change with the workflow and its counts
  return useMemo(() => {
    const { add: _, remove: __, ...rest } = shown
    return mayChange ? shown : rest
  }, [workflow, counts, goalReached, mayChange])
}
