import { Select, TextInput } from '@mantine/core'
import { useTexts } from '../texts/texts.tsx'
import { useFormats } from './formats.ts'
import { PAIR_KINDS, type Pair } from './pairs.ts'
import { Rows } from './rows.tsx'

const BLANK: Pair = { name: '', kind: 'text', value: '' }

/** Fields and their values, one in a row; of a field that takes texts alone nothing but a text is offered. */
export function PairsInput({
  label,
  description,
  value,
  onChange,
  onlyTexts = false,
  readOnly = false,
  error,
  errorOf,
}: {
  readonly label: string
  readonly description: string
  readonly value: readonly Pair[]
  readonly onChange: (pairs: readonly Pair[]) => void
  readonly onlyTexts?: boolean
  readonly readOnly?: boolean
  readonly error?: string | undefined
  /** The problem with the field of this name, which stands in its row. */
  readonly errorOf?: (name: string) => string | undefined
}) {
  const t = useTexts()
  const words = t.anywhere.pairs
  const { decimal } = useFormats()
  const kinds = PAIR_KINDS.map((kind) => ({ value: kind, label: words.kinds[kind] }))
  const wrong = value.map(({ name }) => (name.trim() === '' ? undefined : errorOf?.(name.trim())))
  return (
    <Rows
      label={label}
      hint={description}
      rows={value}
      blank={BLANK}
      add={words.add}
      remove={words.remove}
      error={wrong.some(Boolean) ? undefined : error}
      readOnly={readOnly}
      onChange={onChange}
    >
      {({ name, kind, value: typed }, at, put) => (
        <>
          <TextInput
            aria-label={words.name(at + 1)}
            placeholder={words.nameHint}
            flex={1}
            value={name}
            onChange={({ currentTarget }) => put({ name: currentTarget.value })}
            error={wrong[at]}
          />
          {onlyTexts ? null : (
            <Select
              aria-label={words.kind(at + 1)}
              w={110}
              data={kinds}
              allowDeselect={false}
              value={kind}
              onChange={(chosen) => chosen && put({ kind: chosen as Pair['kind'] })}
            />
          )}
          {kind === 'text' || kind === 'number' || kind === 'json' ? (
            <TextInput
              aria-label={words.value(at + 1)}
              placeholder={words.valueHint}
              flex={1}
              value={kind === 'number' ? typed.replace('.', decimal) : typed}
              onChange={({ currentTarget }) => put({ value: currentTarget.value })}
            />
          ) : null}
        </>
      )}
    </Rows>
  )
}
