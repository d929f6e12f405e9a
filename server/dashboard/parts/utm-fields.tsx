import { TextInput } from '@mantine/core'
import { useTexts } from '../texts/texts.tsx'

const UTM = ['source', 'medium', 'campaign', 'content', 'term'] as const
export type Utm = { readonly [Name in (typeof UTM)[number]]?: string | undefined }

/** The parameters of links, each with its name in an address. */
export function UtmFields({
  value,
  onChange,
  errorOf,
  readOnly,
  name,
}: {
  readonly value: Utm
  readonly onChange: (utm: Utm) => void
  readonly errorOf: (name: string) => string | undefined
  readonly readOnly: boolean
  /** The value of `utm_campaign` where none is given. */
  readonly name: string
}) {
  const t = useTexts()
  return UTM.map((each) => (
    <TextInput
      key={each}
      label={`${t.campaigns.utmNames[each]} (utm_${each})`}
      description={t.campaigns.utmHints[each]}
      maxLength={200}
      readOnly={readOnly}
      placeholder={each === 'campaign' ? name : undefined}
      value={value[each] ?? ''}
      onChange={({ currentTarget }) => {
        const { [each]: _, ...others } = value
        onChange(currentTarget.value === '' ? others : { ...others, [each]: currentTarget.value })
      }}
      error={errorOf(`utm.${each}`)}
    />
  ))
}
