import { Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../api/ask.ts'
import { useConfirm } from '../parts/confirm.tsx'
import { useTexts } from '../texts/texts.tsx'
import {
  branchName,
  type Counts,
  lostWith,
  type Outlet,
  outletsOf,
  type Step,
  stepName,
  type Workflow,
} from './graph.ts'
import { lead, removeStep } from './graph-edits.ts'

/** Removes steps and changes where they go on, after what it does was explained. */
export function useStepEdits(workflow: Workflow, counts: Counts, onRemoved: () => void) {
  const t = useTexts()
  const confirm = useConfirm()
  const changes = ['workflows']
  const removal = useAct(
    async (api, { step, kept }: { readonly step: Step; readonly kept: Outlet | undefined }) => {
      await removeStep(api, workflow, step, kept, lostWith(workflow, step, kept?.way?.toStepId))
      return DONE
    },
    { changes, done: t.workflows.stepRemoved, onDone: onRemoved },
  )
  const leading = useAct(
    async (api, { outlet, to }: { readonly outlet: Outlet; readonly to: string | undefined }) => {
      await lead(api, workflow, outlet, to)
      return DONE
    },
    { changes, done: t.workflows.wayChanged },
  )
  const remove = async (step: Step) => {
    const ways = outletsOf(workflow, step).filter(({ way }) => way)
    const choice = { kept: ways[0] }
    const active = counts.get(step.id)?.active ?? 0
    const text = <Removal workflow={workflow} step={step} ways={ways} choice={choice} active={active} />
    const title = t.workflows.removeStepTitle(step.name)
    const isSure = await confirm({ title, text, yes: t.workflows.removeStep, grave: true })
    if (isSure) removal.mutate({ step, kept: choice.kept })
  }
  /** Makes an outlet lead to another step, or nowhere. */
  const connect = async (outlet: Outlet, to: string | undefined) => {
    const from = workflow.steps.find(({ id }) => id === outlet.from)
    const target = workflow.steps.find(({ id }) => id === to)
    if (from === undefined) return
    const leads = target ? t.workflows.leadTo(stepName(target, workflow, t)) : t.workflows.leadNowhere
    const place = [stepName(from, workflow, t), branchName(outlet, from.type, t)].filter(Boolean).join(', ')
    // an open end of a workflow that is off affects no contact
    if (outlet.way === undefined && !workflow.enabled) return leading.mutate({ outlet, to })
    const text = [workflow.enabled ? t.workflows.isOnLeading : '', t.workflows.leadHint].filter(Boolean).join(' ')
    if (await confirm({ title: `${place}: ${leads}`, text, yes: t.workflows.changeWay })) leading.mutate({ outlet, to })
  }
  return {
    remove: (step: Step) => void remove(step),
    connect: (outlet: Outlet, to?: string) => void connect(outlet, to),
  }
}

/** The results of several requests, as one answer. */
const DONE = { data: undefined, response: new Response() }

/** The steps that go with a removed one, and those that stay; of several branches one is chosen, which is written into `choice`. */
function Removal({
  workflow,
  step,
  ways,
  choice,
  active,
}: {
  readonly workflow: Workflow
  readonly step: Step
  readonly ways: readonly Outlet[]
  readonly choice: { kept: Outlet | undefined }
  readonly active: number
}) {
  const t = useTexts()
  const [kept, setKept] = useState(choice.kept)
  const nameOf = (id: string | undefined) => {
    const found = workflow.steps.find((each) => each.id === id)
    return found ? stepName(found, workflow, t) : ''
  }
  const choose = (branch: string) => {
    choice.kept = ways.find((way) => (way.branch ?? '') === branch)
    setKept(choice.kept)
  }
  const lost = lostWith(workflow, step, kept?.way?.toStepId).map(({ name }) => name)
  return (
    <Stack gap="sm">
      {active > 0 ? (
        <Text>
          {t.workflows.standOnIt(active)} {t.workflows.removeLater}
        </Text>
      ) : null}
      {ways.length > 1 ? (
        <Radio.Group label={t.workflows.whatStays} value={kept?.branch ?? ''} onChange={choose}>
          <Stack gap="xs" mt="xs">
            {ways.map((outlet) => (
              <Radio
                key={outlet.branch ?? ''}
                value={outlet.branch ?? ''}
                label={`${branchName(outlet, step.type, t) ?? ''}: ${nameOf(outlet.way?.toStepId)}`}
              />
            ))}
          </Stack>
        </Radio.Group>
      ) : ways.length === 1 ? (
        <Text>{t.workflows.removeSplice(nameOf(kept?.way?.toStepId))}</Text>
      ) : null}
      {lost.length > 0 ? <Text>{t.workflows.removeLost(lost.join(', '))}</Text> : null}
      {workflow.enabled ? <Text>{t.workflows.isOnLeading}</Text> : null}
    </Stack>
  )
}
