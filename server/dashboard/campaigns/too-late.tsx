import { Alert, Button, Group, Text } from '@mantine/core'
import { useRef } from 'react'
import { useLocation } from 'wouter'
import { useAct } from '../api/ask.ts'
import type { Api } from '../api/client.ts'
import { answerOf } from '../api/client.ts'
import { copyName } from '../parts/copy-name.ts'
import { forgetUnsaved } from '../parts/unsaved.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Campaign } from './queries.ts'

/**
 * Says that a draft began to be sent while it was written, and offers what was not saved by then as a draft of its own.
 *
 * @param write writes the unsaved changes into the campaign of this id
 */
export function TooLate({
  campaign: { id, name },
  write,
  onDiscard,
}: {
  readonly campaign: Campaign
  readonly write: (api: Api, id: string) => ReturnType<Api['PATCH']>
  readonly onDiscard: () => void
}) {
  const t = useTexts()
  const [, navigate] = useLocation()
  /** The copy, which a second try writes into as well. */
  const copy = useRef<string>(undefined)
  const keep = useAct(
    async (api) => {
      const copied = { params: { path: { id } }, body: { name: copyName(t, name) } }
      copy.current ??= (await answerOf(api.POST('/campaigns/{id}/duplicate', copied))).id
      return write(api, copy.current)
    },
    {
      changes: ['campaigns'],
      done: t.campaigns.tooLate.kept,
      onDone() {
        forgetUnsaved()
        navigate(`/${copy.current}`)
      },
    },
  )
  return (
    <Alert color="yellow" title={t.campaigns.tooLate.title} role="alert" mb="md">
      <Text size="sm">{t.campaigns.tooLate.text}</Text>
      <Group mt="sm">
        <Button loading={keep.isPending} onClick={() => keep.mutate()}>
          {t.campaigns.tooLate.keep}
        </Button>
        <Button variant="default" onClick={onDiscard}>
          {t.anywhere.discard}
        </Button>
      </Group>
    </Alert>
  )
}
