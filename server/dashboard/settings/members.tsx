import { Button, Paper, Select, Stack, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf, type components } from '../api/client.ts'
import { useApi, useMay, useProjectId } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { useNotices } from '../parts/notices.ts'
import { Pill } from '../parts/pill.tsx'
import { DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'

type Member = components['schemas']['Member']
const ROLES = ['MEMBER', 'ADMIN', 'OWNER'] as const

/** Who belongs to the project, and who is invited. */
export function Members() {
  const t = useTexts()
  const may = useMay()
  const project = useProjectId()
  const { user } = useSession()
  const confirm = useConfirm()
  const { values, change } = useAddress()
  const of = (memberId: string) => ({ params: { path: { id: project, memberId } } })
  const members = useAsk<readonly Member[]>(['members'], (api, signal) =>
    api.GET('/projects/{id}/members', { params: { path: { id: project } }, signal }),
  )
  const setRole = useAct(
    (api, { id, role }: Pick<Member, 'id' | 'role'> & { readonly before: Member['role'] }) =>
      api.PATCH('/projects/{id}/members/{memberId}', { ...of(id), body: { role } }),
    {
      changes: ['members'],
      done: t.settings.roleChanged,
      undo:
        (_, { id, before }) =>
        (api) =>
          api.PATCH('/projects/{id}/members/{memberId}', { ...of(id), body: { role: before } }),
    },
  )
  const remove = useAct((api, id: string) => api.DELETE('/projects/{id}/members/{memberId}', of(id)), {
    changes: ['members'],
    done: t.settings.memberRemoved,
  })
  const ask = async ({ id, email }: Member) => {
    const question = { title: t.settings.removeMemberTitle(email), yes: t.settings.removeMember, grave: true }
    if (await confirm(question)) remove.mutate(id)
  }
  return (
    <Stack>
      {may.own ? (
        <Button leftSection={<IconPlus size={16} />} onClick={() => change({ new: '1' })} w="fit-content">
          {t.settings.invite}
        </Button>
      ) : null}
      <Answer of={members}>
        {(found) => (
          <DataTable
            name="members"
            label={t.settings.tabs.members}
            rows={found}
            rowName={({ email }) => email}
            columns={[
              {
                key: 'email',
                title: t.settings.email,
                cell: ({ email, name }) => (name ? `${name} <${email}>` : email),
              },
              { key: 'status', title: t.anywhere.status, cell: ({ status }) => <Pill status={status} /> },
              {
                key: 'role',
                title: t.settings.role,
                cell: ({ id, role, status }) =>
                  may.own && status === 'ACTIVE' ? (
                    <Select
                      aria-label={t.settings.role}
                      size="xs"
                      data={ROLES.map((value) => ({ value, label: t.settings.roles[value] }))}
                      allowDeselect={false}
                      value={role}
                      onChange={(chosen) =>
                        chosen && setRole.mutate({ id, role: chosen as Member['role'], before: role })
                      }
                      w={130}
                    />
                  ) : (
                    t.settings.roles[role]
                  ),
              },
              { key: 'since', title: t.settings.memberSince, cell: ({ createdAt }) => <Moment at={createdAt} /> },
            ]}
            rowActions={(member) =>
              may.own || (member.email === user.email && user.host === null) ? (
                <Button size="compact-xs" variant="subtle" color="red" onClick={() => void ask(member)}>
                  {t.settings.removeMember}
                </Button>
              ) : null
            }
            empty={<Empty title={t.anywhere.none} />}
          />
        )}
      </Answer>
      <SidePanel title={t.settings.invite} opened={values.new === '1'} onClose={() => change({ new: undefined })}>
        <Invite onDone={() => change({ new: undefined })} />
      </SidePanel>
    </Stack>
  )
}

function Invite({ onDone }: { readonly onDone: () => void }) {
  const t = useTexts()
  const api = useApi()
  const project = useProjectId()
  const queries = useQueryClient()
  const notices = useNotices()
  const form = useForm({
    initial: { email: '', role: 'MEMBER' as Member['role'] },
    save: async (body) => {
      await answerOf(api.POST('/projects/{id}/members', { params: { path: { id: project } }, body }))
      return body
    },
    async onSaved({ email }) {
      notices.done(t.settings.invited(email))
      onDone()
      await queries.invalidateQueries({ queryKey: [project, 'members'] })
    },
  })
  return (
    <Paper>
      <FormBox form={form} submit={t.settings.invite} onCancel={onDone}>
        <TextInput label={t.settings.email} type="email" required data-autofocus {...form.text('email')} />
        <Select
          label={t.settings.role}
          data={ROLES.map((value) => ({ value, label: `${t.settings.roles[value]}: ${t.settings.roleHints[value]}` }))}
          allowDeselect={false}
          value={form.values.role}
          onChange={(role) => role && form.set('role', role as Member['role'])}
          error={form.errorOf('role')}
        />
      </FormBox>
    </Paper>
  )
}
