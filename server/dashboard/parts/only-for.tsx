import { Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { AREAS, type AreaName, roleAllows } from '../../../core/projects/roles.ts'
import { useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay, useProjectId } from '../api/project.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Empty } from './empty.tsx'

/** How many people are named. */
const NAMED = 5

/** A page that changes something, for users who may; others, who come by its address, read who can. */
export function OnlyFor({ area, children }: { readonly area: AreaName; readonly children: ReactNode }) {
  const t = useTexts()
  const may = useMay()
  return may[area] ? children : <Empty icon={<IconLock />} title={t.anywhere.notYours} hint={<WhoMay area={area} />} />
}

/** Which roles may do this, and who has one of them. */
export function WhoMay({ area }: { readonly area: AreaName }) {
  const t = useTexts()
  const project = useProjectId()
  const members = useAsk<readonly components['schemas']['Member'][]>(['members'], (api, signal) =>
    api.GET('/projects/{id}/members', { params: { path: { id: project } }, signal }),
  )
  const able = (members.data ?? []).filter(({ role, status }) => status === 'ACTIVE' && roleAllows(role, area))
  const names = able.slice(0, NAMED).map(({ name, email }) => (name ? `${name} (${email})` : email))
  return (
    <Text component="span" size="sm" c="dimmed">
      {t.anywhere.onlyRole[AREAS[area].role]} {names.length > 0 ? t.anywhere.ask(names.join(', ')) : null}
    </Text>
  )
}
