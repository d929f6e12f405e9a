import type { AssistantAction } from '../ports/store/inboxes.ts'

/** A proposal, with what its type needs. The dashboard has them from the API. */
interface Proposal {
  readonly type: AssistantAction
  readonly label?: string
  readonly assigneeId?: string
}

/** Proposals as a change of a thread that has these labels now. */
export function changeOf(labels: readonly string[], actions: readonly Proposal[]) {
  const named = actions.flatMap(({ label }) => label ?? [])
  const assigneeId = actions.find(({ type }) => type === 'assign')?.assigneeId
  const folder = actions.map(({ type }) => type).find((type) => type === 'archive' || type === 'spam')
  return {
    ...(named.length === 0 ? {} : { labels: [...new Set([...labels, ...named])] }),
    ...(assigneeId === undefined ? {} : { assigneeId }),
    ...(folder === undefined ? {} : { folder }),
  }
}
