import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { AREA_NAMES, type AreaName, roleAllows } from '../../../core/projects/roles.ts'
import { type Api, apiOf, type components } from './client.ts'

export type Project = components['schemas']['Project']

const Context = createContext<{ readonly api: Api; readonly project: Project | undefined }>({
  api: apiOf(),
  project: undefined,
})

/** Everything inside asks the API for this project. Each tab has its own, since it stands in the address. */
export function ProjectScope({ project, children }: { readonly project: Project; readonly children: ReactNode }) {
  const value = useMemo(() => ({ api: apiOf(project.id), project }), [project])
  return <Context value={value}>{children}</Context>
}

/** The API for the project that is open; outside of projects, for the signed-in user. */
export function useApi(): Api {
  return useContext(Context).api
}

/** The id of the project that is open; `''` outside of projects. */
export function useProjectId(): string {
  return useContext(Context).project?.id ?? ''
}

/** The project that is open. Throws outside of projects. */
export function useProject(): Project {
  const { project } = useContext(Context)
  if (project === undefined) throw new Error('There is no project here.')
  return project
}

/** The rights that the user's role gives in this project, by area. */
export function useMay(): Readonly<Record<AreaName, boolean>> {
  const role = useContext(Context).project?.role
  const allowed = AREA_NAMES.map((area) => [area, role != null && roleAllows(role, area)] as const)
  return Object.fromEntries(allowed) as Record<AreaName, boolean>
}
