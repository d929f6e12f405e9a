import { Alert, Avatar, CloseButton, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { areaOfRecords } from '../../../../core/projects/roles.ts'
import { useMay } from '../../api/project.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { useFormats } from '../formats.ts'
import { useLastChange } from './last-change.ts'
import { type Kind, useOthersHere } from './others-here.ts'
import { type SharedThing, useIsEdited, useNoteSeen } from './seen.ts'
import classes from './together.module.css'

interface TogetherProps extends SharedThing {
  readonly kind: Kind
}

/**
 * The heads of a page on which several people work: who else has it open, and whether another person has changed it since
 * this one last opened it in this browser. Users who may only read the thing are not shown to others.
 */
export function Together(thing: TogetherProps) {
  const may = useMay()
  const area = areaOfRecords(thing.kind)
  const { others, hasOtherTab } = useOthersHere(thing.kind, thing.id, area !== undefined && may[area])
  const t = useTexts()
  const { locale } = useFormats()
  const words = t.anywhere.together
  const names = others.map(({ name }) => name)
  const here = thing.kind === 'threads' ? words.answering : words.editing
  const lines = [
    ...(names.length === 0 ? [] : [here(new Intl.ListFormat(locale).format(shortened(names)), names.length)]),
    ...(hasOtherTab ? [words.otherTab] : []),
  ]
  return (
    <Stack gap="xs" role="status" className={classes.heads}>
      {lines.length === 0 ? null : (
        <Group gap="xs" wrap="nowrap">
          <Avatar.Group>
            {others.slice(0, SHOWN).map(({ userId, name }) => (
              <Avatar key={userId} name={name} color="initials" size={26} radius="xl" aria-hidden />
            ))}
          </Avatar.Group>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {lines.join(' ')}
          </Text>
        </Group>
      )}
      <Edited {...thing} />
    </Stack>
  )
}

/** How many people are shown one by one. */
const SHOWN = 3

/** The first of them, and how many more there are. */
function shortened(names: readonly string[]): readonly string[] {
  return names.length <= SHOWN ? names : [...names.slice(0, SHOWN), `+${names.length - SHOWN}`]
}

/** Whether another person has changed it since this one looked, and who and when where the audit log has it. */
function Edited(thing: SharedThing) {
  const t = useTexts()
  const formats = useFormats()
  const [isRead, setRead] = useState(false)
  const [first] = useState(thing)
  // as it was opened: what comes later is shown by the page itself
  const isEdited = useIsEdited(first)
  const last = useLastChange(thing.id, thing.kind, isEdited)
  useNoteSeen(thing)
  if (!isEdited || isRead || last?.isOwn) return null
  const { editedBy, editedSince, read } = t.anywhere.together
  return (
    <Alert variant="light" color="blue" p="xs">
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {last ? editedBy(last.name, formats.ago(last.at)) : editedSince}
        </Text>
        <CloseButton aria-label={read} onClick={() => setRead(true)} />
      </Group>
    </Alert>
  )
}
