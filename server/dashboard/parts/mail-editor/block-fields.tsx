import {
  ActionIcon,
  Autocomplete,
  Button,
  FileButton,
  Group,
  Image,
  Menu,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconPhoto, IconTrash, IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { widthsOf } from '../../../../core/mail/formats/mail-page.ts'
import { useAsk } from '../../api/ask.ts'
import { useProject } from '../../api/project.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { PanelProps } from './block-panel.tsx'
import type { Chosen, ChosenName } from './change-blocks.ts'
import { QUESTIONS, WIDEST } from './design.ts'
import { usePictures } from './pictures.ts'
import { wholeAddress } from './whole-address.ts'

interface FieldsProps extends Pick<PanelProps, 'variables'> {
  readonly chosen: Chosen
  readonly set: (attrs: Readonly<Record<string, unknown>>) => void
  readonly setColumns: (count: number) => void
}

type Kind =
  | 'text'
  | 'address'
  | 'lines'
  | 'code'
  | 'picture'
  | 'alt'
  | 'side'
  | 'field'
  | 'fallback'
  | 'asks'
  | 'value'
  | 'links'
  | 'snippet'
  | 'given'

/** Which fields a block has, in their order. */
const FIELDS: Readonly<Record<ChosenName, readonly (readonly [attribute: string, kind: Kind | 'width' | 'height'])[]>> =
  {
    button: [
      ['text', 'text'],
      ['href', 'address'],
      ['textAlign', 'side'],
    ],
    picture: [
      ['src', 'picture'],
      ['alt', 'alt'],
      ['href', 'address'],
      ['width', 'width'],
      ['textAlign', 'side'],
    ],
    spacer: [['height', 'height']],
    social: [
      ['links', 'links'],
      ['textAlign', 'side'],
    ],
    card: [
      ['src', 'picture'],
      ['alt', 'alt'],
      ['title', 'text'],
      ['text', 'lines'],
      ['price', 'text'],
      ['button', 'text'],
      ['href', 'address'],
    ],
    postal: [['textAlign', 'side']],
    wayOut: [
      ['text', 'lines'],
      ['link', 'text'],
      ['textAlign', 'side'],
    ],
    snippet: [
      ['name', 'snippet'],
      ['given', 'given'],
    ],
    source: [['html', 'code']],
    columns: [],
    condition: [
      ['field', 'field'],
      ['asks', 'asks'],
      ['value', 'value'],
    ],
    divider: [],
    heading: [],
    variable: [
      ['field', 'field'],
      ['fallback', 'fallback'],
    ],
    liquid: [['source', 'text']],
  }

/** The fields of one block. They begin with what it has, and each change is in the mail at once. */
export function BlockFields({ chosen, set, setColumns, variables }: FieldsProps) {
  const t = useTexts()
  const { name, attrs } = chosen
  if (name === 'columns') {
    return (
      <SegmentedControl
        aria-label={t.editor.columnCount}
        data={['1', '2', '3']}
        value={String(chosen.count)}
        onChange={(count) => setColumns(Number(count))}
      />
    )
  }
  if (name === 'postal') {
    return (
      <Text size="sm" c="dimmed">
        {t.editor.postalHint}
      </Text>
    )
  }
  return FIELDS[name].map(([attribute, kind]) => (
    <Field
      key={attribute}
      kind={kind}
      label={t.editor.attributes[attribute as keyof typeof t.editor.attributes]}
      value={attrs[attribute]}
      onChange={(value) => set({ [attribute]: value })}
      attrs={attrs}
      setAll={set}
      variables={variables}
    />
  ))
}

interface FieldProps extends Pick<PanelProps, 'variables'> {
  readonly kind: Kind | 'width' | 'height'
  readonly label: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly attrs: Readonly<Record<string, unknown>>
  readonly setAll: (attrs: Readonly<Record<string, unknown>>) => void
}

function Field({ kind, label, value, onChange, attrs, setAll, variables }: FieldProps) {
  const t = useTexts()
  const text = typeof value === 'string' ? value : ''
  const typed = {
    label,
    value: text,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange(currentTarget.value),
  }
  switch (kind) {
    case 'address':
      return <AddressField label={label} placeholder={t.editor.addressHint} value={text} onChange={onChange} />
    case 'lines':
      return <Textarea autosize minRows={2} {...typed} />
    case 'code':
      return <Textarea autosize minRows={6} maxRows={24} styles={{ input: { fontFamily: 'monospace' } }} {...typed} />
    case 'alt':
      return (
        <TextInput {...typed} description={t.editor.altHint} error={isMissing(attrs) ? t.editor.altMissing : null} />
      )
    case 'picture':
      return <PictureField label={label} src={text} setAll={setAll} />
    case 'side':
      return (
        <SegmentedControl
          aria-label={label}
          data={(['left', 'center', 'right'] as const).map((side) => ({ value: side, label: t.editor[side] }))}
          value={text || 'left'}
          onChange={onChange}
        />
      )
    case 'width':
      return <WidthField label={label} value={value} onChange={onChange} />
    case 'height':
      return <PixelsField label={label} least={4} most={200} value={value} onChange={onChange} />
    case 'field':
      return <Autocomplete label={label} data={variables.map(({ name }) => name)} value={text} onChange={onChange} />
    case 'fallback': {
      const lacking = variables.find(({ name }) => name === attrs.field)?.detail
      const isSure = lacking === undefined || lacking === '100 %'
      return <TextInput {...typed} description={isSure ? t.editor.fallbackHint : t.editor.fallbackNeeded(lacking)} />
    }
    case 'asks':
      return (
        <Select
          label={label}
          data={QUESTIONS.map((question) => ({ value: question, label: t.editor.questions[question] }))}
          allowDeselect={false}
          value={text}
          onChange={onChange}
        />
      )
    case 'value':
      return attrs.asks === 'is' || attrs.asks === 'isNot' ? <TextInput {...typed} /> : null
    case 'snippet':
      return <SnippetField label={label} name={text} onChange={onChange} />
    case 'given':
      return <TextInput {...typed} description={t.editor.givenHint} placeholder="title: firstName" />
    case 'links':
      return <LinksField links={Array.isArray(value) ? value : []} onChange={onChange} />
    default:
      return <TextInput {...typed} />
  }
}

/** Where something leads. An address that was typed without its `https://` gets it when the field is left. */
function AddressField({
  value,
  onChange,
  ...named
}: {
  readonly label?: string
  readonly 'aria-label'?: string
  readonly placeholder: string
  readonly value: string
  readonly onChange: (address: string) => void
}) {
  return (
    <TextInput
      {...named}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onBlur={() => {
        const whole = wholeAddress(value)
        if (whole !== value) onChange(whole)
      }}
    />
  )
}

interface NumberProps {
  readonly label: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** How wide a picture is, which is never wider than the mail. */
function WidthField(props: NumberProps) {
  const { inner } = widthsOf(useProject().look ?? {})
  return <PixelsField {...props} least={16} most={inner} />
}

/** A number of pixels. The mail keeps its own until there is one: a 0 would stand before what is typed next. */
function PixelsField({
  label,
  least,
  most,
  value,
  onChange,
}: NumberProps & { readonly least: number; readonly most: number }) {
  const [isEmpty, setEmpty] = useState(false)
  return (
    <NumberInput
      label={label}
      min={least}
      max={most}
      suffix=" px"
      value={isEmpty ? '' : Math.min(Number(value), most)}
      onChange={(typed) => {
        setEmpty(typed === '')
        if (typed !== '') onChange(typed)
      }}
      onBlur={() => setEmpty(false)}
    />
  )
}

const isMissing = ({ src, alt }: Readonly<Record<string, unknown>>) => src !== '' && alt === ''

/** A picture: uploaded, from the gallery, or anywhere else by its address. */
function PictureField({
  label,
  src,
  setAll,
}: {
  readonly label: string
  readonly src: string
  readonly setAll: FieldProps['setAll']
}) {
  const t = useTexts()
  const upload = usePictures()
  const gallery = useAsk(['uploads', 'newest'], (api, signal) =>
    api.GET('/uploads', { params: { query: { limit: 12 } }, signal }),
  )
  const take = ({ url, width }: { readonly url: string; readonly width: number }) =>
    setAll({ src: url, width: Math.min(width, WIDEST) })
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <FileButton
          accept="image/png,image/jpeg,image/gif,image/webp"
          onChange={(file) => file && void upload(file).then((found) => found && take(found))}
        >
          {(props) => (
            <Button size="xs" leftSection={<IconUpload size={14} />} {...props}>
              {t.editor.upload}
            </Button>
          )}
        </FileButton>
        <Menu>
          <Menu.Target>
            <Button size="xs" variant="default" leftSection={<IconPhoto size={14} />}>
              {t.editor.gallery}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {(gallery.data?.data ?? []).map((picture) => (
              <Menu.Item
                key={picture.id}
                leftSection={<Image src={picture.url} alt="" w={32} h={24} fit="cover" />}
                onClick={() => take(picture)}
              >
                {picture.name ?? t.uploads.unnamed}
              </Menu.Item>
            ))}
            {gallery.data?.data.length === 0 ? <Menu.Label>{t.uploads.empty}</Menu.Label> : null}
          </Menu.Dropdown>
        </Menu>
      </Group>
      <TextInput
        label={label}
        type="url"
        value={src}
        onChange={({ currentTarget }) => setAll({ src: currentTarget.value })}
      />
    </Stack>
  )
}

/** Chooses one of the project's snippets. One that is gone stays named, so that it can be seen. */
function SnippetField({
  label,
  name,
  onChange,
}: {
  readonly label: string
  readonly name: string
  readonly onChange: (name: string) => void
}) {
  const t = useTexts()
  const snippets = useAsk(['snippets', 'choice'], (api, signal) =>
    api.GET('/snippets', { params: { query: { limit: 100 } }, signal }),
  )
  const names = new Set((snippets.data?.data ?? []).map(({ name: each }) => each))
  if (name !== '') names.add(name)
  if (snippets.data && names.size === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t.editor.noSnippets}
      </Text>
    )
  }
  return (
    <Select
      label={label}
      data={[...names].sort()}
      value={name === '' ? null : name}
      onChange={(chosen) => onChange(chosen ?? '')}
      searchable
      allowDeselect={false}
      nothingFoundMessage={t.anywhere.nothingFound}
    />
  )
}

interface SocialLink {
  readonly name: string
  readonly url: string
}

function LinksField({
  links,
  onChange,
}: {
  readonly links: readonly SocialLink[]
  readonly onChange: (links: readonly SocialLink[]) => void
}) {
  const t = useTexts()
  const change = (at: number, part: Partial<SocialLink>) =>
    onChange(links.map((link, index) => (index === at ? { ...link, ...part } : link)))
  return (
    <Stack gap="xs">
      {links.map(({ name, url }, at) => (
        <Group key={at} gap={4} wrap="nowrap">
          <TextInput
            aria-label={t.editor.linkName}
            placeholder={t.editor.linkName}
            value={name}
            onChange={({ currentTarget }) => change(at, { name: currentTarget.value })}
          />
          <AddressField
            aria-label={t.editor.address}
            placeholder={t.editor.addressHint}
            value={url}
            onChange={(whole) => change(at, { url: whole })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.anywhere.delete}
            onClick={() => onChange(links.filter((_, index) => index !== at))}
          >
            <IconTrash size={14} />
          </ActionIcon>
        </Group>
      ))}
      <Button size="xs" variant="default" onClick={() => onChange([...links, { name: '', url: '' }])}>
        {t.editor.addLink}
      </Button>
    </Stack>
  )
}
