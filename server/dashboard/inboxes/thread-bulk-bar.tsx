import { Button, Group, Menu, Paper, Text } from '@mantine/core'
import { useAct, useAsk } from '../api/ask.ts'
import type { Api, components } from '../api/client.ts'
import type { Call } from '../api/effects.ts'
import { useProjectId } from '../api/project.tsx'
import { useTexts } from '../texts/texts.tsx'

type Inbox = components['schemas']['Inbox']
type Thread = components['schemas']['Thread']
type Change = Partial<Pick<Thread, 'folder' | 'labels' | 'assigneeId'>> & { readonly read?: boolean }

/** A change of each chosen conversation, and the one that takes it back. */
interface Step {
  readonly to: (thread: Thread) => Change
  readonly back: (thread: Thread) => Change
}

/** The actions for the conversations that are chosen in the list. */
export function ThreadBulkBar({
  inbox,
  threads,
  onDone,
}: {
  readonly inbox: Inbox
  readonly threads: readonly Thread[]
  readonly onDone: () => void
}) {
  const t = useTexts()
  const project = useProjectId()
  const members = useAsk<readonly components['schemas']['Member'][]>(['members'], (api, signal) =>
    api.GET('/projects/{id}/members', { params: { path: { id: project } }, signal }),
  )
  const act = useAct((api, { to }: Step) => changeAll(api, threads, to), {
    changes: ['threads', 'inboxes'],
    done: () => t.inboxes.changedMany(threads.length),
    undo:
      (_, { back }) =>
      (api) =>
        changeAll(api, threads, back),
    onDone,
  })
  const move = (folder: Thread['folder']) =>
    act.mutate({ to: () => ({ folder }), back: ({ folder: before }) => ({ folder: before }) })
  const read = (isRead: boolean) =>
    act.mutate({ to: () => ({ read: isRead }), back: ({ unread }) => ({ read: !unread }) })
  const label = (name: string) =>
    act.mutate({ to: ({ labels }) => ({ labels: [...labels, name] }), back: ({ labels }) => ({ labels: [...labels] }) })
  const assign = (assigneeId: string | null) =>
    act.mutate({ to: () => ({ assigneeId }), back: ({ assigneeId: before }) => ({ assigneeId: before }) })
  const isFiled = threads.every(({ folder }) => folder !== 'inbox')
  const able = (members.data ?? []).filter(({ status }) => status === 'ACTIVE')
  const plain = { size: 'xs', variant: 'default', disabled: act.isPending } as const
  return (
    <Paper withBorder p="sm" role="region" aria-label={t.anywhere.selected(threads.length)}>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {t.anywhere.selected(threads.length)}
        </Text>
        <Button {...plain} onClick={() => move(isFiled ? 'inbox' : 'archive')}>
          {isFiled ? t.inboxes.toInbox : t.inboxes.archive}
        </Button>
        <Button {...plain} onClick={() => read(threads.some(({ unread }) => unread))}>
          {threads.some(({ unread }) => unread) ? t.inboxes.markRead : t.inboxes.markUnread}
        </Button>
        {inbox.labels.length === 0 ? null : (
          <Menu>
            <Menu.Target>
              <Button {...plain}>{t.inboxes.addLabel}</Button>
            </Menu.Target>
            <Menu.Dropdown>
              {inbox.labels.map(({ name }) => (
                <Menu.Item key={name} onClick={() => label(name)}>
                  {name}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
        <Menu>
          <Menu.Target>
            <Button {...plain}>{t.inboxes.assign}</Button>
          </Menu.Target>
          <Menu.Dropdown>
            {able.map(({ id, name, email }) => (
              <Menu.Item key={id} onClick={() => assign(id)}>
                {name ?? email}
              </Menu.Item>
            ))}
            <Menu.Item onClick={() => assign(null)}>{t.inboxes.nobody}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <Button {...plain} onClick={() => move('spam')}>
          {t.inboxes.spam}
        </Button>
        <Button {...plain} onClick={() => move('trash')}>
          {t.inboxes.trash}
        </Button>
      </Group>
    </Paper>
  )
}

/** Changes one after the other, until one is refused. */
async function changeAll(
  api: Api,
  threads: readonly Thread[],
  changeOf: (thread: Thread) => Change,
): Promise<Call<unknown>> {
  const [first, ...others] = threads
  if (first === undefined) throw new Error('no conversation is chosen')
  const change = (thread: Thread) => {
    const { labels, ...body } = changeOf(thread)
    const all = labels === undefined ? body : { ...body, labels: [...new Set(labels)] }
    return api.PATCH('/threads/{id}', { params: { path: { id: thread.id } }, body: all })
  }
  let last = await change(first)
  for (const thread of others) {
    if (!last.response.ok) return last
    last = await change(thread)
  }
  return last
}
