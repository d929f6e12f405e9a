import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useFirstTexts } from '../texts/texts.tsx'

/** A field for a password, with a button in the reader's language that makes it readable. */
export function PasswordField(props: PasswordInputProps) {
  const t = useFirstTexts()
  return <PasswordInput visibilityToggleButtonProps={{ 'aria-label': t.anywhere.showPassword }} {...props} />
}
