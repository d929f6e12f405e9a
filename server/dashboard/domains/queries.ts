import { useAsk } from '../api/ask.ts'
import { useProjectId } from '../api/project.tsx'
import type { Domain } from '../parts/dns-records.tsx'

/** All domains of the project, with their records. */
export function useDomains() {
  const project = useProjectId()
  return useAsk<readonly Domain[]>(['domains'], (api, signal) =>
    api.GET('/domains/project/{projectId}', { params: { path: { projectId: project } }, signal }),
  )
}
