import { Button, Text } from '@mantine/core'
import { IconSelector } from '@tabler/icons-react'
import { later } from '../api/later.ts'
import { useProject } from '../api/project.tsx'
import { useFirstTexts } from '../texts/texts.tsx'
import { LateMenu } from './late-menu.tsx'

const Opened = later(() => import('./project-switch-opened.tsx'))

/** The project that is open. */
export function ProjectSwitch() {
  const t = useFirstTexts()
  const project = useProject()
  const button = (
    <Button
      variant="subtle"
      color="gray"
      px="xs"
      rightSection={<IconSelector size={16} />}
      aria-label={`${t.shell.switchProject}: ${project.name}`}
      maw={{ base: 190, sm: 320 }}
    >
      <Text truncate fw={600} c="var(--mantine-color-text)">
        {project.name}
      </Text>
    </Button>
  )
  return <LateMenu button={button} menu={Opened} />
}
