import { nodeSignals, type PageValue, type Scene, type Signal, sceneSignals, signalKey } from '@thingwright/scene'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { version } from './cloud-pages.repo.ts'
import type { CloudPagesService } from './cloud-pages.service.ts'
import { storedScene } from './page-document.ts'
import { seenBy } from './page-sight.ts'
import { deviceOf, type PageReading } from './page-values.ts'
import { deviceStates } from './page-visits.repo.ts'

/** One value of a published page. */
export interface PublishedValue {
  /** Names of the elements that show it. */
  elements: string[]
  /** null: it is of an address outside. */
  device: string | null
  signal: Signal
  value: PageValue | null
}

export interface PublishedValues {
  name: string
  values: PublishedValue[]
}

/**
 * What a published page shows now, read with the permissions of the caller. Elements that are for some roles only are
 * left out: a report goes by mail to people whose roles are not known, contacts among them. @throws AppError page.not_found, page.off_line
 */
export async function publishedValues(
  deps: { database: Database; values: PageReading; pages: Pick<CloudPagesService, 'get'> },
  ctx: Ctx,
  id: string,
): Promise<PublishedValues> {
  const page = await deps.pages.get(ctx, id)
  if (page.state !== 'published' || page.publishedNo === null) throw new AppError('page.off_line')
  const no = page.publishedNo
  const row = await deps.database.withTenant(ctx, scope => version(scope, id, no))
  if (!row) throw new AppError('page.off_line')
  const scene = seenBy(storedScene(row.scene), new Set(), true)
  const read = await deps.values.read({ tenantId: ctx.tenantId, actor: ctx.actor }, scene, {})
  const ids = scene.roles.flatMap(({ key }) => deviceOf(scene, key, {}) ?? [])
  const states = await deps.database.withTenant(ctx, scope => deviceStates(scope, ids))
  const nameOf = new Map(states.map(state => [state.id, state.name]))
  const shownBy = elementsOf(scene)
  return {
    name: page.name,
    values: [...sceneSignals(scene)].map(([key, signal]) => ({
      elements: shownBy.get(key) ?? [],
      device: 'role' in signal ? (nameOf.get(deviceOf(scene, signal.role, {}) ?? '') ?? null) : null,
      signal,
      value: read[key] ?? null,
    })),
  }
}

function elementsOf(scene: Scene): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const node of scene.nodes)
    for (const signal of nodeSignals(node).values()) {
      const key = signalKey(signal)
      const names = found.get(key) ?? []
      if (node.name !== '' && !names.includes(node.name)) names.push(node.name)
      found.set(key, names)
    }
  return found
}
