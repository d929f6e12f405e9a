import { Button, Paper, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf } from '../api/client.ts'
import { useApi, useMay, useProject } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { Copy, CopyCurl } from '../parts/copy.tsx'
import { FormBox } from '../parts/form.tsx'
import { type Seen, useSharedForm } from '../parts/joint-form.tsx'
import { keyOf } from '../parts/key-of.ts'
import { composeAs } from '../parts/mail-editor/compose.ts'
import { type Design, designOf } from '../parts/mail-editor/design.ts'
import { MailEditor } from '../parts/mail-editor/mail-editor.tsx'
import { Page } from '../parts/page.tsx'
import { useRenaming } from '../parts/rename.ts'
import { blankLayout, blankSnippet } from '../parts/starters.ts'
import { changedOnly } from '../parts/three-way.ts'
import { Together } from '../parts/together/together.tsx'
import { forgetUnsaved } from '../parts/unsaved.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import { calledOf, type Noun, PIECES, type Piece, type PieceInput } from './pieces.ts'

/** One snippet or layout: its source with a preview, and where it is used. */
export function PiecePage({ noun, id }: { readonly noun: Noun; readonly id: string }) {
  const t = useTexts()
  const piece = useAsk<Piece>([noun, id], (api, signal) => PIECES[noun].get(api, id, signal))
  return (
    <Answer of={piece} lines={10}>
      {(found) => (
        <Page
          title={calledOf(found)}
          trail={[{ text: t.pieces[noun].title, href: `/${noun}` }]}
          actions={<Actions noun={noun} piece={found} />}
        >
          <Together kind={noun} id={id} version={found.version} />
          <PieceForm noun={noun} piece={found} />
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
  const project = useProject()
  const renaming = useRenaming()
  const [, navigate] = useLocation()
  const words = t.pieces[noun]
  const isSnippet = noun === 'snippets'
  const kind = isSnippet ? 'snippet' : 'layout'
  const [first] = useState(() => {
    const design = isSnippet ? blankSnippet(t) : blankLayout(t)
    return { title: '', name: '', description: '', design, body: composeAs(kind, design, project) }
  })
  const form = useSharedForm<PieceValues, Piece>({
    seen: piece ? seenOf(piece) : { values: first, version: 1 },
    seenAfter: seenOf,
    read: async () => seenOf(await answerOf(PIECES[noun].get(api, piece?.id ?? ''))),
    save: (values, before) => {
      if (piece === undefined) return answerOf(PIECES[noun].make(api, requestOf(values, isSnippet)))
      const changed = changedOnly(requestOf(values, isSnippet), requestOf(before.values, isSnippet), TOGETHER)
      return renaming((more) =>
        answerOf(PIECES[noun].change(api, piece.id, { ...changed, ...more, version: before.version })),
      )
    },
    together: TOGETHER,
    labels: {
      title: t.templates.name,
      name: isSnippet ? t.pieces.key : t.templates.name,
      description: t.templates.description,
      body: t.templates.body,
    },
    // previews of mails with it are of templates
    changes: [noun, 'templates'],
    done: words.saved,
    onSaved({ id }) {
      if (piece === undefined) navigate(`/${noun}/${id}`)
    },
  })
  return (
    <FormBox
      form={form}
      readOnly={!may.templates}
      always={piece === undefined}
      submit={piece ? undefined : words.make}
      beside={piece ? <Touched noun={noun} id={piece.id} /> : undefined}
    >
      <SimpleGrid cols={{ base: 1, sm: piece ? 2 : 1 }}>
        <Paper withBorder p="md">
          <Stack gap="sm" maw={560}>
            <TextInput label={t.templates.name} required {...form.text(isSnippet ? 'title' : 'name')} />
            {isSnippet ? (
              <TextInput
                label={t.pieces.key}
                description={t.pieces.keyHint(form.values.name || keyHintOf(form.values.title))}
                placeholder={keyHintOf(form.values.title)}
                size="xs"
                {...form.text('name')}
              />
            ) : null}
            <Textarea label={t.templates.description} autosize minRows={1} {...form.text('description')} />
          </Stack>
        </Paper>
        {piece ? <Usage noun={noun} id={piece.id} /> : null}
      </SimpleGrid>
      <Paper withBorder p="xs">
        <MailEditor
          key={form.takenOf('body')}
          kind={kind}
          label={t.templates.body}
          subject=""
          preheader=""
          body={form.values.body}
          design={form.values.design}
          source={null}
          onChange={({ body, design }) => form.setAll({ body, design })}
        />
        {form.errorOf('body') === undefined ? null : (
          <Text c="red" size="sm" role="alert">
            {form.errorOf('body')}
          </Text>
        )}
      </Paper>
    </FormBox>
  )
}

/** Fields that are one thing: the piece, and what it was drawn as. */
const TOGETHER = [['body', 'design']] as const

interface PieceValues {
  /** Of a snippet: what people call it. */
  readonly title: string
  /** Of a snippet: what bodies render it by. */
  readonly name: string
  readonly description: string
  readonly body: string
  readonly design: Design | null
}

function seenOf({ name, title = name, description = '', body, design, version }: Piece): Seen<PieceValues> {
  return { values: { name, title, description, body, design: designOf(design) ?? null }, version }
}

function requestOf({ title, name, description, body, design }: PieceValues, isSnippet: boolean): PieceInput {
  const common = { description: description || null, body, design }
  return isSnippet ? { ...common, title: title.trim(), name: name || keyOf(title) } : { ...common, name }
}

/** The name in bodies that is to be, once there is something to make it of. */
const keyHintOf = (title: string) => (title.trim() === '' ? '…' : keyOf(title))

const USERS = ['templates', 'campaigns', 'workflows', 'snippets', 'layouts'] as const

function namesOf(t: Texts) {
  return {
    templates: t.templates.title,
    campaigns: t.shell.pages.campaigns,
    workflows: t.shell.pages.workflows,
    snippets: t.pieces.snippets.title,
    layouts: t.pieces.layouts.title,
  }
}

function useUsage(noun: Noun, id: string) {
  return useAsk([noun, id, 'usage'], (api, signal) => PIECES[noun].usage(api, id, signal))
}

/** The users that a change touches, before it is saved. */
function Touched({ noun, id }: { readonly noun: Noun; readonly id: string }) {
  const t = useTexts()
  const { data } = useUsage(noun, id)
  if (data === undefined) return null
  const touched = USERS.flatMap((kind) => {
    const { length } = data[kind]
    return length === 0 ? [] : [`${namesOf(t)[kind]} (${length})`]
  })
  return (
    <Text size="sm" c="dimmed">
      {touched.length === 0 ? t.templates.unused : t.pieces.touches(touched.join(', '))}
    </Text>
  )
}

function Usage({ noun, id }: { readonly noun: Noun; readonly id: string }) {
  const t = useTexts()
  const project = useProject()
  const usage = useUsage(noun, id)
  const nameOf = namesOf(t)
  const hrefOf = (kind: (typeof USERS)[number], user: string) => {
    if (kind === 'snippets' || kind === 'layouts') return toProject(project.id, `/templates/${kind}/${user}`)
    return toProject(project.id, `/${kind}/${user}`)
  }
  return (
    <Answer of={usage}>
      {(uses) => (
        <Paper withBorder p="md" component="section" aria-label={t.templates.usage}>
          <Stack gap={4} mah={220} style={{ overflowY: 'auto' }}>
            <Text fw={600}>{t.templates.usage}</Text>
            {USERS.every((kind) => uses[kind].length === 0) ? (
              <Text size="sm">{t.templates.unused}</Text>
            ) : (
              <Text size="xs" c="dimmed">
                {t.pieces[noun].usedHint}
              </Text>
            )}
            {USERS.flatMap((kind) =>
              uses[kind].map((user) => (
                <Link key={`${kind} ${'stepId' in user ? user.stepId : user.id}`} href={hrefOf(kind, user.id)}>
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

function Actions({ noun, piece }: { readonly noun: Noun; readonly piece: Piece }) {
  const { id } = piece
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
    const question = {
      title: words.deleteTitle(calledOf(piece)),
      text: t.templates.deleteHint,
      yes: t.templates.delete,
    }
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
