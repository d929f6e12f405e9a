import { Badge, Text } from '@mantine/core'
import { useTexts } from '../texts/texts.tsx'
import { type Branching, branchingsOf, branchName, stepName } from './graph.ts'
import { AddButton, StepCard, useShown } from './step-card.tsx'
import classes from './workflows.module.css'

/** The steps from the start on, each with what follows on its branches: what the graph shows, for small screens. */
export function StepList() {
  const { workflow } = useShown()
  return (
    <ol className={classes.steps}>
      {branchingsOf(workflow).map((branching) => (
        <Chain key={branching.step.id} of={branching} />
      ))}
    </ol>
  )
}

function Chain({ of: { step, ways } }: { readonly of: Branching }) {
  const t = useTexts()
  const [only] = ways
  return (
    <>
      <li>
        <StepCard step={step} />
      </li>
      {only && only.outlet.branch === undefined ? (
        <Follows step={step} way={only} />
      ) : (
        ways.map((way) => (
          <li key={way.outlet.branch} className={classes.branch}>
            <Badge variant="light" tt="none" mb={6}>
              {branchName(way.outlet, step.type, t)}
            </Badge>
            <ol className={classes.steps}>
              <Follows step={step} way={way} />
            </ol>
          </li>
        ))
      )}
    </>
  )
}

/** The steps that follow on one way out, below the place where one can be put between. */
function Follows({
  step,
  way: { outlet, next, back },
}: {
  readonly step: Branching['step']
  readonly way: Branching['ways'][number]
}) {
  const t = useTexts()
  const { workflow, add } = useShown()
  return (
    <>
      {add === undefined ? null : (
        <li>
          <AddButton step={step} outlet={outlet} />
        </li>
      )}
      {next ? <Chain of={next} /> : null}
      {back ? (
        <li>
          <Text size="sm" c="dimmed">
            {t.workflows.goesOnAt(stepName(back, workflow, t))}
          </Text>
        </li>
      ) : null}
    </>
  )
}
