import { Button, Menu, Text } from '@mantine/core'
import { IconPlus, IconSelector } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useProject } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { toApp } from './to-app.ts'

/** The project that is open, and the way to others. */
export function ProjectSwitch() {
  const t = useTexts()
  const { projects } = useSession()
  const project = useProject()
  return (
    <Menu position="bottom-start" width={280}>
      <Menu.Target>
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
      </Menu.Target>
      <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
        <Menu.Label>{t.shell.switchProject}</Menu.Label>
        {projects.map(({ id, name }) => (
          <Menu.Item key={id} component={Link} href={toApp(`/p/${id}`)} fw={id === project.id ? 650 : 400}>
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} href={toApp('/account')} leftSection={<IconPlus size={14} />}>
          {t.shell.newProject}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
