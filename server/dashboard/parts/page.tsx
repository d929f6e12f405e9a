import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { Breakable } from './breakable.tsx'
import classes from './page.module.css'

export interface PageProps {
  readonly title: string
  /** The name in the browser's tab instead of the title. */
  readonly name?: string
  /** Beside the title, such as a pill. */
  readonly beside?: ReactNode
  readonly hint?: ReactNode
  readonly actions?: ReactNode
  /** The pages above this one. */
  readonly trail?: readonly { readonly text: string; readonly href: string }[]
  /** True where what is below needs the height: the pages above stand before the title. */
  readonly compact?: boolean
  /** True for a page of forms alone. */
  readonly narrow?: boolean
  readonly children: ReactNode
}

/** A page: its heading, its actions and what is on it. The heading gets the focus, so that screen readers begin there. */
export function Page({
  title,
  name = title,
  beside,
  hint,
  actions,
  trail = [],
  compact = false,
  narrow = false,
  children,
}: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${name} · Mailwright`
  }, [name])
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true })
  }, [])
  const above =
    trail.length === 0 ? null : (
      <Breadcrumbs mb={compact ? 0 : 4} separatorMargin={6}>
        {trail.map(({ text, href }) => (
          <Anchor key={href} component={Link} href={href} size="sm" c="dimmed">
            {text}
          </Anchor>
        ))}
      </Breadcrumbs>
    )
  return (
    <Stack gap={compact ? 4 : 'lg'} className={classes.page} data-narrow={narrow || undefined}>
      <header>
        {compact ? null : above}
        <Group justify="space-between" align="flex-start" gap="sm">
          <div className={classes.heading}>
            <Group gap="sm">
              {compact ? above : null}
              <Title order={1} size={compact ? 'h3' : 'h2'} ref={heading} tabIndex={-1} className={classes.title}>
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
