import { Group, Text } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import { useAsk } from '../api/ask.ts'
import { Thumbnail } from '../parts/thumbnail.tsx'

/** The name of a campaign beside its mail made small, which is asked for once the row is in view. */
export function NamedWithPicture({
  id,
  name,
  of,
}: {
  readonly id: string
  readonly name: string
  readonly of: string
}) {
  const { ref, inViewport } = useInViewport()
  const campaign = useAsk(
    ['campaigns', id, 'picture', of],
    (api, signal) => api.GET('/campaigns/{id}', { params: { path: { id } }, signal }),
    { enabled: inViewport },
  )
  return (
    <Group ref={ref} gap="sm" wrap="nowrap">
      <Thumbnail html={campaign.data?.body ?? ''} title={name} small />
      <Text inherit style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
    </Group>
  )
}
