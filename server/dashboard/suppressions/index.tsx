import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconBan, IconFileImport, IconPlus, IconTrash } from '@tabler/icons-react'
import { useAct } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { useConfirm } from '../parts/confirm.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ImportSuppressions } from './import-suppressions.tsx'
import { NewSuppression } from './new-suppression.tsx'

type Suppression = components['schemas']['Suppression']

/** The addresses that get no mail whatever is sent, and why. */
export default function Suppressions() {
  const t = useTexts()
  const may = useMay()
  const { values, change } = useAddress()
  const confirm = useConfirm()
  const remove = useAct(
    (api, { id }: Suppression) => api.DELETE('/suppressions/{idOrEmail}', { params: { path: { idOrEmail: id } } }),
    { changes: ['suppressions'], done: (_, { email }) => t.suppressions.removed(email) },
  )
  const ask = async (row: Suppression) => {
    const text = row.reason === 'MANUAL' ? undefined : t.suppressions.removeHint
    const question = { title: t.suppressions.removeTitle(row.email), text, yes: t.anywhere.remove, grave: true }
    if (await confirm(question)) remove.mutate(row)
  }
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => change({ new: '1' })}>
      {t.suppressions.add}
    </Button>
  )
  return (
    <Page
      title={t.suppressions.title}
      hint={t.suppressions.hint}
      actions={
        <>
          <CopyCurl path="/suppressions" />
          {may.contacts ? (
            <>
              <Button
                variant="default"
                leftSection={<IconFileImport size={16} />}
                onClick={() => change({ import: '1' })}
              >
                {t.suppressions.import}
              </Button>
              {add}
            </>
          ) : null}
        </>
      }
    >
      <List<Suppression>
        noun="suppressions"
        label={t.suppressions.title}
        ask={(api, query, signal) => api.GET('/suppressions', { params: { query }, signal })}
        rowName={({ email }) => email}
        columns={[
          { key: 'email', title: t.suppressions.email, cell: ({ email }) => email },
          { key: 'reason', title: t.suppressions.reason, cell: ({ reason }) => <Pill status={reason} /> },
          { key: 'detail', title: t.suppressions.detail, cell: ({ detail }) => detail ?? '' },
          { key: 'createdAt', title: t.suppressions.since, cell: ({ createdAt }) => <Moment at={createdAt} /> },
          {
            key: 'expiresAt',
            title: t.suppressions.until,
            cell: ({ expiresAt }) => <Moment at={expiresAt} empty={t.suppressions.forGood} />,
          },
        ]}
        {...(may.release
          ? {
              rowActions: (row: Suppression) => (
                <Tooltip label={t.anywhere.remove}>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t.suppressions.removeTitle(row.email)}
                    onClick={() => void ask(row)}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                </Tooltip>
              ),
            }
          : {})}
        empty={
          <Empty
            icon={<IconBan />}
            title={t.suppressions.empty}
            hint={t.suppressions.emptyHint}
            action={may.contacts ? add : null}
          />
        }
      />
      <SidePanel title={t.suppressions.add} opened={values.new === '1'} onClose={() => change({ new: undefined })}>
        <NewSuppression onDone={() => change({ new: undefined })} />
      </SidePanel>
      <SidePanel
        title={t.suppressions.import}
        opened={values.import === '1'}
        onClose={() => change({ import: undefined })}
      >
        <ImportSuppressions onDone={() => change({ import: undefined })} />
      </SidePanel>
    </Page>
  )
}
