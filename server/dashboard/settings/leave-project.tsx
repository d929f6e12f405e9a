import { Button, Group, Paper, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useProject } from '../api/project.tsx'
import { SESSION, useSession } from '../api/session.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { toApp } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

/** Leaving the project, which cannot be taken back. Its last owner is refused. */
export function LeaveProject() {
  const t = useTexts()
  const project = useProject()
  const { user } = useSession()
  const confirm = useConfirm()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const members = useAsk<readonly components['schemas']['Member'][]>(['members'], (api, signal) =>
    api.GET('/projects/{id}/members', { params: { path: { id: project.id } }, signal }),
  )
  const own = members.data?.find(({ email, status }) => email === user.email && status === 'ACTIVE')
  const leave = useAct(
    (api, memberId: string) =>
      api.DELETE('/projects/{id}/members/{memberId}', { params: { path: { id: project.id, memberId } } }),
    {
      changes: [],
      onDone() {
        void queries.invalidateQueries({ queryKey: SESSION })
        navigate(toApp('/account'))
      },
    },
  )
  // a user who is signed in elsewhere has no place here to leave
  if (own === undefined || user.host !== null) return null
  const ask = async () => {
    const question = { title: t.settings.leaveTitle(project.name), text: t.settings.leaveHint, yes: t.settings.leave }
    if (await confirm({ ...question, grave: true })) leave.mutate(own.id)
  }
  return (
    <Paper withBorder p="lg" maw={640} mt="md">
      <Title order={2} size="h4" mb="xs">
        {t.settings.danger}
      </Title>
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex={1} miw={200}>
          {t.settings.leaveHint}
        </Text>
        <Button variant="light" color="red" loading={leave.isPending} onClick={() => void ask()}>
          {t.settings.leave}
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mt="sm">
        {t.settings.deletedByOperator}
      </Text>
    </Paper>
  )
}
