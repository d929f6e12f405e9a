import { Alert } from '@mantine/core'
import { useTexts } from '../texts/texts.tsx'
import type { Step, Workflow } from './graph.ts'

/** The contacts that a change affects, of a workflow that is on or has contacts in it; nothing where there are none. */
export function Affected({
  workflow: { enabled },
  step,
  active,
}: {
  readonly workflow: Workflow
  /** The step that changes; none where one is added. */
  readonly step: Step | undefined
  readonly active: number
}) {
  const t = useTexts()
  if (!enabled && active === 0) return null
  const texts = [
    enabled ? (step === undefined ? t.workflows.isOnAdding : t.workflows.isOnChanging) : t.workflows.isOffChanging,
    active > 0 && step
      ? `${t.workflows.standOnIt(active)} ${t.workflows.theyStay[step.type] ?? t.workflows.theyMay}`
      : '',
  ]
  return (
    <Alert color="yellow" variant="light">
      {texts.filter(Boolean).join(' ')}
    </Alert>
  )
}
