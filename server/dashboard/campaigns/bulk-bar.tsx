import { Autocomplete, Button, Group, Paper, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useConfirm } from '../parts/confirm.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { useFormats } from '../parts/formats.ts'
import { useNotices } from '../parts/notices.ts'
import { useTexts } from '../texts/texts.tsx'
import { useFolders } from './filing.tsx'

type Many = components['schemas']['ManyCampaigns']

/** The actions for the campaigns that are selected. */
export function CampaignBulkBar({
  ids,
  areAway,
  onDone,
}: {
  readonly ids: ReadonlySet<string>
  /** Whether the list shows those that were put away. */
  readonly areAway: boolean
  readonly onDone: () => void
}) {
  const t = useTexts()
  const formats = useFormats()
  const confirm = useConfirm()
  const notices = useNotices()
  const [isMoving, setMoving] = useState(false)
  const chosen = { ids: [...ids] }
  const tell = ({ done, left }: Many) => {
    notices.done(t.campaigns.bulkDone(formats.number(done)))
    const [first] = left
    if (first !== undefined) {
      notices.refused(
        new Error(t.campaigns.bulkLeft(formats.number(left.length), t.refusals.sentence(first.reason, first.code))),
      )
    }
    onDone()
  }
  const shelve = useAct((api) => api.POST('/campaigns/bulk-file', { body: { ...chosen, shelved: !areAway } }), {
    changes: ['campaigns'],
    onDone: tell,
  })
  const move = useAct((api, folder: string) => api.POST('/campaigns/bulk-file', { body: { ...chosen, folder } }), {
    changes: ['campaigns'],
    onDone: tell,
  })
  const remove = useAct((api) => api.POST('/campaigns/bulk-delete', { body: chosen }), {
    changes: ['campaigns'],
    onDone: tell,
  })
  const askRemove = async () => {
    const title = t.campaigns.bulkDeleteTitle(formats.number(ids.size))
    if (await confirm({ title, text: t.campaigns.deleteHint, yes: t.campaigns.delete, grave: true })) remove.mutate()
  }
  const isBusy = shelve.isPending || move.isPending || remove.isPending
  return (
    <Paper withBorder p="sm" role="region" aria-label={t.campaigns.selected(formats.number(ids.size))}>
      <Group gap="sm">
        <Text size="sm" fw={600}>
          {t.campaigns.selected(formats.number(ids.size))}
        </Text>
        <Button size="xs" variant="default" disabled={isBusy} onClick={() => shelve.mutate()}>
          {areAway ? t.campaigns.bringBack : t.campaigns.putAway}
        </Button>
        <Button size="xs" variant="default" disabled={isBusy} onClick={() => setMoving(true)}>
          {t.campaigns.move}
        </Button>
        <Button size="xs" variant="light" color="red" disabled={isBusy} onClick={() => void askRemove()}>
          {t.campaigns.delete}
        </Button>
      </Group>
      <SidePanel title={t.campaigns.move} opened={isMoving} onClose={() => setMoving(false)}>
        {isMoving ? <Move onMove={(folder) => move.mutate(folder)} isMoving={move.isPending} /> : null}
      </SidePanel>
    </Paper>
  )
}

function Move({ onMove, isMoving }: { readonly onMove: (folder: string) => void; readonly isMoving: boolean }) {
  const t = useTexts()
  const folders = useFolders()
  const [folder, setFolder] = useState('')
  return (
    <>
      <Autocomplete
        label={t.campaigns.folder}
        description={t.campaigns.folderHint}
        data={(folders.data ?? []).map(({ name }) => name)}
        value={folder}
        onChange={setFolder}
        maxLength={100}
      />
      <Button mt="md" onClick={() => onMove(folder)} loading={isMoving}>
        {t.campaigns.move}
      </Button>
    </>
  )
}
