import type { EngineValues } from '../settings/engine-values.ts'

/** The address of a page of the dashboard, such as `operator/routes`; that of the server where it has none. */
export function dashboardLink({ accounts, publicUrl = '' }: EngineValues, page: string): string {
  const { dashboardUrl } = accounts
  if (dashboardUrl === undefined) return publicUrl
  return `${dashboardUrl}/${page}`
}
