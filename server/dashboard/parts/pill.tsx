import { Badge } from '@mantine/core'
import { useFirstTexts } from '../texts/texts.tsx'
import classes from './pill.module.css'

const COLORS: Readonly<Record<string, string>> = {
  SENT: 'blue',
  DELIVERED: 'teal',
  OPENED: 'teal',
  CLICKED: 'teal',
  RECEIVED: 'indigo',
  BOUNCED: 'red',
  COMPLAINED: 'red',
  FAILED: 'red',
  failed: 'red',
  CANCELLED: 'gray',
  PAUSED: 'yellow',
  SCHEDULED: 'indigo',
  SENDING: 'blue',
  RUNNING: 'blue',
  active: 'blue',
  VERIFIED: 'teal',
  COMPLETED: 'teal',
  completed: 'teal',
  ACTIVE: 'teal',
  SUBSCRIBED: 'teal',
  ENABLED: 'teal',
  ON: 'teal',
  PENDING: 'yellow',
  INVITED: 'yellow',
  BOUNCE: 'red',
  COMPLAINT: 'red',
  ok: 'teal',
  degraded: 'yellow',
  down: 'red',
  slowed: 'yellow',
  paused: 'yellow',
}

/** A state in a word. Its color repeats what the word says. It may stand in a sentence, where HTML allows no blocks. */
export function Pill({ status, text }: { readonly status: string; readonly text?: string }) {
  const t = useFirstTexts()
  return (
    <Badge
      component="span"
      variant="light"
      radius="sm"
      color={COLORS[status] ?? 'gray'}
      tt="none"
      fw={550}
      className={classes.pill}
    >
      {text ?? t.status[status] ?? status}
    </Badge>
  )
}
