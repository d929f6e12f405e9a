import { Group } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import { useAsk } from '../api/ask.ts'
import { Thumbnail } from '../parts/thumbnail.tsx'
import { MarkedName } from '../parts/together/marked-name.tsx'

/** The name of a campaign beside its mail made small, which is asked for once the row is in view. */
export function NamedWithPicture({
  id,
  name,
  of,
  version,
}: {
  readonly id: string
  readonly name: string
  readonly of: string
  readonly version: number
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
      <MarkedName kind="campaigns" id={id} name={name} version={version} />
    </Group>
  )
}
