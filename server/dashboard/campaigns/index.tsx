import { Route, Switch } from 'wouter'
import { OnlyFor } from '../parts/only-for.tsx'
import { CampaignList } from './campaign-list.tsx'
import { CampaignPage } from './campaign-page.tsx'
import { NewCampaign } from './new-campaign.tsx'
import { NewSeries } from './new-series.tsx'
import { SeriesList } from './series-list.tsx'
import { SeriesPage } from './series-page.tsx'

/** Campaigns: one mail to many. */
export default function Campaigns() {
  return (
    <Switch>
      <Route path="/">
        <CampaignList />
      </Route>
      <Route path="/new">
        <OnlyFor area="campaigns">
          <NewCampaign />
        </OnlyFor>
      </Route>
      <Route path="/series">
        <SeriesList />
      </Route>
      <Route path="/series/new">
        <OnlyFor area="campaigns">
          <NewSeries />
        </OnlyFor>
      </Route>
      <Route path="/series/:id">{({ id }) => <SeriesPage key={id} id={id} />}</Route>
      <Route path="/:id">{({ id }) => <CampaignPage key={id} id={id} />}</Route>
    </Switch>
  )
}
