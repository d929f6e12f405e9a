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

/** Over how many days reports are put together. */
export const REPORT_DAYS = 30

/** The reports of receivers on a domain, put together. */
export function useReports(id: string) {
  return useAsk(['domains', id, 'reports', REPORT_DAYS], (api, signal) =>
    api.GET('/domains/{id}/reports/summary', { params: { path: { id }, query: { days: REPORT_DAYS } }, signal }),
  )
}

/** The figures of receivers on a domain, out of their files. */
export function useFigures(id: string) {
  return useAsk(['domains', id, 'figures', REPORT_DAYS], (api, signal) =>
    api.GET('/domains/{id}/figures', { params: { path: { id }, query: { days: REPORT_DAYS } }, signal }),
  )
}
