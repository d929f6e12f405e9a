import { Paper, Skeleton, Text } from '@mantine/core'
import { IconArrowDownRight, IconArrowUpRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import classes from './figure.module.css'

/** A figure with its name; where it leads, the people or mails behind it are listed. */
export function Figure({
  name,
  value,
  note,
  change,
  rising = 'good',
  href,
}: {
  readonly name: string
  /** Undefined while it is on its way. */
  readonly value: string | undefined
  readonly note?: ReactNode
  /** Against the time before, in percent. */
  readonly change?: { readonly text: string; readonly by: number } | undefined
  /** Whether more of it is good. */
  readonly rising?: 'good' | 'bad' | 'neither'
  readonly href?: string
}) {
  const color =
    !change || rising === 'neither' || change.by === 0
      ? 'dimmed'
      : change.by > 0 === (rising === 'good')
        ? 'var(--mw-good)'
        : 'var(--mw-bad)'
  const Icon = change && change.by < 0 ? IconArrowDownRight : IconArrowUpRight
  const inside = (
    <>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      {value === undefined ? (
        <Skeleton height={28} width="60%" mt={4} />
      ) : (
        <>
          <Text fz={26} fw={650} lh={1.3} className={classes.value}>
            {value}
          </Text>
          {change === undefined ? null : (
            <Text size="sm" c={color} className={classes.change}>
              {change.by === 0 ? null : <Icon size={14} aria-hidden />} {change.text}
            </Text>
          )}
        </>
      )}
      {note === undefined ? null : (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </>
  )
  return href === undefined ? (
    <Paper withBorder p="md">
      {inside}
    </Paper>
  ) : (
    <Paper withBorder p="md" component={Link} href={href} className={classes.linked}>
      {inside}
    </Paper>
  )
}
