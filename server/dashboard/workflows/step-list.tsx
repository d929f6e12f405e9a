import { ActionIcon, Anchor, Badge, Button, Group, Paper, Text } from '@mantine/core'
import { IconEdit, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { useTexts } from '../texts/texts.tsx'
import { StepForm } from './step-form.tsx'
import { StepWords } from './step-words.tsx'
import type { Workflow } from './workflow-page.tsx'
import classes from './workflows.module.css'

export type Step = components['schemas']['Step']
type Branch = 'yes' | 'no' | 'event' | 'timeout'

/** A place where a step can be added: after a step, on one of its branches. */
export interface Place {
  readonly after: string
  readonly branch?: Branch
}

/** The branches of a step that has several. */
const BRANCHES: Readonly<Record<string, readonly Branch[]>> = {
  CONDITION: ['yes', 'no'],
  WAIT_FOR_EVENT: ['event', 'timeout'],
}

/** The steps from the start on, each with what follows on its branches, and how many contacts stand there. */
export function StepList({ workflow }: { readonly workflow: Workflow }) {
  const t = useTexts()
  const [edited, setEdited] = useState<Step | undefined>()
  const [place, setPlace] = useState<Place | undefined>()
  const stats = useAsk(
    ['workflows', workflow.id, 'stats'],
    (api, signal) => api.GET('/workflows/{id}/stats', { params: { path: { id: workflow.id } }, signal }),
    { every: 10_000 },
  )
  const counts = new Map((stats.data?.steps ?? []).map((step) => [step.stepId, step]))
  const incoming = new Set(workflow.transitions.map(({ toStepId }) => toStepId))
  const roots = workflow.steps.filter(({ id }) => !incoming.has(id))
  const close = () => {
    setEdited(undefined)
    setPlace(undefined)
  }
  return (
    <>
      <ol className={classes.steps}>
        {roots.map((root) => (
          <Chain
            key={root.id}
            from={root}
            workflow={workflow}
            counts={counts}
            edit={setEdited}
            add={setPlace}
            seen={new Set()}
          />
        ))}
      </ol>
      <SidePanel
        title={edited ? t.workflows.editStep : t.workflows.addStep}
        opened={edited !== undefined || place !== undefined}
        onClose={close}
        size="xl"
      >
        {edited !== undefined || place !== undefined ? (
          <StepForm workflow={workflow} step={edited} place={place} onDone={close} />
        ) : null}
      </SidePanel>
    </>
  )
}

type Counts = ReadonlyMap<string, components['schemas']['WorkflowStats']['steps'][number]>

function Chain({
  from,
  workflow,
  counts,
  edit,
  add,
  seen,
}: {
  readonly from: Step
  readonly workflow: Workflow
  readonly counts: Counts
  readonly edit: (step: Step) => void
  readonly add: (place: Place) => void
  readonly seen: ReadonlySet<string>
}) {
  const t = useTexts()
  const may = useMay()
  // a way back to a step that stands above
  if (seen.has(from.id)) {
    return (
      <li>
        <Text size="sm" c="dimmed">
          {t.workflows.goesOnAt(from.type === 'TRIGGER' ? (t.workflows.kinds.TRIGGER ?? '') : from.name)}
        </Text>
      </li>
    )
  }
  const nowSeen = new Set([...seen, from.id])
  const next = (branch?: Branch) => {
    const way = workflow.transitions.find(
      (each) => each.fromStepId === from.id && (branch === undefined ? true : (each.branch ?? branch) === branch),
    )
    return workflow.steps.find(({ id }) => id === way?.toStepId)
  }
  const rest = { workflow, counts, edit, add, seen: nowSeen }
  const open = (branch?: Branch) =>
    may.change ? (
      <li>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconPlus size={14} />}
          onClick={() => add({ after: from.id, ...(branch === undefined ? {} : { branch }) })}
        >
          {t.workflows.addAfter}
        </Button>
      </li>
    ) : null
  const branches = BRANCHES[from.type]
  const following = branches === undefined ? next() : undefined
  return (
    <>
      <li>
        <StepCard step={from} workflow={workflow} counts={counts} edit={edit} />
      </li>
      {branches?.map((branch) => {
        const target = next(branch)
        return (
          <li key={branch} className={classes.branch}>
            <Badge variant="light" tt="none" mb={6}>
              {t.workflows.branches[branch]}
            </Badge>
            <ol className={classes.steps}>{target ? <Chain from={target} {...rest} /> : open(branch)}</ol>
          </li>
        )
      })}
      {branches !== undefined || from.type === 'EXIT' ? null : following ? (
        <Chain from={following} {...rest} />
      ) : (
        open()
      )}
    </>
  )
}

function StepCard({
  step,
  workflow,
  counts,
  edit,
}: {
  readonly step: Step
  readonly workflow: Workflow
  readonly counts: Counts
  readonly edit: (step: Step) => void
}) {
  const t = useTexts()
  const may = useMay()
  const confirm = useConfirm()
  const { id, type, name } = step
  const count = counts.get(id)
  const remove = useAct(
    (api) =>
      api.DELETE('/workflows/{id}/steps/{stepId}', {
        params: { path: { id: workflow.id, stepId: id }, query: BRANCHES[type] ? {} : { splice: 'true' as const } },
      }),
    { changes: ['workflows'], done: t.workflows.stepRemoved },
  )
  const ask = async () => {
    const question = {
      title: t.workflows.removeStepTitle(name),
      text: t.workflows.removeStepHint,
      yes: t.workflows.removeStep,
    }
    if (await confirm({ ...question, grave: true })) remove.mutate()
  }
  const isTrigger = type === 'TRIGGER'
  return (
    <Paper withBorder p="sm" className={classes.card}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Text size="xs" c="dimmed">
            {t.workflows.kinds[type] ?? type}
          </Text>
          <Text fw={600}>{isTrigger ? (workflow.triggerConfig.eventName ?? t.workflows.byHand) : name}</Text>
          <StepWords step={step} />
          {count === undefined || isTrigger ? null : (
            <Group gap="xs" mt={4}>
              {(
                [
                  [count.active, t.workflows.standing, `standingOn=${id}`],
                  [count.completed, t.workflows.passed, `stepId=${id}&stepStatus=COMPLETED`],
                  [count.failed, t.workflows.failed, `stepId=${id}&stepStatus=FAILED`],
                ] as const
              ).map(([n, words, query], at) =>
                // who passed is said of every step
                n === 0 && at !== 1 ? null : n === 0 ? (
                  <Text key={query} size="xs" c="dimmed">
                    {words(n)}
                  </Text>
                ) : (
                  <Anchor key={query} component={Link} size="xs" href={`/${workflow.id}?tab=runs&${query}`}>
                    {words(n)}
                  </Anchor>
                ),
              )}
            </Group>
          )}
        </div>
        {may.change && !isTrigger ? (
          <Group gap={4} wrap="nowrap">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`${t.workflows.editStep}: ${name}`}
              onClick={() => edit(step)}
            >
              <IconEdit size={16} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t.workflows.removeStepTitle(name)}
              onClick={() => void ask()}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        ) : null}
      </Group>
    </Paper>
  )
}
