import { Badge } from '@mantine/core'
import { useTexts } from '../../texts/texts.tsx'
import { useFormats } from '../formats.ts'
import { useLastChange } from './last-change.ts'
import { type SharedThing, useIsEdited } from './seen.ts'

/** Marks a thing in a list that another person has changed since this one last opened it in this browser. */
export function EditedMark(thing: SharedThing) {
  const t = useTexts()
  const formats = useFormats()
  const isEdited = useIsEdited(thing)
  const last = useLastChange(thing.id, thing.kind, isEdited)
  if (!isEdited || last?.isOwn) return null
  const { edited, editedBy, editedSince } = t.anywhere.together
  const hint = last ? editedBy(last.name, formats.ago(last.at)) : editedSince
  return (
    <Badge color="blue" variant="light" tt="none" fw={500} title={hint}>
      {edited}
    </Badge>
  )
}
