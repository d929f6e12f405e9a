import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconFlask, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation, useRoute } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useProject, useProjectId } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { useFormats } from '../parts/formats.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import { CaughtMail } from './caught-mail.tsx'
import classes from './sandbox.module.css'

type Caught = components['schemas']['CaughtMail']

/** How many mails the list has at first, and when more are asked for. */
const [FEW, MANY] = [30, 100]

/** Mail of tests, as a mail program shows it: the list, and the mail that is open. */
export default function Sandbox() {
  const t = useTexts()
  const [isOpen, open] = useRoute('/:id')
  const id = isOpen ? open.id : undefined
  return (
    <Page
      title={t.sandbox.title}
      hint={<Mode />}
      trail={id === undefined ? [] : [{ text: t.sandbox.list, href: '/' }]}
      actions={
        <>
          <CopyCurl path={id === undefined ? '/sandbox/messages' : `/sandbox/messages/${id}`} />
          <Clear />
        </>
      }
    >
      <div className={classes.split} data-open={isOpen || undefined}>
        <nav className={classes.list} aria-label={t.sandbox.list}>
          <CaughtMails openId={id} />
        </nav>
        <div className={classes.mail}>
          {id === undefined ? (
            <Text c="dimmed" ta="center" p="xl" className={classes.choose}>
              {t.sandbox.choose}
            </Text>
          ) : (
            <CaughtMail key={id} id={id} />
          )}
        </div>
      </div>
    </Page>
  )
}

/** Which mail the sandbox gets, and the way to change that. */
function Mode() {
  const t = useTexts()
  const { id, mode } = useProject()
  return (
    <>
      {t.sandbox.modes[mode]}{' '}
      <Anchor component={Link} href={toProject(id, '/settings')} inherit underline="always">
        {t.sandbox.settings}
      </Anchor>
    </>
  )
}

function Clear() {
  const t = useTexts()
  const formats = useFormats()
  const confirm = useConfirm()
  const [, navigate] = useLocation()
  const clear = useAct((api) => api.DELETE('/sandbox/messages'), {
    changes: ['sandbox', 'emails'],
    done: ({ cleared }) => t.sandbox.cleared(cleared, formats.number(cleared)),
    // the mail that is open is gone, too
    onDone: () => navigate('/'),
  })
  const ask = async () => {
    const question = { title: t.sandbox.clearTitle, text: t.sandbox.clearHint, yes: t.sandbox.clear, grave: true }
    if (await confirm(question)) clear.mutate()
  }
  return (
    <Button
      variant="default"
      leftSection={<IconTrash size={16} />}
      loading={clear.isPending}
      onClick={() => void ask()}
    >
      {t.sandbox.clear}
    </Button>
  )
}

function CaughtMails({ openId }: { readonly openId: string | undefined }) {
  const t = useTexts()
  const formats = useFormats()
  const project = useProjectId()
  const { values, change } = useAddress()
  const [typed, setTyped] = useState(values.to ?? '')
  const [limit, setLimit] = useState(FEW)
  const to = values.to ?? ''
  const found = useAsk(
    ['sandbox', to, limit],
    (api, signal) =>
      api.GET('/sandbox/messages', { params: { query: { limit, ...(to === '' ? {} : { to }) } }, signal }),
    { every: 3000, keep: true },
  )
  return (
    <Stack gap="xs">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          change({ to: typed.trim() || undefined })
        }}
      >
        <TextInput
          type="email"
          aria-label={t.sandbox.to}
          placeholder={t.sandbox.to}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          onBlur={() => change({ to: typed.trim() || undefined })}
        />
      </form>
      <Answer of={found} lines={6}>
        {({ data, total }) =>
          data.length === 0 ? (
            <Empty
              icon={<IconFlask />}
              title={to === '' ? t.sandbox.empty : t.sandbox.emptyTo(to)}
              hint={t.sandbox.emptyHint}
            />
          ) : (
            <>
              <ul className={classes.mails}>
                {data.map((mail) => (
                  <li key={mail.id}>
                    <Entry mail={mail} isOpen={mail.id === openId} search={to} project={project} />
                  </li>
                ))}
              </ul>
              {total > data.length && limit < MANY ? (
                <Button variant="subtle" size="xs" onClick={() => setLimit(MANY)}>
                  {t.sandbox.more}
                </Button>
              ) : null}
              {total > data.length && limit === MANY ? (
                <Alert color="gray" p="xs">
                  {t.sandbox.newest(formats.number(data.length), formats.number(total))}
                </Alert>
              ) : null}
            </>
          )
        }
      </Answer>
    </Stack>
  )
}

interface EntryProps {
  readonly mail: Caught
  readonly isOpen: boolean
  /** The address that the list is narrowed to. */
  readonly search: string
  readonly project: string
}

function Entry({ mail: { id, to, subject, code, createdAt }, isOpen, search, project }: EntryProps) {
  const t = useTexts()
  const query = search === '' ? '' : `?to=${encodeURIComponent(search)}`
  return (
    <Link
      href={toProject(project, `/sandbox/${id}${query}`)}
      className={classes.entry}
      aria-current={isOpen ? 'page' : undefined}
    >
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" c="dimmed" truncate>
          {to}
        </Text>
        <Text size="xs" c="dimmed" className={classes.time}>
          <Moment at={createdAt} />
        </Text>
      </Group>
      <Text size="sm" fw={600} lineClamp={2} className={classes.subject}>
        {subject || t.mails.noSubject}
      </Text>
      {code === null ? null : (
        <Text size="xs">
          {t.sandbox.code}: <code>{code}</code>
        </Text>
      )}
    </Link>
  )
}
