import { ActionIcon, Avatar } from '@mantine/core'
import { IconUser } from '@tabler/icons-react'
import { later } from '../api/later.ts'
import { useFirstTexts } from '../texts/texts.tsx'
import { LateMenu } from './late-menu.tsx'

const Opened = later(() => import('./user-menu-opened.tsx'))

/** The button of the signed-in user. */
export function UserMenu() {
  const t = useFirstTexts()
  const button = (
    <ActionIcon variant="subtle" color="gray" size="lg" radius="xl" aria-label={t.shell.account}>
      <Avatar size={30} radius="xl" color="brand">
        <IconUser size={18} aria-hidden />
      </Avatar>
    </ActionIcon>
  )
  return <LateMenu button={button} menu={Opened} />
}
