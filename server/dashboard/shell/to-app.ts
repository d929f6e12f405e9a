import { APP_PATH } from '../api/base.ts'

/** An address of the dashboard, from wherever one is: `toApp('/account')`. Links without it stay within the noun. */
export function toApp(path: string): string {
  return `~${APP_PATH}${path}`
}

/** A page of a project, from wherever one is: `toProject(id, '/contacts')`. */
export function toProject(project: string, path: string): string {
  return toApp(`/p/${project}${path}`)
}
