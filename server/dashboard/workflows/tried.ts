import type { components } from '../api/client.ts'
import type { Texts } from '../texts/types.ts'
import { branchName, outletsOf, type Step, stepName, type Workflow } from './graph.ts'

export type Tried = components['schemas']['TriedStep']

/** The types of steps that decide something, so that they can be tried. */
export const TRIED: readonly string[] = ['SEND_EMAIL', 'WAIT_UNTIL', 'CONDITION', 'SWITCH', 'SPLIT']

/** The answer of a step for a contact, in sentences. The step after a mail is left out: it does not depend on the contact. */
export function triedWords(
  { branch, until, skipped, output }: Tried,
  step: Step,
  workflow: Workflow,
  t: Texts,
  time: (moment: string) => string,
): readonly string[] {
  const { tried, lastHours } = t.workflows
  const [reason, to] = [output.reason, output.to].map((each) => (typeof each === 'string' ? each : undefined))
  const why = tried.reasons[reason ?? ''] ?? reason
  if (step.type === 'SEND_EMAIL') {
    const { unlessMailedWithin: hours = 1 } = step.config
    if (skipped) return [reason === 'mailed-recently' ? tried.mailed(lastHours(Number(hours))) : (why ?? '')]
    return [to === undefined ? tried.sendsElsewhere : tried.sends(to)]
  }
  const outlet = outletsOf(workflow, step).find((each) => (each.branch ?? branch) === branch)
  const taken = outlet && branchName(outlet, step.type, t)
  const next = workflow.steps.find(({ id }) => id === outlet?.way?.toStepId)
  return [
    ...(until === null ? [] : [tried.until(time(until))]),
    ...(why === undefined ? [] : [why]),
    ...(taken === undefined ? [] : [tried.takes(taken)]),
    next ? t.workflows.leads(stepName(next, workflow, t)) : t.workflows.leadsNowhere,
  ]
}
