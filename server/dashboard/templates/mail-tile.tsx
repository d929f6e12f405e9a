import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Moment } from '../parts/moment.tsx'
import { asFilledIn, Thumbnail } from '../parts/thumbnail.tsx'
import { EditedMark } from '../parts/together/edited-mark.tsx'
import type { SharedThing } from '../parts/together/seen.ts'
import { useTexts } from '../texts/texts.tsx'
import classes from './templates.module.css'

/** One of a list by its picture: a template, a snippet or a layout. */
export function MailTile({
  href,
  html,
  name,
  hint,
  updatedAt,
  thing,
  bare = false,
  children,
}: {
  readonly href: string
  readonly html: string
  readonly name: string
  readonly hint?: string | undefined
  readonly updatedAt: string
  /** For the mark that another person has changed it. */
  readonly thing: SharedThing
  /** True where something else draws its border. Default false. */
  readonly bare?: boolean
  /** Shown below the name. */
  readonly children?: ReactNode
}) {
  const t = useTexts()
  return (
    <Paper withBorder={!bare} component={Link} href={href} className={classes.card}>
      <Thumbnail html={html} title={name} />
      <Stack gap={4} p="sm" align="flex-start">
        <Title order={2} size="h5" lineClamp={2} className={classes.name}>
          {name}
        </Title>
        {children}
        <EditedMark {...thing} />
        <Text size="sm" c="dimmed" lineClamp={1} className={classes.name}>
          {asFilledIn(hint ?? '', t)}
        </Text>
        <Text size="xs" c="dimmed">
          {t.anywhere.updated} <Moment at={updatedAt} />
        </Text>
      </Stack>
    </Paper>
  )
}
