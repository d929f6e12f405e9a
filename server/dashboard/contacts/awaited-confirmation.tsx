import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { useMay, useProjectId } from '../api/project.tsx'
import { shownStatus } from '../parts/delivered.ts'
import { useFormats } from '../parts/formats.ts'
import { Moment } from '../parts/moment.tsx'
import { Pill } from '../parts/pill.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

/** The confirmation that is awaited of a contact: since when, which mails asked, and one more mail where it may go out. */
export function AwaitedConfirmation({ id, subscribed }: { readonly id: string; readonly subscribed: boolean }) {
  const t = useTexts()
  const may = useMay()
  const formats = useFormats()
  const project = useProjectId()
  const words = t.contacts.awaited
  const path = { params: { path: { id } } }
  const confirmation = useAsk(
    ['contacts', id, 'confirmation'],
    (api, signal) => api.GET('/contacts/{id}/confirmation', { ...path, signal }),
    { enabled: !subscribed },
  )
  const again = useAct((api) => api.POST('/contacts/{id}/confirmation', path), {
    changes: ['contacts', 'emails'],
    done: words.sent,
  })
  if (subscribed || confirmation.data == null || confirmation.data.since === null) return null
  const { since, mails, again: isAllowed } = confirmation.data
  return (
    <Alert color="yellow" title={words.since(formats.time(since))}>
      <Stack gap="xs" align="flex-start">
        {mails.map((mail) => (
          <Group key={mail.id} gap="xs">
            <Pill status={shownStatus(mail)} />
            <Link href={toProject(project, `/mails/${mail.id}`)}>{words.mail}</Link>
            <Moment at={mail.createdAt} />
          </Group>
        ))}
        <Text size="sm">{isAllowed === null ? '' : words.again[isAllowed]}</Text>
        {may.contacts && isAllowed === 'now' ? (
          <Button variant="default" size="xs" loading={again.isPending} onClick={() => again.mutate()}>
            {words.send}
          </Button>
        ) : null}
      </Stack>
    </Alert>
  )
}
