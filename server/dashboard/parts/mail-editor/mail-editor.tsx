import { Alert, Button, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { isMailPage, POSTAL_PLACE } from '../../../../core/mail/formats/mail-page.ts'
import { later } from '../../api/later.ts'
import { useMay, useProject } from '../../api/project.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { useConfirm } from '../confirm.tsx'
import { MailPreview, usePreviewedContact } from '../mail-preview.tsx'
import { SourceEditor } from '../source-editor.tsx'
import { useVariables } from '../variables.ts'
import { composeAs, type DrawnKind } from './compose.ts'
import { type Design, designOf } from './design.ts'
import { FormatChoice } from './format-choice.tsx'
import { shownAs, withPlace } from './place.ts'
import type { MailSource, WrittenMail } from './written.ts'

const Blocks = later(() => import('./block-editor-view.tsx'))

export interface MailEditorProps {
  readonly label: string
  /** Controls above the mail, beside the choice between writing and preview. */
  readonly head?: ReactNode
  /** The lines that the preview shows above the mail. */
  readonly subject: string
  readonly preheader: string
  readonly body: string
  /** The layout that the preview shows around it; empty for none. */
  readonly layoutId?: string
  /** As it is stored: a body without a design of ours is source. */
  readonly design: unknown
  /** The format it was written in, when that is not plain HTML. */
  readonly source: MailSource | null
  readonly onChange: (mail: WrittenMail) => void
  /** True for a draft, which takes the project's look as it is now without a question. Default false. */
  readonly follows?: boolean
  /** The kind of what is written. Default: a whole mail. */
  readonly kind?: DrawnKind
}

/**
 * Writes the body of a mail: drawn, when it was made so, else as source. Source becomes blocks only when its author asks
 * for it and has seen what would be lost; a body that is not touched stays unchanged, byte by byte.
 */
export function MailEditor({
  label,
  head,
  subject,
  preheader,
  body,
  layoutId,
  design: stored,
  source,
  onChange,
  follows = false,
  kind = 'mail',
}: MailEditorProps) {
  const t = useTexts()
  const project = useProject()
  const may = useMay()
  const confirm = useConfirm()
  const [isPlaceless, setPlaceless] = useState(false)
  const variables = useVariables()
  const contact = usePreviewedContact()
  const design = source === null ? designOf(stored) : undefined
  // a mail that is HTML opens as the mail it makes, and shows its HTML when asked
  const [isPreview, setPreview] = useState(design === undefined)
  // what was drawn, while nothing of its HTML is changed: so it comes back as it was, with its history
  const last = useRef<{ readonly design: Design; readonly body: string } | undefined>(undefined)
  if (design !== undefined) last.current = { design, body }
  const drawing = design ?? (source === null && last.current?.body === body ? last.current.design : undefined)
  const made = (drawn: Design) => composeAs(kind, drawn, project)
  const draw = (drawn: Design) => onChange({ design: drawn, body: made(drawn), source: null })
  const toBlocks = async () => {
    if (drawing !== undefined) {
      draw(drawing)
      return setPreview(false)
    }
    const [{ convert }, { sizesIn }] = await Promise.all([import('./convert.ts'), import('./picture-sizes.ts')])
    const { design: converted, lost } = convert(body, await sizesIn(body))
    const drawn = kind === 'layout' ? withPlace(converted) : converted
    if (drawn === undefined) return setPlaceless(true)
    const said = lost.length === 0 ? t.editor.nothingLost : t.editor.lost(lost.map((each) => t.editor.losses[each]))
    if (!(await confirm({ title: t.editor.toBlocks, text: said, yes: t.editor.convert, grave: lost.length > 0 })))
      return
    draw(drawn)
    setPreview(false)
  }
  const toSource = async () => {
    const question = { title: t.editor.toSource, text: t.editor.toSourceHint, yes: t.editor.toSource }
    // its blocks are lost
    if (await confirm({ ...question, grave: true })) {
      onChange({ body, design: null, source: null })
    }
  }
  // text in another format stays when the format changes: what is made of it is no text to go on with
  const text = source?.text ?? body
  const write = (written: string) =>
    onChange({ body: source === null ? written : body, design: null, source: source && { ...source, text: written } })
  const reformat = (chosen: MailSource | null) =>
    onChange({ body: chosen === null ? text : body, design: null, source: chosen })
  const preview = (
    <MailPreview
      subject={subject}
      preheader={preheader}
      body={shownAs(kind, { body, design, project, sample: t.pieces.layouts.sample })}
      source={source}
      layoutId={layoutId}
      contact={contact}
    />
  )
  if (!may.templates) {
    return (
      <Stack gap="xs">
        {head}
        {preview}
      </Stack>
    )
  }
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs" align="flex-start">
        {head}
        <SegmentedControl
          aria-label={label}
          value={isPreview ? 'preview' : 'write'}
          onChange={(shown) => setPreview(shown === 'preview')}
          data={[
            {
              value: 'write',
              label: design === undefined ? t.editor.formats[source?.format ?? 'HTML'] : t.editor.write,
            },
            { value: 'preview', label: t.editor.preview },
          ]}
        />
        {source === null ? (
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            mt={3}
            onClick={() => void (design ? toSource() : toBlocks())}
          >
            {design === undefined ? t.editor.toBlocks : t.editor.toSource}
          </Button>
        ) : null}
      </Group>
      {design === undefined ? null : (
        <EarlierLook design={design} body={body} made={made} renew={draw} follows={follows} />
      )}
      {isPlaceless && design === undefined ? (
        <Alert color="yellow" variant="light" role="alert" py={6}>
          {t.editor.noPlace}
        </Alert>
      ) : null}
      {isPreview ? preview : null}
      {design === undefined && !isPreview ? (
        <>
          {kind === 'mail' ? <FormatChoice source={source} text={text} onChange={reformat} /> : null}
          <SourceEditor label={label} value={text} onChange={write} variables={variables} />
        </>
      ) : null}
      {drawing === undefined ? null : (
        // it stays while the preview or its HTML is shown: what was done can be undone after it, too
        <div hidden={isPreview || design === undefined}>
          <Suspense fallback={<Skeleton height={520} />}>
            <Blocks
              label={label}
              design={drawing}
              look={project.look ?? {}}
              variables={variables}
              kind={kind}
              contact={contact}
              onChange={draw}
            />
          </Suspense>
          <Text size="xs" c="dimmed">
            {t.editor.dropHint}
          </Text>
        </div>
      )}
    </Stack>
  )
}

/** Notes where a drawn mail would come out otherwise today, since the project's look has changed, and takes the new one. */
function EarlierLook({
  design,
  body,
  made,
  renew,
  follows,
}: {
  readonly design: Design
  readonly body: string
  readonly made: (design: Design) => string
  readonly renew: (design: Design) => void
  readonly follows: boolean
}) {
  const t = useTexts()
  const now = made(design)
  const isCurrent = now === body
  // a body that another program wrote beside its design stays until it is asked for
  const isFollowed = follows && !isCurrent && isMailPage(body)
  useEffect(() => {
    if (isFollowed) renew(design)
  })
  if (isCurrent || isFollowed) return null
  // mails that were drawn before the address was filled in on the way out have the one of their day, or none
  const isPlaceless = now.includes(POSTAL_PLACE) && !body.includes(POSTAL_PLACE)
  return (
    <Alert variant="light" py={6}>
      <Group gap="xs">
        <Text size="sm">{isPlaceless ? t.editor.earlierAddress : t.editor.earlierLook}</Text>
        <Button size="xs" variant="default" onClick={() => renew(design)}>
          {isPlaceless ? t.editor.newAddress : t.editor.newLook}
        </Button>
      </Group>
    </Alert>
  )
}
