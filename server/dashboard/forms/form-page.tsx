import { Alert, Button, Code, Paper, SimpleGrid, Stack, Tabs, Text } from '@mantine/core'
import { IconAlertTriangle, IconExternalLink } from '@tabler/icons-react'
import { translationsIn } from '../../../core/mail/languages/translations-in.ts'
import { formHtml } from '../../../core/subscriptions/forms/form-html.ts'
import { useAsk } from '../api/ask.ts'
import { apiUrl } from '../api/base.ts'
import { useMay, useProject } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { Copy, CopyCurl } from '../parts/copy.tsx'
import { Figure } from '../parts/figure.tsx'
import { useFormats } from '../parts/formats.ts'
import { Moment } from '../parts/moment.tsx'
import { DeleteButton } from '../parts/noun-actions.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { Together } from '../parts/together/together.tsx'
import { useTexts } from '../texts/texts.tsx'
import { FormEditor } from './form-editor.tsx'
import { type SignUpForm, seenOf, shownOf, valuesOf } from './form-values.ts'
import { SenderWaits } from './sender-waits.tsx'
import { Submissions } from './submissions.tsx'
import { chosenOf, useTopics } from './topics.ts'

/** One form: the people it brought, how to put it into pages, and its fields. */
export function FormPage({ id }: { readonly id: string }) {
  const t = useTexts()
  const { number } = useFormats()
  const { values, change } = useAddress()
  const form = useAsk<SignUpForm>(['forms', id], (api, signal) =>
    api.GET('/forms/{id}', { params: { path: { id } }, signal }),
  )
  const tab = values.tab ?? 'people'
  return (
    <Answer of={form} lines={8}>
      {(found) => (
        <Page
          title={found.name}
          beside={<Pill status={found.active ? 'ENABLED' : 'DISABLED'} />}
          trail={[{ text: t.forms.title, href: '/' }]}
          actions={<Actions form={found} />}
        >
          <Together kind="forms" id={id} version={found.version} />
          {found.attackedAt === undefined ? null : (
            <Alert color="yellow" icon={<IconAlertTriangle />} title={t.forms.attacked}>
              {t.forms.attackedHint} <Moment at={found.attackedAt} />
            </Alert>
          )}
          {found.doubleOptIn ? <SenderWaits /> : null}
          <SimpleGrid cols={3} spacing="sm">
            <Figure name={t.forms.shown} value={number(found.shown)} />
            <Figure name={t.forms.submitted} value={number(found.submitted)} href={`/${id}?tab=people`} />
            <Figure
              name={t.forms.confirmed}
              value={number(found.confirmed)}
              href={`/${id}?tab=people&confirmed=true`}
            />
          </SimpleGrid>
          <Tabs
            value={tab}
            onChange={(chosen) => change({ tab: chosen ?? undefined, confirmed: undefined, cursor: undefined })}
            keepMounted={false}
          >
            <Tabs.List mb="md">
              <Tabs.Tab value="people">{t.forms.people}</Tabs.Tab>
              <Tabs.Tab value="embed">{t.forms.embed}</Tabs.Tab>
              <Tabs.Tab value="edit">{t.anywhere.edit}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="people">
              <Submissions id={id} />
            </Tabs.Panel>
            <Tabs.Panel value="embed">
              <Embed form={found} />
            </Tabs.Panel>
            <Tabs.Panel value="edit">
              <FormEditor seen={seenOf(found)} id={id} />
            </Tabs.Panel>
          </Tabs>
        </Page>
      )}
    </Answer>
  )
}

/** The code to copy into pages. */
function Embed({ form }: { readonly form: SignUpForm }) {
  const t = useTexts()
  const { locale } = useProject()
  const page = apiUrl(`/f/${form.id}`)
  const html = formHtml(shownOf(valuesOf(form), form.id), {
    words: translationsIn(locale).form,
    topics: chosenOf(useTopics(), form.topicIds),
    action: page,
  })
  const ways = [
    { title: t.forms.script, hint: t.forms.scriptHint, text: `<script src="${page}/embed.js" async></script>` },
    { title: t.forms.html, hint: t.forms.htmlHint, text: html },
    { title: t.forms.link, hint: t.forms.linkHint, text: page },
  ]
  return (
    <Stack>
      {form.origins.length === 0 ? <Alert color="yellow">{t.forms.noOrigins}</Alert> : null}
      {ways.map(({ title, hint, text }) => (
        <Paper key={title} withBorder p="md" component="section" aria-label={title}>
          <Text fw={600}>
            {title} <Copy value={text} label={t.forms.copy(title)} />
          </Text>
          <Text size="sm" c="dimmed" mb="xs">
            {hint}
          </Text>
          <Code block tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {text}
          </Code>
        </Paper>
      ))}
    </Stack>
  )
}

function Actions({ form: { id, name } }: { readonly form: SignUpForm }) {
  const t = useTexts()
  const may = useMay()
  return (
    <>
      <Copy value={id} label={t.anywhere.copyId} />
      <CopyCurl path={`/forms/${id}`} />
      <Button
        component="a"
        href={apiUrl(`/f/${id}`)}
        target="_blank"
        rel="noopener"
        variant="default"
        leftSection={<IconExternalLink size={16} />}
      >
        {t.forms.open}
      </Button>
      {may.contacts ? (
        <DeleteButton
          act={(api) => api.DELETE('/forms/{id}', { params: { path: { id } } })}
          changes={['forms']}
          done={t.forms.deleted}
          question={{ title: t.forms.deleteTitle(name), text: t.forms.deleteHint, yes: t.anywhere.delete }}
        />
      ) : null}
    </>
  )
}
