import { Group, Text } from '@mantine/core'
import { EditedMark } from './edited-mark.tsx'
import type { SharedThing } from './seen.ts'

/** The name of a thing in a list, with a mark where another person has changed it. */
export function MarkedName({ name, ...thing }: SharedThing & { readonly name: string }) {
  return (
    <Group gap="xs">
      <Text inherit span style={{ overflowWrap: 'anywhere', minWidth: '14ch' }}>
        {name}
      </Text>
      <EditedMark {...thing} />
    </Group>
  )
}
