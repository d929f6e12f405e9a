import { Menu } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useProjectId } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { useFirstTexts } from '../texts/texts.tsx'
import type { MenuButton } from './late-menu.tsx'
import { OpenedMenu } from './opened-menu.tsx'
import { toApp } from './to-app.ts'

/** The way to other projects, and to a new one. */
export default function ProjectSwitchOpened({ button }: { readonly button: MenuButton }) {
  const t = useFirstTexts()
  const { projects, user } = useSession()
  const open = useProjectId()
  return (
    <OpenedMenu position="bottom-start" width={280} button={button}>
      <Menu.Label>{t.shell.switchProject}</Menu.Label>
      {projects.map(({ id, name }) => (
        <Menu.Item key={id} component={Link} href={toApp(`/p/${id}`)} fw={id === open ? 650 : 400}>
          {name}
        </Menu.Item>
      ))}
      {user.host === null ? (
        <>
          <Menu.Divider />
          <Menu.Item component={Link} href={toApp('/account')} leftSection={<IconPlus size={14} />}>
            {t.shell.newProject}
          </Menu.Item>
        </>
      ) : null}
    </OpenedMenu>
  )
}
