import { NumberInput, type NumberInputProps } from '@mantine/core'
import { useState } from 'react'

/** A number to type. While the field is empty it shows nothing and stands for 0, so that what is typed next is not put behind a 0. */
export function AmountInput({
  value,
  onChange,
  ...rest
}: Omit<NumberInputProps, 'value' | 'onChange'> & {
  readonly value: number
  readonly onChange: (value: number) => void
}) {
  const [isEmpty, setEmpty] = useState(false)
  return (
    <NumberInput
      {...rest}
      value={isEmpty && value === 0 ? '' : value}
      onChange={(typed) => {
        setEmpty(typed === '')
        onChange(Number(typed))
      }}
    />
  )
}
