import { Button, Group, Paper, Stack, Tabs, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay, useProjectId } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { MailPreview } from '../parts/mail-preview.tsx'
import { Moment } from '../parts/moment.tsx'
import { forgetUnsaved } from '../parts/unsaved.tsx'
import { useTexts } from '../texts/texts.tsx'
import { lineDiff } from './line-diff.ts'
import classes from './templates.module.css'

type Template = components['schemas']['Template']
type Listed = components['schemas']['ListedTemplateVersion']

export interface VersionsPanelProps {
  readonly template: Template
  readonly opened: boolean
  readonly onClose: () => void
  /** After one was brought back. */
  readonly onRestored: () => void
}

/** The past of a template: who changed what and when, each version to be looked at and brought back. */
export function VersionsPanel({ template, opened, onClose, onRestored }: VersionsPanelProps) {
  const t = useTexts()
  const [shown, setShown] = useState<number | undefined>()
  return (
    <SidePanel
      title={shown === undefined ? t.templates.versions : t.templates.version(shown)}
      opened={opened}
      onClose={() => {
        setShown(undefined)
        onClose()
      }}
      size="xl"
    >
      {shown === undefined ? (
        <VersionList template={template} onShow={setShown} />
      ) : (
        <OneVersion template={template} number={shown} onBack={() => setShown(undefined)} onRestored={onRestored} />
      )}
    </SidePanel>
  )
}

function VersionList({ template, onShow }: { readonly template: Template; readonly onShow: (shown: number) => void }) {
  const t = useTexts()
  const { id } = template
  const versions = useAsk(['templates', id, 'versions', template.version], (api, signal) =>
    api.GET('/templates/{id}/versions', { params: { path: { id }, query: { limit: 100 } }, signal }),
  )
  return (
    <Answer of={versions}>
      {({ data }) => (
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            {t.templates.versionsHint}
          </Text>
          {data.map((each) => (
            <Paper key={each.number} withBorder p="sm">
              <Group justify="space-between" align="flex-start">
                <Stack gap={2} maw="70%">
                  <Text size="sm" fw={600}>
                    {t.templates.version(each.number)}
                    {each.number === template.version ? ` · ${t.templates.current}` : ''}
                  </Text>
                  <Text size="sm">
                    {nameOf(each, t.templates.byEngine)}, <Moment at={each.createdAt} />
                  </Text>
                  <Text size="xs" c="dimmed">
                    {each.restoredFrom == null
                      ? changedWords(each.changed, t.templates.fields)
                      : t.templates.restoredFrom(each.restoredFrom)}
                  </Text>
                </Stack>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t.templates.lookAt(each.number)}
                  onClick={() => onShow(each.number)}
                >
                  {t.templates.look}
                </Button>
              </Group>
            </Paper>
          ))}
        </Stack>
      )}
    </Answer>
  )
}

function OneVersion({
  template,
  number,
  onBack,
  onRestored,
}: {
  readonly template: Template
  readonly number: number
  readonly onBack: () => void
  readonly onRestored: () => void
}) {
  const t = useTexts()
  const may = useMay()
  const confirm = useConfirm()
  const project = useProjectId()
  const queries = useQueryClient()
  const { id, draft } = template
  const path = { id, version: String(number) }
  const version = useAsk(
    ['templates', id, 'versions', 'one', number],
    (api, signal) => api.GET('/templates/{id}/versions/{version}', { params: { path }, signal }),
    { once: true },
  )
  const restore = useAct((api) => api.POST('/templates/{id}/versions/{version}/restore', { params: { path } }), {
    changes: [],
    done: t.templates.restored(number),
    async onDone() {
      await queries.invalidateQueries({ queryKey: [project, 'templates'] })
      forgetUnsaved()
      onRestored()
    },
  })
  const discard = useAct((api) => api.DELETE('/templates/{id}/draft', { params: { path: { id } } }), {
    changes: [],
    onDone: () => restore.mutate(),
  })
  const ask = async () => {
    const text = draft ? t.templates.restoreOverDraft : t.templates.restoreHint
    const wanted = await confirm({ title: t.templates.restoreTitle(number), text, yes: t.templates.restore })
    if (wanted) (draft ? discard : restore).mutate()
  }
  return (
    <Stack>
      <Group justify="space-between">
        <Button variant="default" size="xs" onClick={onBack}>
          {t.templates.allVersions}
        </Button>
        {may.templates && number !== template.version ? (
          <Button size="xs" loading={restore.isPending || discard.isPending} onClick={() => void ask()}>
            {t.templates.restore}
          </Button>
        ) : null}
      </Group>
      <Answer of={version}>
        {({ fields }) => (
          <Tabs defaultValue="mail" keepMounted={false}>
            <Tabs.List mb="sm">
              <Tabs.Tab value="mail">{t.editor.preview}</Tabs.Tab>
              <Tabs.Tab value="changes">{t.templates.sinceThen}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="mail">
              <MailPreview
                subject={fields.subject ?? ''}
                preheader={fields.preheader ?? ''}
                body={fields.body ?? ''}
                layoutId={fields.layoutId ?? ''}
              />
            </Tabs.Panel>
            <Tabs.Panel value="changes">
              <Changes before={fields} after={template} />
            </Tabs.Panel>
          </Tabs>
        )}
      </Answer>
    </Stack>
  )
}

/** The differences between a version and the one that is sent now, field by field. */
function Changes({ before, after }: { readonly before: object; readonly after: Template }) {
  const t = useTexts()
  const [old, now]: readonly Readonly<Record<string, unknown>>[] = [{ ...before }, { ...after }]
  const names = Object.keys(t.templates.fields).filter(
    (name) => name !== 'design' && textOf(old?.[name]) !== textOf(now?.[name]),
  )
  if (names.length === 0) return <Text>{t.templates.noChanges}</Text>
  return (
    <Stack>
      {names.map((name) => {
        const lines = lineDiff(textOf(old?.[name]), textOf(now?.[name]))
        return (
          <div key={name}>
            <Text size="sm" fw={600}>
              {changedWords([name], t.templates.fields)}
            </Text>
            {lines === undefined ? (
              <Text size="sm">{t.templates.tooLong}</Text>
            ) : (
              <pre className={classes.diff}>
                {lines
                  .filter(({ kind }, at) => kind !== 'same' || isNear(lines, at))
                  .map(({ kind, text }, at) => (
                    <div key={at} className={classes[kind]}>
                      {kind === 'gone' ? '− ' : kind === 'new' ? '+ ' : '  '}
                      {text}
                    </div>
                  ))}
              </pre>
            )}
          </div>
        )
      })}
    </Stack>
  )
}

/** A line beside one that differs, which shows where that is. */
function isNear(lines: readonly { readonly kind: string }[], at: number): boolean {
  return [-2, -1, 1, 2].some((step) => (lines[at + step]?.kind ?? 'same') !== 'same')
}

function textOf(value: unknown): string {
  if (value == null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

/** The names of the fields as the page has them. */
function changedWords(names: readonly string[], words: Readonly<Record<string, string>>): string {
  // the drawing is what the body is made of
  const shown = names.filter((name) => name !== 'design' || !names.includes('body'))
  return shown.map((name) => words[name] ?? name).join(', ')
}

function nameOf({ by }: Listed, engine: string): string {
  return by.type === 'engine' ? engine : by.name
}
