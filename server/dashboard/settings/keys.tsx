import { Alert, Badge, Button, Code, Group, Stack } from '@mantine/core'
import { IconHandStop, IconKey, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { Copy } from '../parts/copy.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { Moment } from '../parts/moment.tsx'
import { DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'
import { NewKey } from './new-key.tsx'
import { RenameKey } from './rename-key.tsx'

type ApiKey = components['schemas']['ApiKey']

/** The keys programs use. A new one is shown once. */
export function Keys() {
  const t = useTexts()
  const project = useProjectId()
  const confirm = useConfirm()
  const { values, change } = useAddress()
  const [made, setMade] = useState<string | undefined>()
  const keys = useAsk<readonly ApiKey[]>(['keys'], (api, signal) =>
    api.GET('/projects/{id}/keys', { params: { path: { id: project } }, signal }),
  )
  const revoke = useAct(
    (api, keyId: string) => api.DELETE('/projects/{id}/keys/{keyId}', { params: { path: { id: project, keyId } } }),
    { changes: ['keys'], done: t.settings.revoked },
  )
  const stop = useAct(
    (api, { id: keyId, stopped }: { readonly id: string; readonly stopped: boolean }) =>
      api.PATCH('/projects/{id}/keys/{keyId}', { params: { path: { id: project, keyId } }, body: { stopped } }),
    { changes: ['keys'] },
  )
  const ask = async ({ id, name }: ApiKey) => {
    const question = {
      title: t.settings.revokeTitle(name),
      text: t.settings.revokeHint,
      yes: t.settings.revoke,
      grave: true,
    }
    if (await confirm(question)) revoke.mutate(id)
  }
  const renamed = keys.data?.find(({ id }) => id === values.rename)
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => change({ new: '1' })} w="fit-content">
      {t.settings.newKey}
    </Button>
  )
  return (
    <Stack>
      <Group>
        {add}
        <StopAgents keys={keys.data ?? []} />
      </Group>
      {made === undefined ? null : (
        <Alert
          color="teal"
          title={t.settings.keyMade}
          withCloseButton
          onClose={() => setMade(undefined)}
          closeButtonLabel={t.anywhere.close}
        >
          <Group gap="xs">
            <Code style={{ overflowWrap: 'anywhere' }}>{made}</Code>
            <Copy value={made} />
          </Group>
        </Alert>
      )}
      <Answer of={keys}>
        {(found) => (
          <DataTable
            name="keys"
            label={t.settings.tabs.keys}
            rows={found}
            rowName={({ name }) => name}
            columns={[
              { key: 'name', title: t.settings.keyName, cell: ({ name }) => name },
              { key: 'prefix', title: t.settings.key, cell: ({ prefix }) => <Code>{prefix}…</Code> },
              {
                key: 'scopes',
                title: t.settings.scopes,
                cell: ({ scopes, stoppedAt }) => (
                  <>
                    {scopes.map((scope) => t.settings.scopeNames[scope]).join(', ')}
                    {stoppedAt === null ? null : (
                      <Badge color="red" variant="light" ml="xs">
                        {t.settings.stoppedKey}
                      </Badge>
                    )}
                  </>
                ),
              },
              {
                key: 'used',
                title: t.settings.lastUsed,
                cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} empty={t.anywhere.never} />,
              },
              {
                key: 'expires',
                title: t.settings.expires,
                cell: ({ expiresAt }) => <Moment at={expiresAt} empty={t.anywhere.never} />,
              },
            ]}
            rowActions={(key) => (
              <Group gap="xs" wrap="nowrap">
                <Button size="compact-xs" variant="subtle" onClick={() => change({ rename: key.id })}>
                  {t.settings.renameKey}
                </Button>
                {key.inbox === undefined ? null : (
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    onClick={() => stop.mutate({ id: key.id, stopped: key.stoppedAt === null })}
                  >
                    {key.stoppedAt === null ? t.settings.stop : t.settings.resume}
                  </Button>
                )}
                <Button size="compact-xs" variant="subtle" color="red" onClick={() => void ask(key)}>
                  {t.settings.revoke}
                </Button>
              </Group>
            )}
            empty={<Empty icon={<IconKey />} title={t.settings.noKeys} hint={t.settings.noKeysHint} />}
          />
        )}
      </Answer>
      <SidePanel
        title={t.settings.renameKeyTitle(renamed?.name ?? '')}
        opened={renamed !== undefined}
        onClose={() => change({ rename: undefined })}
      >
        {renamed === undefined ? null : <RenameKey of={renamed} onDone={() => change({ rename: undefined })} />}
      </SidePanel>
      <SidePanel title={t.settings.newKey} opened={values.new === '1'} onClose={() => change({ new: undefined })}>
        <NewKey
          onMade={(key) => {
            setMade(key)
            change({ new: undefined })
          }}
          onCancel={() => change({ new: undefined })}
        />
      </SidePanel>
    </Stack>
  )
}

/** Stops the keys of all agents at once, or lets them work again; nothing where there are none. */
function StopAgents({ keys }: { readonly keys: readonly ApiKey[] }) {
  const t = useTexts()
  const project = useProjectId()
  const confirm = useConfirm()
  const agents = keys.filter(({ inbox }) => inbox !== undefined)
  const stopped = agents.some(({ stoppedAt }) => stoppedAt === null)
  const act = useAct(
    (api, _: undefined) => api.PATCH('/projects/{id}/keys', { params: { path: { id: project } }, body: { stopped } }),
    { changes: ['keys'], done: stopped ? t.settings.stoppedAgents : t.settings.resumedAgents },
  )
  const ask = async () => {
    const question = {
      title: t.settings.stopAgentsTitle,
      text: t.settings.stopAgentsHint,
      yes: t.settings.stop,
      grave: true,
    }
    if (!stopped || (await confirm(question))) act.mutate(undefined)
  }
  if (agents.length === 0) return null
  return (
    <Button variant="light" color="red" leftSection={<IconHandStop size={16} />} onClick={() => void ask()}>
      {stopped ? t.settings.stopAgents : t.settings.resumeAgents}
    </Button>
  )
}
