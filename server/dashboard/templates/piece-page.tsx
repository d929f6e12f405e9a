import { Button, Code, Paper, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf } from '../api/client.ts'
import { useApi, useMay, useProjectId } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { Copy, CopyCurl } from '../parts/copy.tsx'
import { FormBox } from '../parts/form.tsx'
import { type Seen, useSharedForm } from '../parts/joint-form.tsx'
import { MailPreview } from '../parts/mail-preview.tsx'
import { useNotices } from '../parts/notices.ts'
import { Page } from '../parts/page.tsx'
import { useRenaming } from '../parts/rename.ts'
import { SourceEditor } from '../parts/source-editor.tsx'
import { changedOnly } from '../parts/three-way.ts'
import { forgetUnsaved } from '../parts/unsaved.tsx'
import { useVariables } from '../parts/variables.ts'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import { type Noun, PIECES, type Piece } from './pieces.ts'

/** One snippet or layout: its source with a preview, and where it is used. */
export function PiecePage({ noun, id }: { readonly noun: Noun; readonly id: string }) {
  const t = useTexts()
  const piece = useAsk<Piece>([noun, id], (api, signal) => PIECES[noun].get(api, id, signal))
  return (
    <Answer of={piece} lines={10}>
      {(found) => (
        <Page
          title={found.name}
          trail={[{ text: t.pieces[noun].title, href: `/${noun}` }]}
          actions={<Actions noun={noun} piece={found} />}
        >
          <PieceForm noun={noun} piece={found} />
          <Usage noun={noun} id={id} />
        </Page>
      )}
    </Answer>
  )
}

export function NewPiece({ noun }: { readonly noun: Noun }) {
  const t = useTexts()
  const words = t.pieces[noun]
  return (
    <Page title={words.new} trail={[{ text: words.title, href: `/${noun}` }]}>
      <PieceForm noun={noun} />
    </Page>
  )
}

function PieceForm({ noun, piece }: { readonly noun: Noun; readonly piece?: Piece }) {
  const t = useTexts()
  const api = useApi()
  const may = useMay()
  const project = useProjectId()
  const queries = useQueryClient()
  const notices = useNotices()
  const renaming = useRenaming()
  const variables = useVariables()
  const [, navigate] = useLocation()
  const [isPreview, setPreview] = useState(false)
  const words = t.pieces[noun]
  const form = useSharedForm({
    seen: piece ? seenOf(piece) : { values: { name: '', description: '', body: words.first }, version: 1 },
    seenAfter: seenOf,
    read: async () => seenOf(await answerOf(PIECES[noun].get(api, piece?.id ?? ''))),
    save: (values, before) => {
      if (piece === undefined) return answerOf(PIECES[noun].make(api, requestOf(values)))
      const changed = changedOnly(requestOf(values), requestOf(before.values))
      return renaming((more) =>
        answerOf(PIECES[noun].change(api, piece.id, { ...changed, ...more, version: before.version })),
      )
    },
    labels: { name: t.templates.name, description: t.templates.description, body: t.templates.body },
    show: { body: (source) => source },
    async onSaved({ id }) {
      notices.done(words.saved)
      await queries.invalidateQueries({ queryKey: [project, noun] })
      // previews of mails with it
      await queries.invalidateQueries({ queryKey: [project, 'templates', 'render'] })
      if (piece === undefined) navigate(`/${noun}/${id}`)
    },
  })
  // a layout is shown around a few words
  const shown =
    noun === 'layouts' ? form.values.body.replace(/\{\{-?\s*content\s*-?\}\}/, () => words.sample) : form.values.body
  return (
    <FormBox form={form} readOnly={!may.templates} always={piece === undefined} submit={piece ? undefined : words.make}>
      <Paper withBorder p="md">
        <Stack>
          <TextInput label={t.templates.name} description={words.nameHint} required maw={560} {...form.text('name')} />
          {noun === 'snippets' ? (
            <Text size="sm" c="dimmed">
              {t.pieces.howTo} <Code>{`{% render '${form.values.name || 'name'}' %}`}</Code>
            </Text>
          ) : null}
          <SegmentedControl
            aria-label={t.templates.body}
            value={isPreview ? 'preview' : 'write'}
            onChange={(chosen) => setPreview(chosen === 'preview')}
            data={[
              { value: 'write', label: t.editor.write },
              { value: 'preview', label: t.editor.preview },
            ]}
            style={{ alignSelf: 'flex-start' }}
          />
          {isPreview ? (
            <MailPreview subject="" preheader="" body={shown} />
          ) : (
            <SourceEditor
              key={form.takenOf('body')}
              label={t.templates.body}
              value={form.values.body}
              onChange={(source) => form.set('body', source)}
              variables={variables}
              readOnly={!may.templates}
            />
          )}
          {form.errorOf('body') === undefined ? null : (
            <Text c="red" size="sm" role="alert">
              {form.errorOf('body')}
            </Text>
          )}
          <Textarea label={t.templates.description} autosize minRows={2} maw={560} {...form.text('description')} />
        </Stack>
      </Paper>
    </FormBox>
  )
}

