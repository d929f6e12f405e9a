import { Alert, Button, Group, Paper, Select, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { MEMBER_ROLES } from '../../../core/values/member-roles.ts'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf, type components } from '../api/client.ts'
import { useApi, useMay, useProjectId } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { Copy, LinkToCopy } from '../parts/copy.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useFormats } from '../parts/formats.ts'
import { Moment } from '../parts/moment.tsx'
import { WhoMay } from '../parts/only-for.tsx'
import { Pill } from '../parts/pill.tsx'
import { DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'
import { RoleTable } from './roles.tsx'

type Member = components['schemas']['Member']

/** Who belongs to the project, and who is invited. */
export function Members() {
  const t = useTexts()
  const may = useMay()
  const project = useProjectId()
  const { user } = useSession()
  const confirm = useConfirm()
  const formats = useFormats()
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
      {may.members ? (
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
              {
                key: 'status',
                title: t.anywhere.status,
                cell: ({ status, expiresAt }) => (
                  <Group gap={6}>
                    <Pill status={status} />
                    {expiresAt === null ? null : (
                      <Text size="xs" c="dimmed">
                        {t.settings.invitedUntil(formats.day(expiresAt))}
                      </Text>
                    )}
                  </Group>
                ),
              },
              {
                key: 'role',
                title: t.settings.role,
                cell: ({ id, role, status }) =>
                  may.members && status === 'ACTIVE' ? (
                    <Select
                      aria-label={t.settings.role}
                      size="xs"
                      data={MEMBER_ROLES.map((value) => ({ value, label: t.settings.roles[value] }))}
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
            rowActions={(member) => (
              <Group gap={4} wrap="nowrap" justify="flex-end">
                {member.link === null ? null : (
                  <Copy value={member.link} label={t.settings.copyInviteLink(member.email)} />
                )}
                {may.members || (member.email === user.email && user.host === null) ? (
                  <Button size="compact-xs" variant="subtle" color="red" onClick={() => void ask(member)}>
                    {t.settings.removeMember}
                  </Button>
                ) : null}
              </Group>
            )}
            empty={<Empty title={t.anywhere.none} />}
          />
        )}
      </Answer>
      <Title order={2} size="h4">
        {t.settings.whatRolesMay}
      </Title>
      {may.members ? null : <WhoMay area="members" />}
      <Paper withBorder p="xs" maw={860}>
        <RoleTable />
      </Paper>
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
  const [invited, setInvited] = useState<Member>()
  const form = useForm({
    initial: { email: '', role: 'MEMBER' as Member['role'] },
    save: async (body) => {
      setInvited(await answerOf(api.POST('/projects/{id}/members', { params: { path: { id: project } }, body })))
      return body
    },
    changes: ['members'],
    done: ({ email }) => t.settings.invited(email),
  })
  if (invited !== undefined) return <Invited member={invited} onDone={onDone} />
  return (
    <Paper>
      <FormBox form={form} submit={t.settings.invite} onCancel={onDone}>
        <TextInput label={t.settings.email} type="email" required data-autofocus {...form.text('email')} />
        <Select
          label={t.settings.role}
          description={t.settings.roleHints[form.values.role]}
          data={MEMBER_ROLES.map((value) => ({ value, label: t.settings.roles[value] }))}
          allowDeselect={false}
          value={form.values.role}
          onChange={(role) => role && form.set('role', role as Member['role'])}
          error={form.errorOf('role')}
        />
        <RoleTable />
      </FormBox>
    </Paper>
  )
}

/** How the invitation reaches the person: by mail, and by a link to pass on. */
function Invited({ member, onDone }: { readonly member: Member; readonly onDone: () => void }) {
  const t = useTexts()
  const formats = useFormats()
  const { link, expiresAt, note } = member
  return (
    <Stack>
      <Alert color={note === null ? 'teal' : 'yellow'} title={t.settings.invited(member.email)} role="status">
        {note === null ? t.settings.inviteMailed : t.settings.inviteNotMailed}
      </Alert>
      {link === null || expiresAt === null ? null : (
        <div>
          <Text size="sm" fw={500}>
            {t.settings.inviteLink}
          </Text>
          <Text size="xs" c="dimmed" mb={4}>
            {t.settings.inviteLinkHint(formats.time(expiresAt))}
          </Text>
          <LinkToCopy value={link} label={t.settings.copyInviteLink(member.email)} />
        </div>
      )}
      <Button w="fit-content" onClick={onDone}>
        {t.anywhere.close}
      </Button>
    </Stack>
  )
}
