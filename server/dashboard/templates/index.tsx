import { Route, Switch } from 'wouter'
import { OnlyFor } from '../parts/only-for.tsx'
import { NewTemplate } from './new-template.tsx'
import { PieceList } from './piece-list.tsx'
import { NewPiece, PiecePage } from './piece-page.tsx'
import type { Noun } from './pieces.ts'
import { TemplateList } from './template-list.tsx'
import { TemplatePage } from './template-page.tsx'

const NOUNS: readonly Noun[] = ['snippets', 'layouts']

/** Mails that are used again, and what they are made from. */
export default function Templates() {
  return (
    <Switch>
      <Route path="/">
        <TemplateList />
      </Route>
      <Route path="/new">
        <OnlyFor area="templates">
          <NewTemplate />
        </OnlyFor>
      </Route>
      {NOUNS.flatMap((noun) => [
        <Route key={noun} path={`/${noun}`}>
          <PieceList noun={noun} />
        </Route>,
        <Route key={`${noun} new`} path={`/${noun}/new`}>
          <OnlyFor area="templates">
            <NewPiece noun={noun} />
          </OnlyFor>
        </Route>,
        <Route key={`${noun} one`} path={`/${noun}/:id`}>
          {({ id }) => <PiecePage key={id} noun={noun} id={id} />}
        </Route>,
      ])}
      <Route path="/:id">{({ id }) => <TemplatePage key={id} id={id} />}</Route>
    </Switch>
  )
}
