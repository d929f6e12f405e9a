import { Button, FileButton, Group, Textarea, TextInput } from '@mantine/core'
import { IconPaperclip } from '@tabler/icons-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useAct } from '../api/ask.ts'
import { answerOf, type components } from '../api/client.ts'
import { useApi } from '../api/project.tsx'
import { base64Of } from '../parts/base64-of.ts'
import { useConfirm } from '../parts/confirm.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useTexts } from '../texts/texts.tsx'
import { textOf } from './body-text.ts'
import { FileDrop } from './file-drop.tsx'
import { DraftFiles } from './files.tsx'
import { SavedAnswers } from './saved-answers.tsx'

type Draft = components['schemas']['InboxDraft']

/** For how long a mail can be taken back, in seconds. */
const UNDO_SECONDS = 10
const CHANGES = ['threads', 'drafts', 'emails', 'inboxes'] as const

/** Writes a new mail, or goes on with a draft, and sends it. */
export function DraftForm({
  inboxId,
  draft,
  onDone,
}: {
  readonly inboxId: string
  readonly draft?: Draft
  /** Gets the thread that the mail is in; undefined when none was sent. */
  readonly onDone: (threadId?: string) => void
}) {
  const t = useTexts()
  const api = useApi()
  const confirm = useConfirm()
  const stored = useRef(draft)
  const [shown, setShown] = useState(draft)
  const keep = (kept: Draft) => {
    stored.current = kept
    setShown(kept)
  }
  const form = useForm({
    initial: {
      to: line(draft?.to ?? []),
      cc: line(draft?.cc ?? []),
      subject: draft?.subject ?? '',
      text: draft === undefined ? '' : textOf(draft.body),
    },
    save: ({ to, cc, subject, text }) =>
      store(api, inboxId, stored.current, { to: listed(to), cc: listed(cc), subject, body: htmlOf(text) }),
    changes: ['drafts'],
    onSaved: keep,
  })
  const send = useAct(
    (calling, { id, version, allowEmpty }: Pick<Draft, 'id' | 'version'> & { readonly allowEmpty: boolean }) =>
      calling.POST('/drafts/{id}/send', {
        params: { path: { id } },
        body: { version, undoSeconds: UNDO_SECONDS, allowEmpty },
      }),
    {
      changes: CHANGES,
      done: ({ status }) => t.inboxes.draftStatus[status],
      undo: ({ id, status }) =>
        status === 'sent' ? (undoing) => undoing.POST('/drafts/{id}/undo', { params: { path: { id } } }) : undefined,
      onDone: ({ threadId }) => onDone(threadId ?? undefined),
    },
  )
  const discard = useAct((calling, id: string) => calling.DELETE('/drafts/{id}', { params: { path: { id } } }), {
    changes: CHANGES,
    done: t.inboxes.discarded,
    onDone: () => {
      // what is written after that is another draft
      stored.current = undefined
      setShown(undefined)
      onDone()
    },
  })
  const attach = useAct(
    async (calling, file: File) =>
      calling.POST('/drafts/{id}/attachments', {
        params: { path: { id: stored.current?.id ?? '' } },
        body: {
          filename: file.name.replaceAll(/["']/g, ' '),
          contentType: file.type || 'application/octet-stream',
          content: await base64Of(file),
        },
      }),
    { changes: ['drafts'], onDone: keep },
  )
  const detach = useAct(
    (calling, fileId: string) =>
      calling.DELETE('/drafts/{id}/attachments/{fileId}', {
        params: { path: { id: stored.current?.id ?? '', fileId } },
      }),
    { changes: ['drafts'], onDone: keep },
  )
  /** Files go to a draft that is there. */
  const attachAll = async (files: readonly File[]) => {
    if (files.length === 0 || (stored.current === undefined && !(await form.submit()))) return
    // one after the other: each makes a version of the draft
    for (const file of files) await attach.mutateAsync(file)
  }
  const add = (files: readonly File[]) => {
    // what was refused is shown by `attach`
    attachAll(files).catch(() => {})
  }
  const [isChoosing, setChoosing] = useState(false)
  const written = useRef<HTMLTextAreaElement>(null)
  /** Puts a text where the cursor is, which goes behind it. */
  const insert = (text: string) => {
    const {
      value = form.values.text,
      selectionStart: from = value.length,
      selectionEnd: to = from,
    } = written.current ?? {}
    form.set('text', value.slice(0, from) + text + value.slice(to))
    requestAnimationFrame(() => {
      written.current?.focus()
      written.current?.setSelectionRange(from + text.length, from + text.length)
    })
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== ';' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    setChoosing(true)
  }
  const sendNow = async () => {
    const isEmpty =
      draft?.kind !== 'forward' && (shown?.attachments ?? []).length === 0 && form.values.text.trim() === ''
    const question = { title: t.inboxes.withoutText, text: t.inboxes.nothingWritten, yes: t.inboxes.sendAllTheSame }
    if (isEmpty && !(await confirm(question))) return
    if ((form.isChanged || stored.current === undefined) && !(await form.submit())) return
    if (stored.current !== undefined) send.mutate({ ...stored.current, allowEmpty: isEmpty })
  }
  return (
    <FormBox
      form={form}
      beside={
        stored.current === undefined ? null : (
          <Button
            variant="subtle"
            color="gray"
            loading={discard.isPending}
            onClick={() => {
              if (stored.current !== undefined) discard.mutate(stored.current.id)
            }}
          >
            {t.inboxes.discardDraft}
          </Button>
        )
      }
      actions={
        <>
          <Button type="submit" variant="default" loading={form.isBusy} disabled={!form.isChanged || attach.isPending}>
            {t.inboxes.keepDraft}
          </Button>
          <Button loading={send.isPending} disabled={attach.isPending} onClick={() => void sendNow()}>
            {t.inboxes.send}
          </Button>
        </>
      }
    >
      <TextInput
        label={t.inboxes.to}
        description={t.inboxes.toHint}
        required
        data-autofocus={draft === undefined || undefined}
        {...form.text('to')}
      />
      <TextInput label={t.inboxes.cc} {...form.text('cc')} />
      <TextInput label={t.inboxes.subject} required {...form.text('subject')} />
      <FileDrop onFiles={add}>
        <Textarea
          label={t.inboxes.text}
          autosize
          minRows={8}
          maxRows={24}
          data-autofocus={draft !== undefined || undefined}
          ref={written}
          onKeyDown={pressed}
          {...form.text('text')}
        />
        <Group gap="xs" mt="xs">
          <FileButton<true> multiple onChange={add}>
            {(props) => (
              <Button
                variant="default"
                size="xs"
                leftSection={<IconPaperclip size={14} />}
                loading={attach.isPending}
                {...props}
              >
                {t.inboxes.addFiles}
              </Button>
            )}
          </FileButton>
          <SavedAnswers to={addressIn(form.values.to)} isOpen={isChoosing} onOpen={setChoosing} onChoose={insert} />
          {shown === undefined ? null : <DraftFiles draft={shown} onRemove={(fileId) => detach.mutate(fileId)} />}
        </Group>
      </FileDrop>
    </FormBox>
  )
}

/** The draft as it is typed, stored. */
function store(
  api: ReturnType<typeof useApi>,
  inboxId: string,
  draft: Draft | undefined,
  body: { readonly to: string[]; readonly cc: string[]; readonly subject: string; readonly body: string },
): Promise<Draft> {
  if (draft === undefined) {
    return answerOf(api.POST('/inboxes/{id}/drafts', { params: { path: { id: inboxId } }, body }))
  }
  const change = { ...body, version: draft.version }
  return answerOf(api.PATCH('/drafts/{id}', { params: { path: { id: draft.id } }, body: change }))
}

function line(people: Draft['to']): string {
  return people.map(({ email, name }) => (name ? `${name} <${email}>` : email)).join(', ')
}

/** The addresses of a line; a comma within a name does not divide. */
function listed(text: string): string[] {
  return (text.match(/(?:"[^"]*"|[^,;])+/g) ?? []).map((each) => each.trim()).filter((each) => each !== '')
}

/** The first address of a line, without its name. */
function addressIn(text: string): string | undefined {
  const [first = ''] = listed(text)
  return (/<([^<>]{1,300})>/.exec(first)?.[1] ?? first).trim() || undefined
}

/** The typed text as paragraphs. */
function htmlOf(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return escaped
    .split(/\n{2,}/)
    .map((part) => `<p>${part.replaceAll('\n', '<br>')}</p>`)
    .join('\n')
}
