import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { ApiError } from './api-error.ts'
import { answerOf, type components, openApi } from './client.ts'
import { untilSignedIn } from './ended.ts'
import type { Project } from './project.tsx'

type User = components['schemas']['Me']

export interface Session {
  readonly user: User
  readonly projects: readonly Project[]
}

/** The key under which the session is kept among the queries. */
export const SESSION = ['session'] as const

const Context = createContext<Session | undefined>(undefined)

/** Who is signed in, with the projects. Throws outside of pages for people who are signed in. */
export function useSession(): Session {
  const session = useContext(Context)
  if (session === undefined) throw new Error('Nobody is signed in here.')
  return session
}

export function SessionScope({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  return <Context value={session}>{children}</Context>
}

/** Asks who is signed in: null for no one. */
export function useSessionQuery() {
  const queries = useQueryClient()
  return useQuery<Session | null>({
    queryKey: SESSION,
    async queryFn() {
      const before = queries.getQueryData<Session | null>(SESSION) ?? null
      const session = await askSession()
      // the page stays as it is, and asks its person to sign in again
      if (session === null && before !== null) void untilSignedIn()
      return session ?? before
    },
    staleTime: 60_000,
  })
}

/** Who is signed in now, whatever was known; null for no one. */
export async function askSession(): Promise<Session | null> {
  const api = openApi()
  try {
    const [user, projects] = await Promise.all([
      answerOf(api.GET('/users/@me')),
      answerOf(api.GET('/users/@me/projects')),
    ])
    return { user, projects }
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}
