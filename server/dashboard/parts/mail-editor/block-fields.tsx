import { Autocomplete, NumberInput, SegmentedControl, Select, Text, Textarea, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { widthsOf } from '../../../../core/mail/formats/mail-page.ts'
import { useAsk } from '../../api/ask.ts'
import { useProject } from '../../api/project.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { useFormats } from '../formats.ts'
import type { Variable } from '../variables.ts'
import type { Chosen, ChosenName } from './change-blocks.ts'
import { QUESTIONS, WIDEST } from './design.ts'
import { FieldName } from './field-name.tsx'
import { AddressField, LinksField } from './link-fields.tsx'
import { PictureField } from './picture-field.tsx'
import { sizeOf } from './picture-sizes.ts'

export interface BlockFieldsProps {
  readonly variables: readonly Variable[]
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
      ['width', 'width'],
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
    mailContent: [],
    heading: [],
    variable: [
      ['field', 'field'],
      ['fallback', 'fallback'],
    ],
    liquid: [['source', 'text']],
  }

/** The fields of one block. They begin with what it has, and each change is in the mail at once. */
export function BlockFields({ chosen, set, setColumns, variables }: BlockFieldsProps) {
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
  if (name === 'postal' || name === 'mailContent') {
    return (
      <Text size="sm" c="dimmed">
        {name === 'postal' ? t.editor.postalHint : t.editor.mailContentHint}
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

interface FieldProps extends Pick<BlockFieldsProps, 'variables'> {
  readonly kind: Kind | 'width' | 'height'
  readonly label: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly attrs: Readonly<Record<string, unknown>>
  readonly setAll: (attrs: Readonly<Record<string, unknown>>) => void
}

function Field({ kind, label, value, onChange, attrs, setAll, variables }: FieldProps) {
  const t = useTexts()
  const formats = useFormats()
  const text = typeof value === 'string' ? value : ''
  const address = useRef('')
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
      return (
        <PictureField
          label={label}
          src={text}
          take={({ url, width }) => setAll({ src: url, width: Math.min(width, WIDEST) })}
          write={(src) => {
            setAll({ src })
            address.current = src
            // its own width, known only once it is loaded: an address alone does not tell
            setTimeout(async () => {
              const size = address.current === src ? await sizeOf(src) : undefined
              if (size && address.current === src) setAll({ width: Math.min(size.width, WIDEST) })
            }, 400)
          }}
        />
      )
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
      return <FieldChoice label={label} value={text} onChange={onChange} variables={variables} />
    case 'fallback': {
      const lacking = variables.find(({ name }) => name === attrs.field)?.coverage
      const isSure = lacking === undefined || lacking === 100
      return (
        <TextInput
          {...typed}
          description={isSure ? t.editor.fallbackHint : t.editor.fallbackNeeded(formats.percent(lacking))}
        />
      )
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
      return <LinksField links={Array.isArray(value) ? value : []} onChange={onChange} hint={t.editor.linksHint} />
    default:
      return <TextInput {...typed} />
  }
}

/** Chooses a field by its name or by what people call it; one that no contact has yet can be typed. */
function FieldChoice({
  label,
  value,
  onChange,
  variables,
}: Pick<FieldProps, 'label' | 'onChange' | 'variables'> & { readonly value: string }) {
  const labels = new Map(variables.map(({ name, label: called }) => [name, called]))
  return (
    <Autocomplete
      label={label}
      description={labels.get(value)}
      data={[...labels.keys()]}
      value={value}
      onChange={onChange}
      renderOption={({ option: { value: name } }) => (
        <div>
          <FieldName name={name} label={labels.get(name) ?? name} />
        </div>
      )}
      filter={({ options, search }) =>
        options.filter((option) => {
          const name = 'value' in option ? option.value : ''
          return `${name} ${labels.get(name)}`.toLowerCase().includes(search.trim().toLowerCase())
        })
      }
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
  const names = new Map((snippets.data?.data ?? []).map(({ name: each, title = each }) => [each, title]))
  if (name !== '' && !names.has(name)) names.set(name, name)
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
      data={[...names]
        .map(([value, title]) => ({ value, label: title }))
        .sort((a, b) => a.label.localeCompare(b.label))}
      value={name === '' ? null : name}
      onChange={(chosen) => onChange(chosen ?? '')}
      searchable
      allowDeselect={false}
      nothingFoundMessage={t.anywhere.nothingFound}
    />
  )
}
