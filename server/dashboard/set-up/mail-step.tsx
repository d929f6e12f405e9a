import { Alert, Anchor, Box, Button, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf } from '../api/client.ts'
import { useApi, useProject } from '../api/project.tsx'
import { SESSION, useSession } from '../api/session.tsx'
import { useAdvice } from '../parts/advice.ts'
import { shownStatus } from '../parts/delivered.ts'
import { FormBox, useForm } from '../parts/form.tsx'
import { literalText } from '../parts/mail-editor/liquid.ts'
import { type Owner, REQUESTS, type Trial, useMailServers } from '../parts/mail-servers/queries.ts'
import { TrialResult } from '../parts/mail-servers/trial-result.tsx'
import { Pill } from '../parts/pill.tsx'
import { toProject } from '../shell/to-app.ts'
import { useLanguage, useTexts } from '../texts/texts.tsx'

/** States in which something may still happen by itself. */
const OPEN = ['QUEUED', 'SENDING']

const OWN_SERVERS = '/settings?tab=servers'

/** A first mail to oneself, with what became of it. While the domain waits for its records, it goes straight through the mail server. */
export function MailStep() {
  const t = useTexts()
  const api = useApi()
  const project = useProject()
  const { user } = useSession()
  const { language } = useLanguage()
  const [mail, setMail] = useState<string | undefined>()
  const [trial, setTrial] = useState<{ readonly result: Trial; readonly to: string } | undefined>()
  const domains = useAsk(['domains'], (api, signal) =>
    api.GET('/domains/project/{projectId}', { params: { path: { projectId: project.id } }, signal }),
  )
  const form = useForm({
    initial: { to: user.email, from: project.from?.email ?? '' },
    save: ({ to, from }) =>
      answerOf(
        api.POST('/v1/send', {
          body: {
            to: to.trim(),
            from: from.trim(),
            subject: literalText(t.setUp.subject(project.name)),
            body: `<p>${t.setUp.words}</p>`,
          },
        }),
      ),
    guard: false,
    // Home tells what is left to do, maybe at once
    changes: ['emails', 'contacts'],
    onSaved: ({ data }) => setMail(data.emails[0]?.email),
  })
  const typed = form.values.from.trim().split('@')[1]?.toLowerCase()
  const waiting = domains.data?.find(({ domain, verified }) => domain === typed && !verified)?.domain
  const owner: Owner = project.mailWay === 'own' ? 'project' : 'installation'
  const mayTest = project.mailWay === 'own' || (user.operator === true && project.mailWay === 'installation')
  const servers = useMailServers(owner, waiting !== undefined && mayTest)
  const tested = waiting === undefined ? undefined : servers.data?.servers.find(({ enabled }) => enabled)
  const test = useForm<{ readonly to: string; readonly from: string }, Trial>({
    initial: form.values,
    save: () => {
      const { to, from } = form.values
      const body = { id: tested?.id ?? '', to: to.trim(), from: from.trim(), language }
      return answerOf(REQUESTS[owner].test(api, body))
    },
    guard: false,
    onSaved: (result) => setTrial({ result, to: form.values.to.trim() }),
  })
  return (
    <Paper withBorder p="lg" maw={720}>
      {waiting === undefined ? null : (
        <Alert color="yellow" mb="sm">
          {t.setUp.domainWaits(waiting)}{' '}
          {tested !== undefined ? (
            t.setUp.testedInstead
          ) : mayTest ? (
            <Anchor
              component={Link}
              href={toProject(project.id, project.mailWay === 'own' ? OWN_SERVERS : '/start?step=transport')}
              size="sm"
            >
              {t.setUp.testServer}
            </Anchor>
          ) : null}
        </Alert>
      )}
      <FormBox
        form={tested === undefined ? form : test}
        submit={tested === undefined ? t.setUp.send : t.setUp.sendTest}
        always
      >
        <Text size="sm">{t.setUp.mailHint}</Text>
        {(['from', 'to'] as const).map((name) => (
          <TextInput
            key={name}
            label={t.setUp[name]}
            type="email"
            required
            {...form.text(name)}
            error={form.errorOf(name) ?? test.errorOf(name)}
          />
        ))}
      </FormBox>
      {trial === undefined ? null : (
        <Box mt="md">
          <TrialResult trial={trial.result} preset={undefined} sentTo={trial.to} provider={tested?.preset} />
        </Box>
      )}
      {mail === undefined ? null : <Sent key={mail} id={mail} />}
    </Paper>
  )
}

function Sent({ id }: { readonly id: string }) {
  const t = useTexts()
  const advice = useAdvice()
  const project = useProject()
  const mail = useAsk(['emails', id], (api, signal) => api.GET('/emails/{id}', { params: { path: { id } }, signal }), {
    every: (found) => (found === undefined || OPEN.includes(found.status) ? 1500 : false),
  })
  if (mail.data === undefined) return null
  const { status, from, error, errorMeaning, errorMeaningCodes, transport, toFolder } = mail.data
  return (
    <Stack gap="xs" mt="md" role="status">
      <Text size="sm">
        <Pill status={shownStatus(mail.data)} /> {transport ? t.setUp.by(transport) : ''}
      </Text>
      {project.mailWay === 'folder' || toFolder ? <Alert color="yellow">{t.setUp.outbox}</Alert> : null}
      {project.mailWay === 'nowhere' ? <Alert color="yellow">{t.home.waits}</Alert> : null}
      {error === undefined ? null : (
        <Alert color="red" title={errorMeaning && advice(errorMeaning, errorMeaningCodes)}>
          {t.reasons(error)}
        </Alert>
      )}
      {project.from === null && status === 'DELIVERED' && !toFolder ? <UseAsSender email={from} /> : null}
      <Anchor component={Link} href={toProject(project.id, `/mails/${id}`)} size="sm">
        {t.setUp.seeMail}
      </Anchor>
    </Stack>
  )
}

/** Makes the sender of a mail that arrived the project's, so that no form asks for it again. */
function UseAsSender({ email }: { readonly email: string }) {
  const t = useTexts()
  const { id } = useProject()
  const queries = useQueryClient()
  const save = useAct((api) => api.PATCH('/projects/{id}', { params: { path: { id } }, body: { from: { email } } }), {
    changes: [],
    done: t.setUp.senderSet(email),
    onDone: () => void queries.invalidateQueries({ queryKey: SESSION }),
  })
  return (
    <Button variant="light" size="xs" w="fit-content" loading={save.isPending} onClick={() => save.mutate()}>
      {t.setUp.useAsSender(email)}
    </Button>
  )
}
