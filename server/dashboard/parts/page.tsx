import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { Breakable } from './breakable.tsx'
import classes from './page.module.css'

export interface PageProps {
  readonly title: string
  /** What stands in the browser's tab instead of the title. */
  readonly name?: string
  /** Beside the title, such as a pill. */
  readonly beside?: ReactNode
  readonly hint?: ReactNode
  readonly actions?: ReactNode
  /** The pages above this one. */
  readonly trail?: readonly { readonly text: string; readonly href: string }[]
  /** True for a page of forms alone. */
  readonly narrow?: boolean
  readonly children: ReactNode
}

/** A page: its heading, its actions and what is on it. The heading gets the focus, so that screen readers begin there. */
export function Page({ title, name = title, beside, hint, actions, trail = [], narrow = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${name} · Mailwright`
  }, [name])
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <Stack gap="lg" className={classes.page} data-narrow={narrow || undefined}>
      <header>
        {trail.length === 0 ? null : (
          <Breadcrumbs mb={4} separatorMargin={6}>
            {trail.map(({ text, href }) => (
              <Anchor key={href} component={Link} href={href} size="sm" c="dimmed">
                {text}
              </Anchor>
            ))}
          </Breadcrumbs>
        )}
        <Group justify="space-between" align="flex-start" gap="sm">
          <div className={classes.heading}>
            <Group gap="sm">
              <Title order={1} size="h2" ref={heading} tabIndex={-1} className={classes.title}>
                <Breakable text={title} />
              </Title>
              {beside}
            </Group>
            {hint === undefined ? null : (
              <Text c="dimmed" size="sm" mt={4} maw="70ch">
                {hint}
              </Text>
            )}
          </div>
          <Group gap="xs">{actions}</Group>
        </Group>
      </header>
      {children}
    </Stack>
  )
}
