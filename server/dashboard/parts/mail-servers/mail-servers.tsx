import { ActionIcon, Alert, Button, Group, Paper, Stack, Switch, Text } from '@mantine/core'
import { IconArrowUp, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAct, useAsk } from '../../api/ask.ts'
import { useRenew } from '../../api/effects.ts'
import { SESSION } from '../../api/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { Answer } from '../answer.tsx'
import { useConfirm } from '../confirm.tsx'
import { Pill } from '../pill.tsx'
import { MailServerForm } from './mail-server-form.tsx'
import { ProviderMark } from './provider-mark.tsx'
import { DIRECT, type MailServer, type MailServerList, type Owner, REQUESTS, useMailServers } from './queries.ts'

/** Nouns that a change of the mail servers changes. */
const CHANGES = ['mail-servers', 'project-mail-servers', 'operator', 'health']

/** The mail servers in their order, with a form for each; without any the form is there at once. */
export function MailServers({
  owner = 'installation',
  sender,
}: {
  readonly owner?: Owner
  readonly sender?: string | undefined
}) {
  const found = useMailServers(owner)
  return <Answer of={found}>{(list) => <Servers owner={owner} list={list} sender={sender} />}</Answer>
}

function Servers({
  owner,
  list,
  sender,
}: {
  readonly owner: Owner
  readonly list: MailServerList
  readonly sender: string | undefined
}) {
  const t = useTexts()
  const [open, setOpen] = useState<string | undefined>()
  const renew = useRenewed()
  const { servers, presets, setBy, hasSecret, way } = list
  const close = () => {
    setOpen(undefined)
    renew()
  }
  if (setBy === 'code') return <Alert color="blue">{t.mailServers.setByCode}</Alert>
  return (
    <Stack>
      {way === undefined || way === 'own' ? null : (
        <Alert color={way === 'installation' ? 'blue' : 'yellow'}>{t.mailServers.ways[way]}</Alert>
      )}
      {setBy === undefined ? null : (
        <Alert color="blue">{owner === 'project' ? t.mailServers.forbidden : t.mailServers.setBy(setBy)}</Alert>
      )}
      {way === undefined && setBy === undefined && servers.every(({ enabled }) => !enabled) ? (
        <Alert color="yellow">{t.mailServers.outbox}</Alert>
      ) : null}
      {servers.map((server, at) =>
        open === server.id ? (
          <Paper withBorder p="md" key={server.id}>
            <MailServerForm
              owner={owner}
              server={server}
              presets={presets}
              sender={sender}
              onSaved={close}
              onCancel={() => setOpen(undefined)}
            />
          </Paper>
        ) : (
          <Row
            key={server.id}
            owner={owner}
            server={server}
            presets={presets}
            isFirst={at === 0}
            isUsed={setBy === undefined}
            onEdit={() => setOpen(server.id)}
            at={at}
          />
        ),
      )}
      {owner === 'project' && setBy !== undefined ? null : open === 'new' || servers.length === 0 ? (
        <Paper withBorder p="md">
          <MailServerForm
            owner={owner}
            presets={presets}
            sender={sender}
            onSaved={close}
            {...(servers.length === 0 ? {} : { onCancel: () => setOpen(undefined) })}
          />
        </Paper>
      ) : (
        <Group>
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setOpen('new')}>
            {t.mailServers.addAnother}
          </Button>
        </Group>
      )}
      <Text size="xs" c="dimmed">
        {hasSecret ? t.mailServers.sealed : t.mailServers.sealedBeside}
      </Text>
    </Stack>
  )
}

function Row({
  owner,
  server,
  presets,
  isFirst,
  isUsed,
  at,
  onEdit,
}: {
  readonly owner: Owner
  readonly server: MailServer
  readonly presets: MailServerList['presets']
  readonly isFirst: boolean
  readonly isUsed: boolean
  readonly at: number
  readonly onEdit: () => void
}) {
  const t = useTexts()
  const confirm = useConfirm()
  const { id, name, host, port, user, enabled, preset } = server
  const requests = REQUESTS[owner]
  const change = useAct(
    (api, body: { readonly enabled?: boolean; readonly position?: number }) => requests.change(api, id, body),
    { changes: CHANGES, done: t.mailServers.changed, onDone: useRenewed() },
  )
  const remove = useAct((api) => requests.remove(api, id), {
    changes: CHANGES,
    done: t.mailServers.removed,
    onDone: useRenewed(),
  })
  const state = useAsk(['operator'], (api, signal) => api.GET('/users/@me/operator', { signal }), {
    every: 10_000,
    enabled: owner === 'installation',
  })
  const line = isUsed && enabled ? state.data?.transports.find((each) => each.name === name) : undefined
  return (
    <Paper withBorder p="md">
      <Group gap="xs" align="flex-start">
        <Group gap="sm" wrap="nowrap" align="flex-start" flex="1 1 12rem">
          <ProviderMark provider={presets.find((each) => each.name === preset)?.provider} />
          <div>
            <Group gap="xs">
              <Text fw={600}>{name}</Text>
              {line === undefined ? null : <Pill status={line.state} />}
            </Group>
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {preset === DIRECT ? t.mailServers.directAs(host) : [`${host}:${port}`, user].filter(Boolean).join(' · ')}
            </Text>
            {line?.lastError === undefined || line.state === 'ok' ? null : (
              <Text size="sm" c="red" style={{ overflowWrap: 'anywhere' }}>
                {t.reasons(line.lastError.reason)}
              </Text>
            )}
          </div>
        </Group>
        <Group gap="xs" wrap="nowrap" ml="auto">
          <Switch
            checked={enabled}
            onChange={({ currentTarget }) => change.mutate({ enabled: currentTarget.checked })}
            aria-label={t.mailServers.use(name)}
          />
          {isFirst ? null : (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t.mailServers.up(name)}
              onClick={() => change.mutate({ position: at - 1 })}
            >
              <IconArrowUp size={18} />
            </ActionIcon>
          )}
          <ActionIcon variant="subtle" color="gray" aria-label={t.mailServers.edit(name)} onClick={onEdit}>
            <IconPencil size={18} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.mailServers.remove(name)}
            onClick={async () => {
              const question = {
                title: t.mailServers.removeTitle(name),
                text: owner === 'project' ? t.mailServers.removeOwnHint : t.mailServers.removeHint,
              }
              if (await confirm({ ...question, yes: t.anywhere.delete, grave: true })) remove.mutate()
            }}
          >
            <IconTrash size={18} />
          </ActionIcon>
        </Group>
      </Group>
    </Paper>
  )
}

/** Asks anew for what a saved mail server changes. */
function useRenewed(): () => void {
  const queries = useQueryClient()
  const renew = useRenew()
  return () => {
    void renew(CHANGES)
    // whether mail leaves this server
    void queries.invalidateQueries({ queryKey: SESSION })
  }
}
