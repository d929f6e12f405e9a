import { Anchor, Autocomplete, Badge, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { useMay } from '../api/project.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Campaign } from './queries.ts'

/** The folders of the project's campaigns. */
export function useFolders() {
  return useAsk(['campaigns', 'folders'], (api, signal) => api.GET('/campaigns/folders', { signal }))
}

/** Where a campaign is kept, what was noted, and what it belongs to. */
export function Filed({ campaign }: { readonly campaign: Campaign }) {
  const t = useTexts()
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  const { folder, note, shelvedAt } = campaign
  return (
    <Stack gap={4} mb="md">
      <Group gap="xs">
        {shelvedAt === undefined ? null : (
          <Badge color="gray" variant="light">
            {t.campaigns.away}
          </Badge>
        )}
        {folder === undefined ? null : (
          <Anchor size="sm" component={Link} href={`/?folder=${encodeURIComponent(folder)}`}>
            {t.campaigns.folder}: {folder}
          </Anchor>
        )}
        {may.campaigns ? (
          <Button size="compact-xs" variant="subtle" onClick={() => setOpen(true)}>
            {t.campaigns.file}
          </Button>
        ) : null}
      </Group>
      {note === undefined ? null : (
        <Text size="sm" c="dimmed" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {note}
        </Text>
      )}
      <Chain campaign={campaign} />
      <SidePanel title={t.campaigns.file} opened={isOpen} onClose={() => setOpen(false)}>
        {isOpen ? <Filing campaign={campaign} onDone={() => setOpen(false)} /> : null}
      </SidePanel>
    </Stack>
  )
}

/** Changes the folder and the note. */
function Filing({ campaign, onDone }: { readonly campaign: Campaign; readonly onDone: () => void }) {
  const t = useTexts()
  const folders = useFolders()
  const [folder, setFolder] = useState(campaign.folder ?? '')
  const [note, setNote] = useState(campaign.note ?? '')
  const save = useAct(
    (api) => api.PATCH('/campaigns/{id}/filing', { params: { path: { id: campaign.id } }, body: { folder, note } }),
    { changes: ['campaigns'], done: t.campaigns.filed, onDone },
  )
  return (
    <Stack>
      <Autocomplete
        label={t.campaigns.folder}
        description={t.campaigns.folderHint}
        data={(folders.data ?? []).map(({ name }) => name)}
        value={folder}
        onChange={setFolder}
        maxLength={100}
      />
      <Textarea
        label={t.campaigns.note}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
        maxLength={5000}
        autosize
        minRows={4}
        maxRows={14}
      />
      <Button onClick={() => save.mutate()} loading={save.isPending}>
        {t.anywhere.save}
      </Button>
    </Stack>
  )
}

/** The campaign that this one sends again, and those that send this one again. */
function Chain({ campaign: { id, originId, seriesId, startedAt } }: { readonly campaign: Campaign }) {
  const t = useTexts()
  const origin = useAsk(
    ['campaigns', originId],
    (api, signal) => api.GET('/campaigns/{id}', { params: { path: { id: originId ?? '' } }, signal }),
    { enabled: originId !== undefined },
  )
  const later = useAsk(
    ['campaigns', 'again', id],
    (api, signal) => api.GET('/campaigns', { params: { query: { originId: id, limit: 20 } }, signal }),
    { enabled: startedAt !== undefined },
  )
  const drafts = later.data?.data ?? []
  return (
    <>
      {seriesId === undefined ? null : (
        <Anchor size="sm" component={Link} href={`/series/${seriesId}`}>
          {t.series.isIssue}
        </Anchor>
      )}
      {origin.data === undefined ? null : (
        <Text size="sm">
          {t.campaigns.sendsAgain}{' '}
          <Anchor inherit underline="always" component={Link} href={`/${origin.data.id}`}>
            {origin.data.name}
          </Anchor>
        </Text>
      )}
      {drafts.length === 0 ? null : (
        <Text size="sm">
          {t.campaigns.sentAgainAs}{' '}
          {drafts.map(({ id: other, name }, at) => (
            <span key={other}>
              {at === 0 ? '' : ', '}
              <Anchor inherit underline="always" component={Link} href={`/${other}`}>
                {name}
              </Anchor>
            </span>
          ))}
        </Text>
      )}
    </>
  )
}
