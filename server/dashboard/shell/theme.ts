import {
  Button,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  parseThemeColor,
} from '@mantine/core'
import { addsOnly, closesFirst, onlyChooses } from './enter.ts'

const teal: MantineColorsTuple = [
  '#e3fafc',
  '#c5f0f5',
  '#99e3ec',
  '#62d2df',
  '#33bccd',
  '#15a3b6',
  '#0f8799',
  '#0b7285',
  '#095c6b',
  '#074a57',
]

/** Calm: one color that means "this way", everything else in greys. System fonts, since nothing is loaded from elsewhere. */
export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: 7,
  colors: { brand: teal },
  autoContrast: true,
  fontFamily: 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { md: '0.9375rem' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: { fontWeight: '650' },
  // with a line as high as its letters, the feet of g and p are cut off in small buttons
  components: {
    Button: Button.extend({ styles: { label: { lineHeight: 1.4 } } }),
    // by name alone: importing them here would load them with every page
    Select: { defaultProps: { selectFirstOptionOnChange: true, onKeyDown: onlyChooses } },
    MultiSelect: { defaultProps: { selectFirstOptionOnChange: true, onKeyDown: onlyChooses } },
    Autocomplete: { defaultProps: { onKeyDown: closesFirst } },
    TagsInput: { defaultProps: { onKeyDown: addsOnly } },
  },
  // words on their light color are readable (WCAG 2.2, 1.4.3), which the default is not for most colors
  variantColorResolver(input) {
    const resolved = defaultVariantColorsResolver(input)
    if (input.variant !== 'light') return resolved
    const { color, isThemeColor } = parseThemeColor({
      color: input.color ?? input.theme.primaryColor,
      theme: input.theme,
    })
    if (!isThemeColor) return resolved
    return {
      ...resolved,
      color: `light-dark(color-mix(in srgb, var(--mantine-color-${color}-9) 72%, black), var(--mantine-color-${color}-2))`,
    }
  },
})
