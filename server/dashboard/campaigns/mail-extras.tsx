import { ActionIcon, Button, FileButton, Group, Paper, Select, Stack, Text, Title } from '@mantine/core'
import { IconPaperclip, IconTrash } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useAct } from '../api/ask.ts'
import { useMay, useProjectId } from '../api/project.tsx'
import { base64Of } from '../parts/base64-of.ts'
import type { Form } from '../parts/form.tsx'
import { useFormats } from '../parts/formats.ts'
import { TemplateName } from '../parts/name-of.tsx'
import { PairsInput } from '../parts/pairs-input.tsx'
import { UtmFields } from '../parts/utm-fields.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import type { CampaignValues } from './campaign-values.ts'
import type { Campaign } from './queries.ts'

/** The extras of mails beside their text: files, header fields, and what is added to their links. */
export function MailExtras({ campaign, form }: { readonly campaign: Campaign; readonly form: Form<CampaignValues> }) {
  const t = useTexts()
  const formats = useFormats()
  const may = useMay()
  const project = useProjectId()
  const path = { id: campaign.id }
  const attach = useAct(
    async (api, file: File) =>
      api.POST('/campaigns/{id}/attachments', {
        params: { path },
        body: {
          filename: file.name.replaceAll(/["']/g, ' '),
          contentType: file.type || 'application/octet-stream',
          content: await base64Of(file),
        },
      }),
    { changes: ['campaigns'], done: (_, { name }) => t.campaigns.attached(name) },
  )
  const detach = useAct(
    (api, attachmentId: string) =>
      api.DELETE('/campaigns/{id}/attachments/{attachmentId}', { params: { path: { ...path, attachmentId } } }),
    { changes: ['campaigns'], done: t.campaigns.detached },
  )
  const { utm } = form.values
  const kind = utm === null ? 'project' : Object.keys(utm).length === 0 ? 'none' : 'own'
  return (
    <Paper withBorder p="lg" mt="md">
      <Stack gap="lg">
        {campaign.templateId === undefined ? null : (
          <Text size="sm">
            {t.workflows.template}:{' '}
            <Link href={toProject(project, `/templates/${campaign.templateId}`)}>
              <TemplateName id={campaign.templateId} />
            </Link>
          </Text>
        )}
        <Stack gap="xs">
          <Title order={3} size="h5">
            {t.campaigns.attachments}
          </Title>
          {(campaign.attachments ?? []).map(({ id, filename, size }) => (
            <Group key={id} gap="xs" wrap="nowrap">
              <IconPaperclip size={16} />
              <Text size="sm" truncate>
                {filename}
              </Text>
              <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                {formats.bytes(size)}
              </Text>
              {may.campaigns ? (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t.campaigns.detach(filename)}
                  title={t.campaigns.detach(filename)}
                  onClick={() => detach.mutate(id)}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              ) : null}
            </Group>
          ))}
          {may.campaigns ? (
            <FileButton onChange={(file) => file && attach.mutate(file)}>
              {(props) => (
                <Button
                  variant="default"
                  size="xs"
                  style={{ alignSelf: 'flex-start' }}
                  leftSection={<IconPaperclip size={14} />}
                  loading={attach.isPending}
                  {...props}
                >
                  {t.campaigns.attach}
                </Button>
              )}
            </FileButton>
          ) : null}
          <Text size="xs" c="dimmed">
            {t.campaigns.attachHint}
          </Text>
        </Stack>
        <PairsInput
          label={t.campaigns.headers}
          description={t.campaigns.headersHint}
          value={form.values.headers}
          onChange={(headers) => form.set('headers', headers)}
          onlyTexts
          readOnly={!may.campaigns}
          error={form.errorOf('headers')}
          errorOf={(name) => form.errorOf(`headers.${name}`)}
        />
        <Stack gap="xs" maw={560}>
          <Select
            label={t.campaigns.utm}
            description={t.campaigns.utmHint}
            data={(['project', 'own', 'none'] as const).map((value) => ({ value, label: t.campaigns.utmKinds[value] }))}
            allowDeselect={false}
            disabled={!may.campaigns}
            value={kind}
            onChange={(chosen) =>
              form.set(
                'utm',
                chosen === 'project' ? null : chosen === 'none' ? {} : { source: 'newsletter', medium: 'email' },
              )
            }
          />
          {kind === 'own' ? (
            <UtmFields
              value={utm ?? {}}
              onChange={(given) => form.set('utm', given)}
              errorOf={form.errorOf}
              readOnly={!may.campaigns}
              name={form.values.name}
            />
          ) : null}
        </Stack>
      </Stack>
    </Paper>
  )
}
