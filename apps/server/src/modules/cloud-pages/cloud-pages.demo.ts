import type { PageControl } from '@thingwright/contracts/cloud-pages.words'
import { fromTemplate, type TemplateName } from '@thingwright/scene'
import type { Ctx } from '../../lib/context.ts'
import { isAppError } from '../../lib/errors.ts'
import type { CloudPagesService } from './cloud-pages.service.ts'

/** A page of the demo company: a template with devices in its roles. */
export interface DemoPage {
  template: TemplateName
  name: string
  suffix: string
  control: PageControl
  /** Numbers of devices by role: the first plays it, and where there are more a visitor can choose. */
  devices: Readonly<Record<string, readonly string[] | undefined>>
}

/**
 * Published pages of the demo company, one of each template; what somebody changed since stays, what is there is not made
 * again. A page whose devices are gone, or whose address another company has, is left out.
 * @param deviceIds by the number of the device
 */
export async function seedDemoPages(
  ctx: Ctx,
  pages: Pick<CloudPagesService, 'list' | 'create' | 'update' | 'publish'>,
  wanted: readonly DemoPage[],
  deviceIds: ReadonlyMap<string, string>,
): Promise<void> {
  const known = new Set((await pages.list(ctx, { limit: 100 })).items.map(({ name }) => name))
  for (const { template, name, suffix, control, devices } of wanted) {
    if (known.has(name)) continue
    const scene = fromTemplate(template, 'zh', name)
    for (const role of scene.roles) {
      const ids = (devices[role.key] ?? []).flatMap(number => deviceIds.get(number) ?? [])
      role.deviceId = ids[0] ?? null
      role.choices = ids.length > 1 ? ids : []
    }
    if (scene.roles.some(({ deviceId }) => deviceId === null)) continue
    try {
      const { id, version } = await pages.create(ctx, { name, suffix, scene })
      await pages.update(ctx, id, { version, visibility: 'public', control })
      await pages.publish(ctx, id, '')
    } catch (error) {
      if (!isAppError(error) || error.code !== 'page.suffix_taken') throw error
    }
  }
}
