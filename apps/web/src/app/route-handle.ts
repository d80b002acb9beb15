import type { WebRoute } from '@thingwright/contracts/web-routes'

/** What a route carries for the layout. */
export interface RouteHandle {
  route: WebRoute
}
