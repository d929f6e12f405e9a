import { type Api, answerOf, type operations } from '../api/client.ts'
import type { Outlet, Step, Workflow } from './graph.ts'

export type NewStep = operations['addStep']['requestBody']['content']['application/json']

/** Adds a step at an outlet, in one request. What followed there follows the new step, on its branch `goesOn` if it has several. */
export function insertStep(
  api: Api,
  { id }: Workflow,
  { from, branch, way }: Outlet,
  body: NewStep,
  goesOn?: string,
): Promise<Step> {
  const place =
    way === undefined
      ? { afterStepId: from, ...onBranch(branch) }
      : { onTransitionId: way.id, ...onBranch(branch), ...(goesOn === undefined ? {} : { nextBranch: goesOn }) }
  return answerOf(
    api.POST('/workflows/{id}/steps', { params: { path: { id } }, body: { ...body, ...place } as NewStep }),
  )
}

/** Makes an outlet lead to a step, or nowhere. The API changes it at once: contacts always find one way or the other. */
export async function lead(
  api: Api,
  { id, version }: Workflow,
  outlet: Outlet,
  toStepId: string | undefined,
): Promise<void> {
  const { from, branch, way } = outlet
  if (way === undefined) {
    if (toStepId === undefined) return
    const body = { fromStepId: from, toStepId, ...onBranch(branch), version }
    await answerOf(api.POST('/workflows/{id}/transitions', { params: { path: { id } }, body }))
    return
  }
  const params = { path: { id, transitionId: way.id } }
  const isOfAll = way.branch === undefined && branch !== undefined
  // one that stands for all branches is divided first, which changes no way
  if (toStepId !== undefined || isOfAll) {
    const body = { ...onBranch(branch), ...(toStepId === undefined ? {} : { toStepId }), version }
    await answerOf(api.PATCH('/workflows/{id}/transitions/{transitionId}', { params, body }))
  }
  if (toStepId !== undefined) return
  // each change of the graph raises its version by one
  const query = { version: isOfAll ? version + 1 : version }
  await answerOf(api.DELETE('/workflows/{id}/transitions/{transitionId}', { params: { ...params, query } }))
}

/**
 * Removes a step; what led to it leads to what followed it at `kept` from now on. The steps that only its other
 * branches led to go after it.
 */
export async function removeStep(
  api: Api,
  { id, version }: Workflow,
  step: Step,
  kept: Outlet | undefined,
  lost: readonly Step[],
): Promise<void> {
  const branch = kept?.branch ?? kept?.way?.branch
  const query = { version, ...(kept === undefined ? {} : { splice: 'true' as const, ...onBranch(branch) }) }
  const remove = (stepId: string, how: typeof query) =>
    answerOf(api.DELETE('/workflows/{id}/steps/{stepId}', { params: { path: { id, stepId }, query: how } }))
  await remove(step.id, query)
  for (const [i, each] of lost.entries()) await remove(each.id, { version: version + 1 + i })
}

function onBranch(branch: string | undefined) {
  return branch === undefined ? {} : { branch }
}
