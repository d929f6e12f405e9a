import { type Api, answerOf, type operations } from '../api/client.ts'
import { branchesOf, type Outlet, type Step, type Transition, type Workflow } from './graph.ts'

export type NewStep = operations['addStep']['requestBody']['content']['application/json']
type NewTransition = operations['addTransition']['requestBody']['content']['application/json']

/**
 * Adds a step at an outlet. What followed there follows the new step, on its branch `goesOn` if it has several. When
 * the API refuses the step, nothing has changed.
 */
export async function insertStep(
  api: Api,
  workflow: Workflow,
  outlet: Outlet,
  body: NewStep,
  goesOn?: string,
): Promise<Step> {
  const path = { id: workflow.id }
  if (outlet.way === undefined) {
    const place = { afterStepId: outlet.from, branch: outlet.branch as NewStep['branch'] }
    return answerOf(api.POST('/workflows/{id}/steps', { params: { path }, body: { ...body, ...place } }))
  }
  const made = await answerOf(
    api.POST('/workflows/{id}/steps', { params: { path }, body: { ...body, autoConnect: false } }),
  )
  try {
    await draw(api, workflow, { fromStepId: made.id, toStepId: outlet.way.toStepId, branch: goesOn })
    await lead(api, workflow, outlet, made.id)
  } catch (refused) {
    await api.DELETE('/workflows/{id}/steps/{stepId}', { params: { path: { ...path, stepId: made.id } } })
    throw refused
  }
  return made
}

/** Makes an outlet lead to a step, or nowhere. When the API refuses, it leads to where it did before. */
export async function lead(api: Api, workflow: Workflow, outlet: Outlet, toStepId: string | undefined): Promise<void> {
  const { from, branch, way } = outlet
  if (way !== undefined) await erase(api, workflow, way)
  try {
    if (way !== undefined && way.branch === undefined && branch !== undefined) {
      // it stood for all branches: the others stay
      const step = workflow.steps.find(({ id }) => id === from)
      for (const other of (step ? branchesOf(step) : []).filter((each) => each !== branch)) {
        await draw(api, workflow, { fromStepId: from, toStepId: way.toStepId, branch: other })
      }
    }
    if (toStepId !== undefined) await draw(api, workflow, { fromStepId: from, toStepId, branch })
  } catch (refused) {
    if (way !== undefined) {
      await draw(api, workflow, { fromStepId: from, toStepId: way.toStepId, branch: way.branch }).catch(() => {})
    }
    throw refused
  }
}

/**
 * Removes a step; what led to it leads to what followed it at `kept` from now on. The steps that only its other
 * branches led to go as well.
 */
export async function removeStep(
  api: Api,
  workflow: Workflow,
  step: Step,
  kept: Outlet | undefined,
  lost: readonly Step[],
): Promise<void> {
  const path = (stepId: string) => ({ id: workflow.id, stepId })
  if (branchesOf(step).length === 0) {
    const params = { path: path(step.id), query: { splice: 'true' as const } }
    await answerOf(api.DELETE('/workflows/{id}/steps/{stepId}', { params }))
    return
  }
  await answerOf(api.DELETE('/workflows/{id}/steps/{stepId}', { params: { path: path(step.id) } }))
  const next = kept?.way?.toStepId
  if (next !== undefined) {
    const before = workflow.transitions.filter(({ toStepId }) => toStepId === step.id)
    for (const { fromStepId, branch } of before) await draw(api, workflow, { fromStepId, toStepId: next, branch })
  }
  for (const { id } of lost) {
    await answerOf(api.DELETE('/workflows/{id}/steps/{stepId}', { params: { path: path(id) } }))
  }
}

function draw(
  api: Api,
  { id }: Workflow,
  { branch, ...ends }: Pick<NewTransition, 'fromStepId' | 'toStepId'> & { readonly branch?: string | undefined },
) {
  const body = { ...ends, ...(branch === undefined ? {} : { branch: branch as NewTransition['branch'] }) }
  return answerOf(api.POST('/workflows/{id}/transitions', { params: { path: { id } }, body }))
}

function erase(api: Api, { id }: Workflow, { id: transitionId }: Transition) {
  return answerOf(api.DELETE('/workflows/{id}/transitions/{transitionId}', { params: { path: { id, transitionId } } }))
}
