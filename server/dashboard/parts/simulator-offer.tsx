import { Anchor, Text } from '@mantine/core'
import { Fragment } from 'react'
import { useTexts } from '../texts/texts.tsx'

/** The addresses that show most of what may come back: docs/simulator.md has all. */
const OFFERED = ['bounce', 'complaint', 'reply'] as const

/** Offers addresses that send nothing out, and let come back what becomes of mails. */
export function SimulatorOffer({ onChoose }: { readonly onChoose: (address: string) => void }) {
  const t = useTexts()
  return (
    <Text size="xs" c="dimmed" mt={4}>
      {t.preview.simulator}{' '}
      {OFFERED.map((name, i) => (
        <Fragment key={name}>
          {i === 0 ? '' : ', '}
          <Anchor
            component="button"
            type="button"
            size="xs"
            underline="always"
            // another one each time: who bounced or complained once is suppressed
            onClick={() => onChoose(`${name}+${Date.now().toString(36)}@simulator.localhost`)}
          >
            {t.preview.simulated[name]}
          </Anchor>
        </Fragment>
      ))}
    </Text>
  )
}