interface PieceValues {
  readonly name: string
  readonly description: string
  readonly body: string
}

function seenOf({ name, description = '', body, version }: Piece): Seen<PieceValues> {
  return { values: { name, description, body }, version }
}

function requestOf({ description, ...values }: PieceValues) {
  return { ...values, description: description || null }
}

const USERS = ['templates', 'campaigns', 'workflows', 'snippets', 'layouts'] as const

function Usage({ noun, id }: { readonly noun: Noun; readonly id: string }) {
  const t = useTexts()
  const project = useProjectId()
  const usage = useAsk([noun, id, 'usage'], (api, signal) => PIECES[noun].usage(api, id, signal))
  const nameOf = {
    templates: t.templates.title,
    campaigns: t.shell.pages.campaigns,
    workflows: t.shell.pages.workflows,
    snippets: t.pieces.snippets.title,
    layouts: t.pieces.layouts.title,
  }
  const hrefOf = (kind: (typeof USERS)[number], user: string) =>
    toProject(project, kind === 'snippets' || kind === 'layouts' ? `/templates/${kind}/${user}` : `/${kind}/${user}`)
  return (
    <Answer of={usage}>
      {(uses) => (
        <Paper withBorder p="md" component="section" aria-label={t.templates.usage}>
          <Stack gap="xs">
            <Text fw={600}>{t.templates.usage}</Text>
            {USERS.every((kind) => uses[kind].length === 0) ? (
              <Text>{t.templates.unused}</Text>
            ) : (
              <Text size="sm" c="dimmed">
                {t.pieces[noun].usedHint}
              </Text>
            )}
            {USERS.flatMap((kind) =>
              uses[kind].map((user) => (
                <Link key={'stepId' in user ? user.stepId : user.id} href={hrefOf(kind, user.id)}>
                  {nameOf[kind]}: {user.name}
                </Link>
              )),
            )}
          </Stack>
        </Paper>
      )}
    </Answer>
  )
}

function Actions({ noun, piece: { id, name } }: { readonly noun: Noun; readonly piece: Piece }) {
  const t = useTexts()
  const may = useMay()
  const confirm = useConfirm()
  const [, navigate] = useLocation()
  const words = t.pieces[noun]
  const remove = useAct((api) => PIECES[noun].remove(api, id), {
    changes: [noun],
    done: t.templates.deleted,
    onDone() {
      forgetUnsaved()
      navigate(`/${noun}`)
    },
  })
  const ask = async () => {
    const question = { title: words.deleteTitle(name), text: t.templates.deleteHint, yes: t.templates.delete }
    if (await confirm({ ...question, grave: true })) remove.mutate()
  }
  return (
    <>
      <Copy value={id} label={t.anywhere.copyId} />
      <CopyCurl path={`/${noun}/${id}`} />
      {may.templates ? (
        <Button
          variant="default"
          size="xs"
          color="red"
          leftSection={<IconTrash size={14} />}
          onClick={() => void ask()}
          loading={remove.isPending}
        >
          {t.templates.delete}
        </Button>
      ) : null}
    </>
  )
}
