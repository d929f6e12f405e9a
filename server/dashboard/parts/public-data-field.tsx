import { Select } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Project } from '../api/project.tsx'
import { useTexts } from '../texts/texts.tsx'

type PublicData = Project['publicData']

interface PublicDataFieldProps {
  readonly value: PublicData
  readonly onChange: (value: PublicData) => void
  readonly readOnly?: boolean
  readonly error?: ReactNode
}

/** Asks what public keys may do to the data of known contacts. */
export function PublicDataField({ value, onChange, readOnly = false, error }: PublicDataFieldProps) {
  const t = useTexts()
  return (
    <Select
      label={t.settings.publicData}
      description={t.settings.publicDataHint}
      data={(['all', 'new', 'none'] as const).map((each) => ({ value: each, label: t.settings.publicDatas[each] }))}
      allowDeselect={false}
      disabled={readOnly}
      value={value}
      onChange={(chosen) => chosen && onChange(chosen as PublicData)}
      error={error}
    />
  )
}
