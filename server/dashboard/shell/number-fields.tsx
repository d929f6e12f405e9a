import { MantineThemeProvider } from '@mantine/core'
import { type ReactNode, useMemo } from 'react'
import { useFormats } from '../parts/formats.ts'

/** Makes all fields for numbers show decimals as the reader writes them: 2437,79 in German. Both signs may be typed. */
export function NumberFields({ children }: { readonly children: ReactNode }) {
  const { decimal } = useFormats()
  const theme = useMemo(
    () => ({ components: { NumberInput: { defaultProps: { decimalSeparator: decimal } } } }),
    [decimal],
  )
  return <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>
}
