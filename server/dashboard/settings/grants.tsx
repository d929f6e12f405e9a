import { Button, Stack, Text } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { Empty } from '../parts/empty.tsx'
import { Moment } from '../parts/moment.tsx'
import { DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'

type Grant = components['schemas']['ApiKey']

/** Programs that members have let into inboxes: the person's own, and for those who manage keys all of them. */
export function Grants() {
  const t = useTexts()
  const id = useProjectId()
  const confirm = useConfirm()
  const grants = useAsk<readonly Grant[]>(['keys', 'grants'], (api, signal) =>
    api.GET('/projects/{id}/grants', { params: { path: { id } }, signal }),
  )
  const end = useAct(
    (api, grantId: string) => api.DELETE('/projects/{id}/grants/{grantId}', { params: { path: { id, grantId } } }),
    { changes: ['keys'], done: t.connect.ended },
  )
  const ask = async (grant: Grant) => {
    const question = { title: t.connect.endTitle(grant.name), text: t.connect.endHint, yes: t.connect.end, grave: true }
    if (await confirm(question)) end.mutate(grant.id)
  }
  return (
    <Stack>
      <Text size="sm">{t.connect.hint}</Text>
      <Answer of={grants}>
        {(found) => (
          <DataTable
            name="grants"
            label={t.settings.tabs.grants}
            rows={found}
            rowName={({ name }) => name}
            columns={[
              { key: 'name', title: t.connect.program, cell: ({ name, client }) => `${name} (${client?.host ?? ''})` },
              { key: 'by', title: t.connect.by, cell: ({ client }) => client?.by },
              {
                key: 'rights',
                title: t.connect.rights,
                cell: ({ inbox }) => inbox?.rights.map((right) => t.settings.agent.rights[right]).join(', '),
              },
              {
                key: 'used',
                title: t.settings.lastUsed,
                cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} empty={t.anywhere.never} />,
              },
            ]}
            rowActions={(grant) => (
              <Button size="compact-xs" variant="subtle" color="red" onClick={() => void ask(grant)}>
                {t.connect.end}
              </Button>
            )}
            empty={<Empty icon={<IconPlugConnected />} title={t.connect.none} hint={t.connect.noneHint} />}
          />
        )}
      </Answer>
    </Stack>
  )
}
