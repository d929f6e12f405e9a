import { Center, Loader } from '@mantine/core'
import { type ReactNode, Suspense, useEffect } from 'react'
import { Redirect, Route, Router, Switch, useLocation, useSearch } from 'wouter'
import { APP_PATH } from './api/base.ts'
import { useHasEnded } from './api/ended.ts'
import { later } from './api/later.ts'
import { ProjectScope } from './api/project.tsx'
import { type Session, SessionScope, useSessionQuery } from './api/session.tsx'
import { Empty } from './parts/empty.tsx'
import { Problem } from './parts/problem.tsx'
import { useGuardedLocation } from './parts/unsaved.tsx'
import { Broken } from './shell/broken.tsx'
import { Frame } from './shell/frame.tsx'
import { PAGES } from './shell/pages.ts'
import { toApp } from './shell/to-app.ts'
import { useFirstTexts } from './texts/texts.tsx'

const SignIn = later(() => import('./sign-in/index.tsx'))
const Account = later(() => import('./account/index.tsx'))
const Connect = later(() => import('./connect/index.tsx'))
const SetUp = later(() => import('./set-up/index.tsx'))
const Operator = later(() => import('./operator/index.tsx'))
const SignInAgain = later(() => import('./shell/sign-in-again.tsx'))
const LAST_PROJECT = 'mailwright-project'

/** All pages: those without a session, those of a project, and those of the person. */
export function App() {
  const session = useSessionQuery()
  if (session.data === undefined) {
    return session.error ? <Problem error={session.error} retry={() => void session.refetch()} /> : <Waiting />
  }
  return (
    <Router base={APP_PATH} hook={useGuardedLocation}>
      <Suspense fallback={<Waiting />}>
        <Switch>
          <Route path="/sign-in" nest>
            <SignIn />
          </Route>
          <Route>
            <SignedIn session={session.data} />
          </Route>
        </Switch>
      </Suspense>
    </Router>
  )
}

function SignedIn({ session }: { readonly session: Session | null }) {
  const [location] = useLocation()
  const search = useSearch()
  const hasEnded = useHasEnded()
  if (session === null) {
    const back = `${location}${search && `?${search}`}`
    return <Redirect to={back === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(back)}`} replace />
  }
  return (
    <SessionScope session={session}>
      <Switch>
        <Route path="/account" nest>
          <Account />
        </Route>
        <Route path="/connect">
          <Connect />
        </Route>
        {session.user.operator ? (
          <Route path="/operator" nest>
            <Operator />
          </Route>
        ) : null}
        <Route path="/p/:project" nest>
          {({ project }) => <OfProject session={session} id={project} />}
        </Route>
        <Route path="/">
          <FirstProject session={session} />
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
      {hasEnded ? (
        <Suspense fallback={null}>
          <SignInAgain />
        </Suspense>
      ) : null}
    </SessionScope>
  )
}

function OfProject({ session, id }: { readonly session: Session; readonly id: string }) {
  const project = session.projects.find((each) => each.id === id)
  useEffect(() => {
    if (project) localStorage.setItem(LAST_PROJECT, project.id)
  }, [project])
  if (project === undefined) return <NotFound />
  return (
    <ProjectScope project={project} key={project.id}>
      <Frame>
        <Suspense fallback={<Waiting />}>
          <Switch>
            <Route path="/start" nest>
              <Here>
                <SetUp />
              </Here>
            </Route>
            {PAGES.map(({ path, Pages }) => (
              <Route key={path} path={path === 'home' ? '/' : `/${path}`} nest={path !== 'home'}>
                <Here>
                  <Pages />
                </Here>
              </Route>
            ))}
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </Suspense>
      </Frame>
    </ProjectScope>
  )
}

/** A page that breaks leaves the frame around it standing, and others work. */
function Here({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation()
  return <Broken key={location}>{children}</Broken>
}

/** The project that was open last. The operator is led through the first steps of a project without a sender. */
function FirstProject({ session: { projects, user } }: { readonly session: Session }) {
  const last = localStorage.getItem(LAST_PROJECT)
  const first = projects.find(({ id }) => id === last) ?? projects[0]
  if (first === undefined) return <Redirect to={toApp('/account')} replace />
  const isNew = last === null && user.operator && first.from === null
  return <Redirect to={toApp(`/p/${first.id}${isNew ? '/start' : ''}`)} replace />
}

function NotFound() {
  const t = useFirstTexts()
  return <Empty title={t.anywhere.notFound} hint={t.anywhere.notFoundHint} />
}

function Waiting() {
  return (
    <Center h="40vh">
      <Loader type="dots" />
    </Center>
  )
}
