import type { PortalImage } from '@thingwright/contracts/apps.words'
import type { WebAppView } from '@thingwright/contracts/web-apps.contract'

/** The address of an image of a portal that is shown; while it is switched off nobody gets its images. */
export function imageOf(app: WebAppView, kind: PortalImage): string | null {
  return app.images.includes(kind) ? `/api/v1/public/portals/${app.suffix}/images/${kind}?v=${app.version}` : null
}
