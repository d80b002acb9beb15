import type { TenantScope } from '../../lib/database/database.ts'
import { type AppError, isAppError } from '../../lib/errors.ts'
import type { PagePlace, PageTransfer } from '../cloud-pages/index.ts'
import type { PageLine } from './rows.ts'
import { eachEntry, type ImportState, type KindCount, nameOf } from './transfer.import.ts'
import { hereOf } from './trigger-import.ts'

/** Pages of the file that are here already, for what refers to them. */
export async function findPages(
  scope: TenantScope,
  rows: AsyncIterable<PageLine>,
  state: ImportState,
  to: PageTransfer,
): Promise<void> {
  const taken: string[] = []
  for await (const line of rows) {
    const found = await to.find(scope, line, taken)
    if (!found) continue
    taken.push(found.id)
    state.pages.set(line.id, found.id)
  }
}

/**
 * Pages come in with their draft and with what visitors saw. What one names and is not here is left unbound, and the page
 * is not shown to visitors; one that cannot be read is named and left out.
 * @param rows gives the lines, from the first, each time it is called
 */
export async function importPages(
  scope: TenantScope,
  rows: () => AsyncIterable<PageLine>,
  state: ImportState,
  to: PageTransfer,
): Promise<KindCount> {
  const places = new Map<string, PagePlace>()
  const suffixes = new Map<string, string>()
  const wrong = new Map<string, AppError>()
  for await (const line of rows()) {
    if (places.has(line.id)) continue
    try {
      to.check(line)
    } catch (error) {
      if (!isAppError(error)) throw error
      wrong.set(line.id, error)
      continue
    }
    const place = await to.place(
      scope,
      state.ctx,
      line,
      [...places.values()].map(({ id }) => id),
    )
    places.set(line.id, place)
    state.pages.set(line.id, place.id)
    suffixes.set(line.suffix, place.suffix)
    if (place.isNew && place.suffix !== line.suffix) state.note(line.name, 'transfer.taken', { what: line.suffix })
  }
  const here = { ...hereOf(scope, state), material: (id: string) => state.materials.get(id) }
  const entries = { itemOf: nameOf, objectType: 'page' }
  return eachEntry(scope, rows(), state, entries, async (line, count) => {
    const place = places.get(line.id)
    if (!place) {
      const { code, params } = wrong.get(line.id)!
      state.note(line.name, code, params)
      return
    }
    const done = await to.bring(scope, state.ctx, line, { here, place, suffixes, existing: state.existing })
    count(done.what, { id: done.id, name: line.name })
    if (done.missing.length > 0)
      state.note(line.name, 'transfer.page_unbound', { what: done.missing.slice(0, 10).join(', ') })
    if (done.isIncomplete) state.note(line.name, 'transfer.page_incomplete', {})
    if (done.needsCommand) state.note(line.name, 'page.needs_command', {})
  })
}
