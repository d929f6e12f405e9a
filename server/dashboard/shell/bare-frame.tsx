import { Anchor, AppShell, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useSession } from '../api/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Lost } from './lost.tsx'
import { toApp } from './to-app.ts'
import { UserMenu } from './user-menu.tsx'

/** The frame around pages that belong to no project: the way back to one, and who is signed in. */
export function BareFrame({ children }: { readonly children: ReactNode }) {
  const t = useTexts()
  const { projects } = useSession()
  return (
    <AppShell header={{ height: 56 }} padding={{ base: 'sm', sm: 'lg' }}>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between">
          {projects.length > 0 ? (
            <Anchor component={Link} href={toApp('/')} size="sm">
              {t.account.back}
            </Anchor>
          ) : (
            <span />
          )}
          <UserMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Main>
        <Lost />
        {children}
      </AppShell.Main>
    </AppShell>
  )
}
