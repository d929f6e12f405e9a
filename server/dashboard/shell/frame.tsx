import { Anchor, AppShell, Burger, Button, Group, Kbd, NavLink, Text } from '@mantine/core'
import { useDisclosure, useHotkeys, useInViewport } from '@mantine/hooks'
import { IconChevronDown, IconSearch } from '@tabler/icons-react'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { later } from '../api/later.ts'
import { useFirstTexts } from '../texts/texts.tsx'
import classes from './frame.module.css'
import { Lost } from './lost.tsx'
import { PAGES } from './pages.ts'
import { ProjectSwitch } from './project-switch.tsx'
import { UserMenu } from './user-menu.tsx'

const Palette = later(() => import('./palette.tsx'))

/** The frame around the pages of a project: menu, project, palette and who is signed in. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const t = useFirstTexts()
  const [isMenuOpen, menu] = useDisclosure(false)
  const [isPaletteWanted, setPaletteWanted] = useState(false)
  const [isPaletteOpen, palette] = useDisclosure(false, { onOpen: () => setPaletteWanted(true) })
  const [location] = useLocation()
  const end = useInViewport<HTMLDivElement>()
  useHotkeys([['mod+K', palette.toggle]], [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a phone closes once a page was chosen
  useEffect(() => menu.close(), [location])
  const here = location.split('/')[1] || 'home'
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <button type="button" className={classes.skip} onClick={() => document.getElementById('content')?.focus()}>
        {t.shell.skipToContent}
      </button>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="sm">
          <Group gap="xs" wrap="nowrap" className={classes.left}>
            <Burger
              opened={isMenuOpen}
              onClick={menu.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t.shell.menu}
              aria-expanded={isMenuOpen}
            />
            <ProjectSwitch />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button
              variant="default"
              size="xs"
              leftSection={<IconSearch size={14} />}
              rightSection={<Kbd size="xs">{t.shell.paletteKeys}</Kbd>}
              onClick={palette.open}
              visibleFrom="sm"
            >
              {t.shell.palette}
            </Button>
            <Button variant="default" size="xs" onClick={palette.open} hiddenFrom="sm" aria-label={t.shell.palette}>
              <IconSearch size={14} />
            </Button>
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={t.shell.mainMenu}>
        <AppShell.Section grow p="xs" className={classes.pages}>
          {PAGES.map(({ path, icon: Icon, group }, at) => (
            <div key={path}>
              {group !== undefined && PAGES[at - 1]?.group !== group ? (
                <Text size="xs" fw={600} c="dimmed" mt="md" mb={4} px="sm">
                  {t.shell.group[group]}
                </Text>
              ) : null}
              <NavLink
                component={Link}
                href={path === 'home' ? '/' : `/${path}`}
                label={t.shell.pages[path]}
                leftSection={<Icon size={18} stroke={1.6} />}
                active={here === path}
                aria-current={here === path ? 'page' : undefined}
                className={classes.link}
              />
            </div>
          ))}
          <div ref={end.ref} className={classes.end} />
        </AppShell.Section>
        <AppShell.Section p="sm" className={classes.foot}>
          <div className={classes.more} data-shown={!end.inViewport || undefined} aria-hidden>
            <IconChevronDown size={16} />
          </div>
          <Anchor size="xs" c="dimmed" href="../docs" target="_blank" rel="noopener">
            {t.shell.apiReference}
          </Anchor>
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.content}>
        <Lost />
        {children}
      </AppShell.Main>
      {isPaletteWanted ? (
        <Suspense fallback={null}>
          <Palette opened={isPaletteOpen} onClose={palette.close} />
        </Suspense>
      ) : null}
    </AppShell>
  )
}
