import { Anchor, Group, Switch, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useAct } from '../api/ask.ts'
import { apiUrl } from '../api/base.ts'
import { useMay, useProject, useProjectId } from '../api/project.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Campaign } from './queries.ts'

/** Puts a campaign into the public archive, or takes it out. */
export function Publish({
  campaign: { id, status, publishedAt },
}: {
  readonly campaign: Pick<Campaign, 'id' | 'status' | 'publishedAt'>
}) {
  const t = useTexts()
  const may = useMay()
  const { archiveSlug } = useProject()
  const project = useProjectId()
  const path = { params: { path: { id } } }
  const isDraft = status === 'DRAFT' || status === 'SCHEDULED'
  const publish = useAct(
    (api, isPublic: boolean) =>
      isPublic ? api.POST('/campaigns/{id}/publish', path) : api.POST('/campaigns/{id}/unpublish', path),
    {
      changes: ['campaigns'],
      // beside a draft the switch says so by itself, and a notice would lie over the button that sends
      ...(isDraft ? {} : { done: (_: unknown, isOn: boolean) => t.campaigns[isOn ? 'published' : 'unpublished'] }),
    },
  )
  if (archiveSlug === null) {
    return (
      <Text size="sm" c="dimmed">
        {t.campaigns.noArchive}{' '}
        <Anchor component={Link} href={toProject(project, '/settings#archive')} size="sm" underline="always">
          {t.campaigns.toSettings}
        </Anchor>
      </Text>
    )
  }
  return (
    <Group gap="md">
      <Switch
        label={t.campaigns.publish}
        description={t.campaigns.publishHint}
        checked={publishedAt !== undefined}
        disabled={!may.campaigns || publish.isPending}
        onChange={({ currentTarget }) => publish.mutate(currentTarget.checked)}
      />
      {publishedAt !== undefined && status === 'SENT' ? (
        <Anchor href={apiUrl(`/archive/${archiveSlug}/${id}`)} target="_blank" rel="noreferrer" size="sm">
          {t.campaigns.openPublished}
        </Anchor>
      ) : null}
    </Group>
  )
}
